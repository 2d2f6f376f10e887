import java.util.concurrent.atomic.AtomicInteger;

/** Works in a thread, which then waits for a long time. */
public class Background {
    private static final AtomicInteger ALIVE = new AtomicInteger();
    private volatile int done;

    public void begin() {
        new Thread(this::work).start();
    }

    public int done() {
        return done;
    }

    /** Computes for so many milliseconds. */
    public static void compute(int milliseconds) {
        long until = System.nanoTime() + milliseconds * 1_000_000L;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    public static int alive() {
        return ALIVE.get();
    }

    private void work() {
        ALIVE.incrementAndGet();
        try {
            compute(1);
            done++;
            Thread.sleep(1_000_000);
        } catch (InterruptedException interrupted) {
            done = -1;
        } finally {
            ALIVE.decrementAndGet();
        }
    }
}
