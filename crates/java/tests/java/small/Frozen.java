package small;

/** Its objects come under the name of an interface, as decorators often do. */
public final class Frozen implements Solid {
    private static final Solid NOTHING = new Frozen("");

    private final String text;

    private Frozen(String text) {
        this.text = text;
    }

    public static Solid of(String text) {
        return new Frozen(text);
    }

    public static Solid nothing() {
        return NOTHING;
    }

    /** Gives what is none. */
    public static Solid unchanged(Solid other) {
        return other;
    }

    @Override
    public String text() {
        return text;
    }
}
