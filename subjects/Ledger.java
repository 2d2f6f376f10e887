/** Touches its fields in all ways: by itself, through what it inherits, in arrays, and in arrays behind objects. */
public class Ledger extends Book {
    private static int opened;
    private int total;
    private final boolean[] marks = new boolean[4];
    private final String[] files = new String[2];
    private final Notes notes = new Notes();

    public Ledger() {
        opened++;
    }

    public int total() {
        return total;
    }

    public void add(int amount) {
        total += amount;
    }

    public void fail() {
        total = -1;
        throw new IllegalStateException();
    }

    public void nothing() {}

    public String owner() {
        return owner;
    }

    public static int opened() {
        return opened;
    }

    public void mark(int place) {
        marks[place] = true;
    }

    public void file(String name) {
        files[1] = name;
    }

    public void note(int value) {
        notes.values[0] = value;
    }
}

class Book {
    String owner = "nobody";
}

class Notes {
    final long[] values = new long[1];
}
