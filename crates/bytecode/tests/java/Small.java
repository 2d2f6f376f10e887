import java.util.List;
import java.util.function.Supplier;

/** A little of everything that a class file holds. Compiled once, with `javac -g -parameters`, as tests/classes/Small.class. */
@Deprecated
abstract class Small<T> implements Supplier<T> {
    static final int LIMIT = 40_000;
    static final String NAME = "na\0me \uD83D\uDE00";
    private final List<T> items;

    Small(List<T> items) {
        this.items = items;
    }

    @Deprecated
    int classify(int key, long wide) throws IllegalStateException {
        try {
            switch (key) {
                case 1: return 10;
                case 2: return 20;
                case 1000: return items.size();
                default: break;
            }
            Runnable later = () -> items.clear();
            later.run();
        } catch (UnsupportedOperationException e) {
            return -1;
        } finally {
            key++;
        }
        return wide > LIMIT * 3L ? key : 0;
    }

    abstract double open(float[][] grid);
}
