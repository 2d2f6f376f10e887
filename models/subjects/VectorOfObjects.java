import java.util.Vector;

/** A vector, of any number of elements from the beginning. */
public final class VectorOfObjects {
    private final Vector<Object> vector = new Vector<>();

    public VectorOfObjects(Object[] elements) {
        for (Object element : elements) {
            vector.add(element);
        }
    }

    public void addElement() {
        vector.addElement("a");
    }

    public boolean add() {
        return vector.add("a");
    }

    public Object firstElement() {
        return vector.firstElement();
    }

    public Object lastElement() {
        return vector.lastElement();
    }

    public boolean isEmpty() {
        return vector.isEmpty();
    }

    public int size() {
        return vector.size();
    }

    public void clear() {
        vector.clear();
    }

    public void removeAllElements() {
        vector.removeAllElements();
    }
}
