package small;

/** A bounded stack; the tests imitate it. */
public class Stack {
    private final Object[] elements;
    private int top;
    private int seen;

    public Stack(int capacity) {
        elements = new Object[capacity];
    }

    public void push(Object element) {
        elements[top++] = element;
    }

    public Object pop() {
        return elements[--top];
    }

    public boolean isEmpty() {
        return top == 0;
    }

    public int size() {
        seen++;
        return top;
    }

    public long now() {
        return System.nanoTime();
    }

    public boolean same(Stack other) {
        return other.top == top;
    }
}
