/** A ring buffer for three numbers in an array. */
public class BoundedBuffer {
    private final int[] elements = new int[3];
    private int first;
    private int count;

    public BoundedBuffer() {}

    public void put(int element) {
        if (count == elements.length) {
            throw new IllegalStateException("full");
        }
        elements[(first + count) % elements.length] = element;
        count++;
    }

    public int take() {
        if (count == 0) {
            throw new IllegalStateException("empty");
        }
        int element = elements[first];
        first = (first + 1) % elements.length;
        count--;
        return element;
    }

    public int get(int index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException();
        }
        return elements[(first + index) % elements.length];
    }

    public void clear() {
        first = 0;
        count = 0;
    }
}
