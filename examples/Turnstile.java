/** A gate that lets one person through for each coin. */
public class Turnstile {
    private boolean locked = true;

    public boolean isLocked() {
        return locked;
    }

    public void insertCoin() {
        if (!locked) {
            throw new IllegalStateException("one coin is enough");
        }
        locked = false;
    }

    public void push() {
        if (locked) {
            throw new IllegalStateException("pay first");
        }
        locked = true;
    }
}
