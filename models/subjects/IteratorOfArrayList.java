import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The iterator of an {@code ArrayList}, whose public contract is that of every iterator. */
public final class IteratorOfArrayList {
    private final Iterator<Object> it;

    public IteratorOfArrayList(Object[] elements) {
        List<Object> list = new ArrayList<>();
        for (Object element : elements) {
            list.add(element);
        }
        it = list.iterator();
    }

    public boolean hasNext() {
        return it.hasNext();
    }

    public Object next() {
        return it.next();
    }

    public void remove() {
        it.remove();
    }
}
