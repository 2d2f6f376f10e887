package small;

/** Constructors, factories, overloads, and members that not everybody may call. */
public class Counter implements Comparable<Counter> {
    public static final Counter SHARED = new Counter(7);
    private int count;

    public Counter() {}

    public Counter(int count) {
        this.count = count;
    }

    Counter(long hidden) {}

    private Counter(String secret) {}

    public static Counter parse(String text) {
        return "ten".equals(text) ? new Counter(10) : new Counter(Integer.parseInt(text));
    }

    public static int unrelated() {
        return 42;
    }

    public void add(int amount) {
        count += amount;
    }

    public void add(long amount) {
        count += (int) amount;
    }

    public void merge(Counter other) {
        count += other.count;
    }

    public int get() {
        return count;
    }

    @Override
    public int compareTo(Counter other) {
        return count - other.count;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Counter && ((Counter) other).count == count;
    }

    @Override
    public int hashCode() {
        return count;
    }

    protected void reset() {
        count = 0;
    }

    void quiet() {}

    private void secret() {}
}
