import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A pool with one thread, which does no work, so that time does not matter. */
public final class ExecutorServiceOfPool {
    private final ExecutorService pool = Executors.newFixedThreadPool(1, work -> new Thread());

    public ExecutorServiceOfPool() {
    }

    public void execute() {
        pool.execute(() -> {});
    }

    public Future<?> submitRunnable() {
        return pool.submit(() -> {});
    }

    public Future<?> submitCallable() {
        return pool.submit(() -> null);
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
