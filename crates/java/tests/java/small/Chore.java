package small;

/** Nobody extends it. Only a subclass can call its constructor, which asks the subclass already. */
public abstract class Chore {
    private final boolean done;

    protected Chore(int minutes) {
        done = isDone();
    }

    protected abstract boolean isDone();

    public abstract Badge badge();

    public abstract void run();

    public void undo() {}
}
