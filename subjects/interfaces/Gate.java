/** A gate that is driven by modes, names and owners: parameters that are objects. */
public class Gate {
    /** What the gate is told to do. */
    public enum Mode {
        OPEN,
        CLOSE,
        LOCK
    }

    private Mode mode = Mode.CLOSE;
    private Object owner;

    public Gate(String name) {
        if (name.isEmpty() || name.equals("none")) {
            throw new IllegalArgumentException("no name: " + name);
        }
    }

    public void set(Mode next) {
        switch (next) {
            case OPEN -> {
                if (mode == Mode.LOCK) {
                    throw new IllegalStateException("locked");
                }
            }
            case LOCK -> {
                if (mode != Mode.CLOSE) {
                    throw new IllegalStateException("open");
                }
            }
            default -> {}
        }
        mode = next;
    }

    public void own(Object who) {
        if (who == null || owner != null && owner != who) {
            throw new IllegalArgumentException("not yours");
        }
        owner = who;
    }

    public void pass() {
        if (mode != Mode.OPEN) {
            throw new IllegalStateException("closed");
        }
    }
}
