/** A signature object that signs or verifies, but only in the mode that it was initialized for. */
public class Signature {
    private static final int NONE = 0;
    private static final int SIGN = 1;
    private static final int VERIFY = 2;

    private int mode = NONE;

    public Signature() {}

    public void initSign() {
        mode = SIGN;
    }

    public void initVerify() {
        mode = VERIFY;
    }

    public void update() {
        if (mode == NONE) {
            throw new IllegalStateException("not initialized");
        }
    }

    public void sign() {
        assert mode == SIGN;
    }

    public void verify() {
        assert mode == VERIFY;
    }
}
