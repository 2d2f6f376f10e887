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

    public static int alive() {
        return ALIVE.get();
    }

    private void work() {
        ALIVE.incrementAndGet();
        try {
            long until = System.nanoTime() + 1_000_000;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            done++;
            Thread.sleep(1_000_000);
        } catch (InterruptedException interrupted) {
            done = -1;
        } finally {
            ALIVE.decrementAndGet();
        }
    }
}
