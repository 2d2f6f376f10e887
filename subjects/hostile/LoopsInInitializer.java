/** Is never done with being initialized. */
public class LoopsInInitializer {
    static {
        boolean on = true;
        while (on) {
            Thread.onSpinWait();
        }
    }

    public void attack() {}
}
