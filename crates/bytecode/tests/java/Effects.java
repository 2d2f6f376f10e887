import java.util.function.IntSupplier;

/** One method for each thing that an analysis of effects must get right; each comment says what it must find. */
class Effects {
    int count;
    int[] slots = new int[4];
    Node head;
    static int total;

    static class Node {
        Node next;
        int value;
        Node(int value) { this.value = value; }
        Node withNext(Node next) { this.next = next; return this; }
    }

    interface Shape { int area(); int sides(); }
    static class Square implements Shape {
        int side;
        public int area() { return side * side; }
        public int sides() { return 4; }
    }
    static class Counting implements Shape {
        int asked;
        public int area() { asked++; return 0; }
        public int sides() { return 0; }
    }

    int get() { return count; }                                        // reads this.count
    void set(int to) { count = to; }                                   // writes this.count
    void poke(int at) { slots[at] = 1; }                               // writes elements inside this
    void pokeHead() { head.value = 1; }                                // writes Node.value inside this
    void pokeOther(Effects other) { other.count = 2; }                 // writes count of an argument
    static void bump() { total++; }                                    // writes static total
    void setThroughCall(int to) { if (to > 0) set(to); }               // writes this.count
    void setOther(Effects other) { other.set(1); }                     // writes count of an argument
    Node fresh(int value) { return new Node(value).withNext(null); }   // pure: writes only what it made
    int[] copy() { int[] made = new int[2]; made[0] = count; return made; } // pure
    int sumOfCopy() { int[] made = slots.clone(); made[0] = 7; return made[0]; } // pure, reads elements
    Node wrap() { Node made = new Node(1); made.next = head; return made; } // pure: stores old into new
    void wrapAndPoke() { Node made = new Node(1); made.next = head; made.next.value = 3; } // writes inside this
    void escapeAndPoke(Node node) {                                    // writes an argument's value through a new node
        Node made = new Node(1);
        head = made;
        head.next = node;
        made.next.value = 3;
    }
    static int shape(Shape shape) { return shape.area(); }             // writes Counting.asked of an argument
    static int sides(Shape shape) { return shape.sides(); }            // pure
    static int lambda(IntSupplier supplier) { return supplier.getAsInt(); } // unknown
    IntSupplier makeLambda() { return () -> count++; }                 // pure: the body does not run
    int loop(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += slots[i % 4]; } return sum; } // pure
    String text() { return "count " + count; }                         // pure
    long wide(long a, double b) { long c = a + (long) b; return c << 2; } // pure, two slots each
    int caught(Object any) { try { return any.hashCode(); } catch (RuntimeException e) { return -1; } } // unknown
    boolean recursive(int n) { return n == 0 || other(n - 1); }        // pure
    private boolean other(int n) { return n != 0 && recursive(n - 1); } // pure
    synchronized int locked() { return count; }                        // pure
    native int nothingKnown();                                         // unknown
    native boolean isKnown();                                          // unknown, or pure by its name
    @Deprecated int annotated() { return total++; }                    // pure if the user says that Deprecated means it
}
