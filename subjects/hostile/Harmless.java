/** Does nothing wrong. The scripts around an attack use it to show that they still run. */
public class Harmless {
    private int calls;

    public int count() {
        return ++calls;
    }
}
