/** A stack of bounded capacity in an array: the classic of the specification-mining papers, written anew. */
public class BoundedStack {
    private final Object[] elements;
    private int top = -1;

    public BoundedStack(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("negative capacity: " + capacity);
        }
        elements = new Object[capacity];
    }

    public static BoundedStack small() {
        return new BoundedStack(2);
    }

    public boolean isEmpty() {
        return top == -1;
    }

    public boolean isFull() {
        return top == elements.length - 1;
    }

    public int size() {
        return top + 1;
    }

    public void makeEmpty() {
        java.util.Arrays.fill(elements, 0, top + 1, null);
        top = -1;
    }

    public Object top() {
        return isEmpty() ? null : elements[top];
    }

    public void push(Object element) {
        if (isFull()) {
            throw new IllegalStateException("full");
        }
        elements[++top] = element;
    }

    public void pop() {
        if (isEmpty()) {
            throw new java.util.NoSuchElementException();
        }
        elements[top--] = null;
    }

    public Object topAndPop() {
        if (isEmpty()) {
            return null;
        }
        Object element = top();
        elements[top--] = null;
        return element;
    }
}
