import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;

/** The list iterator of an {@code ArrayList}. */
public final class ListIteratorOfArrayList {
    private final ListIterator<Object> it;

    public ListIteratorOfArrayList(boolean first, boolean second) {
        List<Object> list = new ArrayList<>();
        if (first) {
            list.add("a");
        }
        if (second) {
            list.add("b");
        }
        it = list.listIterator();
    }

    public boolean hasNext() {
        return it.hasNext();
    }

    public Object next() {
        return it.next();
    }

    public boolean hasPrevious() {
        return it.hasPrevious();
    }

    public Object previous() {
        return it.previous();
    }

    public int nextIndex() {
        return it.nextIndex();
    }

    public int previousIndex() {
        return it.previousIndex();
    }

    public void remove() {
        it.remove();
    }

    public void set(Object one) {
        it.set(one);
    }

    public void add(Object one) {
        it.add(one);
    }
}
