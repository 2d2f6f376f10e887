/** Static state that a script leaves behind. */
public class Counter {
    private static int count = 0;
    private static final java.util.List<Object> KEPT = new java.util.ArrayList<>();

    public int next() {
        KEPT.add(this);
        return ++count;
    }

    public static Counter create() { return new Counter(); }
    public static int applied(java.util.function.IntSupplier supplier) { return supplier.getAsInt() + ++count; }
    public static boolean sameLoader() {
        return Thread.currentThread().getContextClassLoader() == Counter.class.getClassLoader();
    }
}
