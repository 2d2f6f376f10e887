package small;

/** Fixtures. */
public class Gifts {
    public static Impossible impossible() {
        return null;
    }

    public static Closed closed() {
        return null;
    }

    public static int lucky() {
        return 13;
    }

    public static int notWithout(int argument) {
        return argument;
    }
}
