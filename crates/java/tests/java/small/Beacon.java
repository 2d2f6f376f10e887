package small;

/** There is one, in a field. */
public final class Beacon {
    public static final Beacon INSTANCE = new Beacon();

    private Beacon() {}

    public void light() {}
}
