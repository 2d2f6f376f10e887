import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Methods that take whatever a script can pass, and tell what they were given. */
public class Arguments {
    public static final Color FAVORITE = Color.GREEN;
    public static final int LIMIT = 7;
    public static final boolean ON = true;
    public static final byte SMALL = -1;
    public static final char LETTER = 'x';
    public static final short BRIEF = 300;
    public static final long LARGE = 1L << 40;
    public static final float SINGLE = 0.5f;
    public static final double REAL = 1.5;
    public static final String NAME = "name";
    public static final Integer BOXED = 5;
    static final Object NOTHING = null;

    public enum Color { RED, GREEN }

    /** Two abstract methods of one meaning: what is inherited is given a narrower type. */
    public interface Narrow extends Supplier<Object> {
        @Override
        String get();
        @Override
        String toString();
        default int length() { return get().length(); }
    }

    /** A comparison of something narrower. */
    public interface Shortest extends Comparator<String> {
        @Override
        int compare(String a, String b);
    }

    interface Hidden { double value(long a, double b); }

    public interface Two { void one(); void two(); }

    public sealed interface Sealed permits Only { int one(); }

    public static final class Only implements Sealed {
        @Override
        public int one() { return 1; }
    }

    public static String type(Object value) {
        return value == null ? "null" : value.getClass().getName() + " " + show(value);
    }

    public static String number(Number value) { return type(value); }
    public static String comparable(Comparable<?> value) { return type(value); }
    public static String letter(Character value) { return type(value); }
    public static String brief(Short value) { return type(value); }
    public static String small(Byte value) { return type(value); }
    public static String large(Long value) { return type(value); }
    public static String single(Float value) { return type(value); }
    public static String flag(Boolean value) { return type(value); }
    public static String whole(Integer value) { return type(value); }
    public static long widened(long value) { return value; }
    public static double real(double value) { return value; }
    public static int plain(int value) { return value; }

    public static String ints(int[] values) { return Arrays.toString(values); }
    public static String flags(boolean[] values) { return Arrays.toString(values); }
    public static String bytes(byte[] values) { return Arrays.toString(values); }
    public static String chars(char[] values) { return Arrays.toString(values); }
    public static String shorts(short[] values) { return Arrays.toString(values); }
    public static String longs(long[] values) { return Arrays.toString(values); }
    public static String floats(float[] values) { return Arrays.toString(values); }
    public static String doubles(double[] values) { return Arrays.toString(values); }
    public static String texts(String... values) { return type(values); }
    public static String matrix(int[][] values) { return Arrays.deepToString(values); }
    public static String integers(Integer[] values) { return type(values); }
    public static String comparables(Comparable<?>[] values) { return type(values); }
    public static String functions(Supplier<?>[] values) { return String.valueOf(values[0].get()); }
    public static String cloneable(Cloneable value) { return type(value); }

    public static Object supply(Supplier<?> supplier) { return supplier.get(); }
    public static Object call(Callable<?> callable) throws Exception { return callable.call(); }
    public static int combine(IntBinaryOperator operator) { return operator.applyAsInt(1, 2); }
    public static long supplyLong(LongSupplier supplier) { return supplier.getAsLong(); }
    public static boolean test(Predicate<String> predicate) { return predicate.negate().test("x"); }
    public static void run(Runnable runnable) { runnable.run(); }
    public static Object apply(Function<Object, Object> function) { return function.andThen(x -> x).apply("x"); }
    public static int narrow(Narrow narrow) { return narrow.length(); }
    public static int shortest(Shortest shortest) { return ((Comparator) shortest).compare("a", "b"); }
    static double hidden(Hidden hidden) { return hidden.value(1, 2); }
    public static void two(Two two) { two.one(); }
    public static int sealed(Sealed sealed) { return sealed.one(); }
    public static String named(Class<?> type) { return type.getName(); }
    public static Color mix(Color color) { return color; }
    public static Integer boxed(int value) { return value; }
    public static Character boxedLetter() { return 'q'; }
    public static Boolean boxedFlag() { return true; }
    public static Double boxedReal() { return 2.5; }
    public static Integer boxedNothing() { return null; }

    private static String show(Object value) {
        if (value instanceof Object[] array) {
            StringBuilder text = new StringBuilder("[");
            for (Object element : array) {
                text.append(text.length() > 1 ? ", " : "").append(show(element));
            }
            return text.append("]").toString();
        }
        return value instanceof Runnable || value instanceof Supplier ? "a function" : String.valueOf(value);
    }
}
