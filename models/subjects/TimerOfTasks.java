import java.util.Timer;
import java.util.TimerTask;

/** A timer, with a new task each time. */
public final class TimerOfTasks {
    private final Timer timer = new Timer(true);

    public TimerOfTasks() {
    }

    private static TimerTask task() {
        return new TimerTask() {
            @Override
            public void run() {
            }
        };
    }

    public void schedule() {
        timer.schedule(task(), 3_600_000);
    }

    public void scheduleAgain() {
        timer.schedule(task(), 3_600_000, 3_600_000);
    }

    public void scheduleAtFixedRate() {
        timer.scheduleAtFixedRate(task(), 3_600_000, 3_600_000);
    }

    public int purge() {
        return timer.purge();
    }

    public void cancel() {
        timer.cancel();
    }
}
