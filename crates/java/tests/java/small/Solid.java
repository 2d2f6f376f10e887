package small;

/** What frozen things are. */
public interface Solid {
    String text();
}
