/** Puts texts together, of itself and of others. */
public class Texts {
    private final Object part = "x";

    public String ofAnything() { return String.valueOf(part); }

    public int ofItself() { return toString().length(); }

    @Override
    public String toString() { return "texts"; }
}
