import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Objects in fields whose type has no model, and that the class itself made. A line with a finding of any
 * grade ends with a comment that names the grade.
 */
class Deques {
    private final Deque<String> kept = new ArrayDeque<>();
    private Deque<String> replaced = new ArrayDeque<>();

    String asked() {
        if (kept.isEmpty()) {
            System.out.println("empty");
        }
        return kept.pop(); // possible
    }

    String unasked() {
        return kept.pop(); // unchecked
    }

    String right() {
        return kept.isEmpty() ? null : kept.pop();
    }

    String ofAnyClass() {
        if (replaced.isEmpty()) {
            System.out.println("empty");
        }
        return replaced.pop();
    }
}
