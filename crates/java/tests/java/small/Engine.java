package small;

/** Made and used with names that only its callers know. */
public class Engine {
    private Engine() {}

    public static Engine named(String name) {
        if (name.hashCode() != 110726686 && name.hashCode() != 100248) {
            throw new IllegalArgumentException(name);
        }
        return new Engine();
    }

    public void start(Badge badge, int mode, Color color) {}
}
