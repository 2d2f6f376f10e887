import java.util.Enumeration;
import java.util.Vector;

/** The enumeration of a {@code Vector}. */
public final class EnumerationOfVector {
    private final Enumeration<Object> all;

    public EnumerationOfVector(boolean first, boolean second) {
        Vector<Object> vector = new Vector<>();
        if (first) {
            vector.add("a");
        }
        if (second) {
            vector.add("b");
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
