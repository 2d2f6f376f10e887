package small;

/** Nobody implements it, and a lambda cannot. */
public interface Impossible {
    void one();

    void two();
}
