/** Comes back in a day. */
public class Sleeper {
    public void attack() throws InterruptedException {
        Thread.sleep(86_400_000L);
    }
}
