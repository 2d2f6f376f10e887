package small;

import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Takes what must be written first, and functions that say what they return. */
public class Timetable {
    public void add(Chore chore) {
        chore.run();
    }

    public void ask(Impossible thing) {
        thing.two();
    }

    public void award(Supplier<? extends Badge> badges) {}

    public <T> T[] fill(IntFunction<T[]> arrays) {
        return arrays.apply(1);
    }

    public void later(Runnable task) {
        task.run();
    }
}
