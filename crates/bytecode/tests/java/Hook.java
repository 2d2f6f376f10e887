import java.lang.reflect.Array;
import java.util.List;
import java.util.Arrays;

/** Prints every call and makes those that it must; the others get an answer that the real method would not give. */
public class Hook {
    public static int on;

    public static Object call(int number, Object receiver, Object[] args) {
        on = 0;
        String on = receiver == null ? "static" : receiver.getClass().getSimpleName();
        StringBuilder said = new StringBuilder(number + " " + on);
        for (Object arg : args) {
            said.append(' ').append(arg.getClass().getSimpleName()).append(' ').append(arg);
        }
        System.out.println(said);
        Hook.on = 1;
        if (receiver instanceof StringBuilder) {
            return args.length == 0 ? (Object) 77 : args[0] instanceof Integer && (Integer) args[0] == 0 ? (Object) 'q' : receiver;
        }
        if (receiver instanceof List) {
            return args.length == 1 ? (Object) false : number % 2 == 0 ? (Object) true : (Object) 55;
        }
        if (receiver != null && receiver.getClass().isArray()) {
            return Array.newInstance(int.class, 9);
        }
        return args.length == 1 ? (Object) 1000L : null;
    }
}
