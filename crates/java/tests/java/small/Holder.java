package small;

/** A generic interface, whose method an implementation overrides with a bridge. */
public interface Holder<T> {
    void put(T thing);

    T take();

    default boolean isFull() {
        return true;
    }
}
