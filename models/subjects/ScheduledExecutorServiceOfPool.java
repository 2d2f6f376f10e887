import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A pool with one thread for work at a later time, which does none, so that time does not matter. */
public final class ScheduledExecutorServiceOfPool {
    private final ScheduledExecutorService pool = Executors.newScheduledThreadPool(1, work -> new Thread());

    public ScheduledExecutorServiceOfPool() {
    }

    public void execute() {
        pool.execute(() -> {});
    }

    public Object submitRunnable() {
        return pool.submit(() -> {});
    }

    public Object submitCallable() {
        return pool.submit(() -> null);
    }

    public Object schedule() {
        return pool.schedule(() -> {}, 1, TimeUnit.HOURS);
    }

    public Object scheduleAtFixedRate() {
        return pool.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
    }

    public Object scheduleWithFixedDelay() {
        return pool.scheduleWithFixedDelay(() -> {}, 1, 1, TimeUnit.HOURS);
    }

    public Object shutdownNow() {
        return pool.shutdownNow();
    }

    public void shutdown() {
        pool.shutdown();
    }

    public boolean isShutdown() {
        return pool.isShutdown();
    }
}
