package spec;

/** A lamp that no test mentions. */
public class Lamp {
    private int changes;

    public void on() {
        changes++;
    }

    public int changes() {
        return changes;
    }
}
