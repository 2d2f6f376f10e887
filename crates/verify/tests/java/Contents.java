import java.util.Map;
import java.util.Stack;

/**
 * Stacks, whose contents are data. A line with a finding of any grade ends with a comment that names the
 * grade.
 */
class Contents {
    private final Stack<String> kept = new Stack<>();

    String neverFilled() {
        Stack<String> stack = new Stack<>();
        return stack.pop(); // certain
    }

    String filledOnOnePath(boolean fill) {
        Stack<String> stack = new Stack<>();
        if (fill) {
            stack.push("a");
        }
        return stack.pop(); // unchecked
    }

    String knowsThatItIsEmpty(boolean fill) {
        Stack<String> stack = new Stack<>();
        if (fill) {
            stack.push("a");
        }
        if (stack.isEmpty()) {
            System.out.println("empty");
        }
        return stack.pop(); // possible
    }

    String counted(String... all) {
        Stack<String> stack = new Stack<>();
        stack.push("root");
        for (String one : all) {
            if (one.equals("..")) {
                if (stack.size() < 2) {
                    return null;
                }
                stack.pop();
            } else {
                stack.push(one);
            }
        }
        return stack.toString();
    }

    int countDropped() {
        Stack<String> stack = new Stack<>();
        stack.size();
        return stack.pop().length(); // certain
    }

    String unasked() {
        return kept.pop(); // unchecked
    }

    String asked() {
        return kept.isEmpty() ? null : kept.pop();
    }

    String askedBeforeUnknownCode(Runnable code) {
        if (kept.isEmpty()) {
            return null;
        }
        code.run();
        return kept.pop();
    }

    private static Stack<String> made(Map<String, Stack<String>> all) {
        Stack<String> stack = all.get("a");
        if (stack == null) {
            stack = new Stack<>();
            all.put("a", stack);
        }
        return stack;
    }

    String madeOrFound(Map<String, Stack<String>> all) {
        return made(all).pop(); // unchecked
    }
}
