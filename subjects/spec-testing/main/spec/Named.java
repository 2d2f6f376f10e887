package spec;

/** Something with names. */
public interface Named {
    int[] all();
}
