package small;

/** Does something special for few values. */
public class Guarded {
    static final int[] TABLE = {3, 5, 9, 11, 12, 13, 17, 18, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};

    public boolean number(int value) {
        return value == 967;
    }

    public boolean far(long value) {
        return value > 123_456_789_012L;
    }

    public boolean text(String value) {
        return value.equals("k17");
    }

    public int kind(String value) {
        switch (value) {
            case "north-by-northwest, by the old road":
                return 1;
            case "south":
                return 2;
            default:
                throw new IllegalArgumentException("neither north nor south");
        }
    }

    public int choose(int value) {
        switch (value) {
            case 1000:
                return 1;
            case 70_000:
                return 2;
            default:
                return check(value) ? 3 : 0;
        }
    }

    private boolean check(int value) {
        return value == 4242;
    }

    public boolean five(int[] values) {
        return values.length == 5;
    }

    public boolean nine(String value) {
        return value.length() == 9;
    }

    public boolean any(Object value) {
        return "magic".equals(value);
    }
}
