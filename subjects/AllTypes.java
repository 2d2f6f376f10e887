/** A method for every type that can go in and come out, and fields of every kind to look at. */
public class AllTypes extends AllTypesBase {
    private boolean flag = true;
    private byte small = -1;
    private char letter = 'x';
    private short brief = 300;
    private int number = 7;
    private long large = 1L << 40;
    private float single = 0.5f;
    private double real = Math.PI;
    private String text = "täxt";
    private int[] numbers = {1, 2, 3};
    private String[] nothing = null;
    private Object other = new Object();
    private static int count = 99;

    public boolean flag(boolean value) { return !value; }
    public byte small(byte value) { return value; }
    public char letter(char value) { return value; }
    public short brief(short value) { return value; }
    public int number(int value) { return value; }
    public long large(long value) { return value; }
    public float single(float value) { return value; }
    public double real(double value) { return value; }
    public String text(String value) { return value; }
    public String longText(int length) { return "ab".repeat(length); }
    public AllTypes self() { return this; }
    public Object nothing() { return null; }
    public String describe(Object value) { return String.valueOf(value); }
    public AllTypes join(AllTypes other) { return other; }
    public void fail(String message) throws java.io.IOException { throw new java.io.IOException(message); }

    public static boolean staticFlag() { return true; }
    public static byte staticSmall() { return 1; }
    public static char staticLetter() { return 'a'; }
    public static short staticBrief() { return 2; }
    public static int staticNumber() { return 3; }
    public static long staticLarge() { return 4; }
    public static float staticSingle() { return 1.5f; }
    public static double staticReal() { return 2.5; }
    public static String staticText() { return "s"; }
    public static void staticNothing() { count++; }

    /** An exception whose message cannot be had. */
    public void mute() {
        throw new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no message either");
            }
        };
    }
}

class AllTypesBase {
    private int number = 8;
    protected Object inherited = null;
}
