/** The bounded stack of the specification-mining papers, by its known behavior: what is asked of an empty one gives null. */
public class StackAr {
    private final Object[] elements;
    private int top = -1;

    public StackAr(int capacity) {
        elements = new Object[capacity];
    }

    public boolean isEmpty() {
        return top == -1;
    }

    public boolean isFull() {
        return top == elements.length - 1;
    }

    public void makeEmpty() {
        top = -1;
    }

    public Object top() {
        return isEmpty() ? null : elements[top];
    }

    public void push(Object element) {
        if (isFull()) {
            throw new IllegalStateException("overflow");
        }
        elements[++top] = element;
    }

    public Object topAndPop() {
        if (isEmpty()) {
            return null;
        }
        Object element = elements[top];
        elements[top--] = null;
        return element;
    }
}
