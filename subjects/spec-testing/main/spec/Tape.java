package spec;

/** Both methods read from one place, and only the arrays that they fill tell which came first. */
public class Tape {
    private int at;

    public int left(char[] into) {
        return read(into, 1);
    }

    public int right(char[] into) {
        return read(into, 1);
    }

    /** Never returns. */
    public void rewind() {
        while (at >= 0) {
            Thread.onSpinWait();
        }
    }

    public void close() {
    }

    private int read(char[] into, int count) {
        for (int i = 0; i < into.length && i < count; i++) {
            into[i] = (char) ('a' + at++);
        }
        return Math.min(into.length, count);
    }
}
