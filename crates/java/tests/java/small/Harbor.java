package small;

/** Has a number that only its callers know what to do with. */
public class Harbor {
    public static String flag() {
        return "white";
    }

    public int berth() {
        return 4711;
    }
}
