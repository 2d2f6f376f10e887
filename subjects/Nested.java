import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** State that its own fields do not show. */
public class Nested {
    private final Cell cell = new Cell(new Cell(new Cell(new Cell(null))));
    private final Map<Object, Object> map = new HashMap<>();
    private final List<Object> list = new LinkedList<>();
    private Set<String> set = Set.of();
    private Runnable function = null;
    private Object other = null;

    /** Sets a number that is so many objects away. */
    public void set(int distance, int value) {
        Object at = cell;
        for (int step = 1; step < distance; step++) {
            at = at instanceof Cell ? ((Cell) at).next : ((Link) at).to;
        }
        ((Cell) at).value = value;
    }

    /** Adds a key whose hash code is another one each time. */
    public void put(String value) { map.put(new Object(), value); }
    public void clear() { map.clear(); }
    public void add(Object value) { list.add(value); }
    public void name(String one, String two, String three) { set = Set.of(one, two, three); }
    public void capture(int value) { function = () -> System.out.println(value); }
    public void refer(Object value) { other = value; }
    public void cycle() { other = new Object[] {this, list}; }
    public void thread() { other = new Thread(); }
    public void look() { }

    static class Cell {
        int value = 0;
        int hashCode = System.identityHashCode(this);
        final Object next;

        Cell(Object next) { this.next = next == null ? null : new Link(next); }
    }

    /** So that a cell does not lead to another cell directly. */
    record Link(Object to) { }
}
