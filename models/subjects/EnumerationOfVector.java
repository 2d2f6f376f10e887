import java.util.Enumeration;
import java.util.Vector;

/** The enumeration of a {@code Vector}. */
public final class EnumerationOfVector {
    private final Enumeration<Object> all;

    public EnumerationOfVector(Object[] elements) {
        Vector<Object> vector = new Vector<>();
        for (Object element : elements) {
            vector.add(element);
        }
        all = vector.elements();
    }

    public boolean hasMoreElements() {
        return all.hasMoreElements();
    }

    public Object nextElement() {
        return all.nextElement();
    }
}
