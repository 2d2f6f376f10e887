import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;

/** The list iterator of an {@code ArrayList}, whose public contract is that of every list iterator. */
public final class ListIteratorOfArrayList {
    private final ListIterator<Object> it;

    public ListIteratorOfArrayList(Object[] elements) {
        List<Object> list = new ArrayList<>();
        for (Object element : elements) {
            list.add(element);
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
