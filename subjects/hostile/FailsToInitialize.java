/** Cannot be initialized. */
public class FailsToInitialize {
    static {
        if (true) {
            throw new IllegalStateException("not today");
        }
    }

    public void attack() {}
}
