/** Never comes back. */
public class EndlessLoop {
    public void attack() {
        while (true) {
            Thread.onSpinWait();
        }
    }
}
