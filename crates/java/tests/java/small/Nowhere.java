package small;

/** Nothing at all gives one. */
public interface Nowhere {
    void one();

    void two();
}
