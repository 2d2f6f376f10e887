package small;

/** Can be moored where a harbor says. */
public class Ship {
    public void moor(int berth) {}

    public void hoist(String flag) {}
}
