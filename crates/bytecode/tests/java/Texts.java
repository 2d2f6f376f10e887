/** Puts texts together, of itself and of others. */
public class Texts {
    private final Object part = "x";

    public String ofAnything() { return String.valueOf(part); }

    public int ofItself() { return toString().length(); }

    public int ofItselfThroughAnother() { return ofItself() + 1; }

    public int ofAnother(Texts other) { return other.toString().length(); }

    @Override
    public String toString() { return "texts"; }
}
