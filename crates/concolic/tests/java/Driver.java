import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Executes sequences of calls, one on each line: the class, and then calls with their descriptors and arguments,
 * separated by semicolons. Prints the result of each call: its value, or the class of the exception.
 */
public class Driver {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split(";");
            Object object = null;
            for (int i = 1; i < parts.length; i++) {
                String[] call = parts[i].trim().split(" ");
                String result;
                try {
                    Class<?> type = Class.forName(parts[0].trim());
                    if (call[0].startsWith("<init>")) {
                        object = construct(type, call);
                        result = "ok";
                    } else {
                        result = invoke(type, object, call);
                    }
                } catch (InvocationTargetException thrown) {
                    result = "!" + thrown.getCause().getClass().getName();
                } catch (ReflectiveOperationException wrong) {
                    throw new AssertionError(wrong);
                }
                out.append(i == 1 ? "" : ";").append(result);
                if (object == null) {
                    break;
                }
            }
            out.append("\n");
        }
        System.out.print(out);
    }

    private static Object construct(Class<?> type, String[] call) throws ReflectiveOperationException {
        for (Constructor<?> one : type.getConstructors()) {
            if (call[0].equals("<init>" + descriptor(one.getParameterTypes()))) {
                return one.newInstance(values(one.getParameterTypes(), call));
            }
        }
        throw new NoSuchMethodException(call[0]);
    }

    private static String invoke(Class<?> type, Object object, String[] call) throws ReflectiveOperationException {
        for (Method one : type.getMethods()) {
            if (call[0].equals(one.getName() + descriptor(one.getParameterTypes()))) {
                Object result = one.invoke(object, values(one.getParameterTypes(), call));
                if (result instanceof Boolean) {
                    return (Boolean) result ? "1" : "0";
                }
                if (result instanceof Character) {
                    return String.valueOf((int) (Character) result);
                }
                return result instanceof Number ? String.valueOf(((Number) result).longValue()) : "ok";
            }
        }
        throw new NoSuchMethodException(call[0]);
    }

    private static String descriptor(Class<?>[] types) {
        StringBuilder all = new StringBuilder("(");
        for (Class<?> type : types) {
            all.append(type.descriptorString());
        }
        return all.append(")").toString();
    }

    private static Object[] values(Class<?>[] types, String[] call) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            long number = Long.parseLong(call[i + 1]);
            if (types[i] == boolean.class) {
                values.add(number != 0);
            } else if (types[i] == long.class) {
                values.add(number);
            } else if (types[i] == byte.class) {
                values.add((byte) number);
            } else if (types[i] == short.class) {
                values.add((short) number);
            } else if (types[i] == char.class) {
                values.add((char) number);
            } else if (types[i] == int.class) {
                values.add((int) number);
            } else {
                values.add(null);
            }
        }
        return values.toArray();
    }
}
