import java.util.ArrayList;
import java.util.List;

/** Calls of every shape. Whether the hook is on, and what it answers, decides what is printed. */
public class Calls {
    static String all(List<String> list, StringBuilder text, byte b, short s, char c, long l, float f, double d, boolean z) {
        list.add("x");
        text.append(c).append(l).append(f).append(d).append(z).append((int) b).append((int) s);
        long bits = Double.doubleToLongBits(d) + Math.abs(l);
        int[] copy = new int[] {1, 2}.clone();
        boolean empty = list.isEmpty();
        char first = text.charAt(0);
        return list.size() + " " + text.length() + " " + bits + " " + copy.length + " " + empty + " " + first;
    }

    public static void main(String[] args) {
        Hook.on = args.length;
        System.out.println(all(new ArrayList<>(), new StringBuilder(), (byte) 1, (short) 2, 'c', 3L, 4f, 5.0, true));
    }
}
