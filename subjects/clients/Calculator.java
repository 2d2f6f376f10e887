import java.util.ArrayDeque;
import java.util.LinkedList;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Stack;
import java.util.StringTokenizer;
import java.util.stream.IntStream;

/** Evaluates terms in postfix and infix form. */
public final class Calculator {
    /** The value of a term such as {@code 1 2 + 3 *}. */
    public int postfix(String term) {
        ArrayDeque<Integer> values = new ArrayDeque<>();
        StringTokenizer tokens = new StringTokenizer(term);
        while (tokens.hasMoreTokens()) {
            String token = tokens.nextToken();
            if (Character.isDigit(token.charAt(0))) {
                values.push(Integer.parseInt(token));
            } else {
                int right = values.pop();
                int left = values.pop();
                values.push(token.equals("+") ? left + right : left * right);
            }
        }
        int value = values.pop();
        Optional<Integer> rest = Optional.ofNullable(values.peek());
        if (rest.isPresent()) {
            throw new IllegalArgumentException("too many values: " + rest.get());
        }
        return value;
    }

    /** Returns true if the brackets of a text are balanced. */
    public boolean balanced(String text) {
        Stack<Character> open = new Stack<>();
        for (char one : text.toCharArray()) {
            if (one == '(' || one == '[') {
                open.push(one);
            } else if (one == ')' || one == ']') {
                if (open.empty()) {
                    return false;
                }
                char before = open.pop();
                if ((before == '(') != (one == ')')) {
                    return false;
                }
            }
        }
        return open.empty();
    }

    /** The values of a term, last first, without the largest. */
    public String reversed(int... numbers) {
        LinkedList<Integer> values = new LinkedList<>();
        for (int number : numbers) {
            values.addFirst(number);
        }
        OptionalInt largest = IntStream.of(numbers).max();
        StringBuilder text = new StringBuilder();
        while (!values.isEmpty()) {
            int value = values.removeFirst();
            if (largest.isPresent() && value != largest.getAsInt()) {
                text.append(value);
            }
        }
        values.clear();
        return text.toString();
    }

    /** The last word of a text. */
    public Optional<String> last(String text) {
        StringTokenizer tokens = new StringTokenizer(text);
        String last = null;
        while (tokens.hasMoreElements()) {
            last = (String) tokens.nextElement();
        }
        return Optional.ofNullable(last);
    }

    /** The length of the last word. */
    public int lastLength(String text) {
        Optional<String> last = last(text);
        if (last.isEmpty()) {
            return 0;
        }
        return last.get().length();
    }
}
