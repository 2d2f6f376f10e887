/** A thread that ends at once. */
public final class ThreadOfRunnable {
    private final Thread thread = new Thread(() -> {});

    public ThreadOfRunnable() {
    }

    public void start() {
        thread.start();
    }

    public void join() throws InterruptedException {
        thread.join();
    }

    public void interrupt() {
        thread.interrupt();
    }

    public String getName() {
        return thread.getName();
    }

    public void setName() {
        thread.setName("worker");
    }
}
