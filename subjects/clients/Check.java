import java.util.Objects;

/** The one assertion that the tests of the clients need. */
final class Check {
    private Check() {}

    static void same(Object wanted, Object found) {
        if (!Objects.equals(wanted, found)) {
            throw new AssertionError("wanted " + wanted + ", found " + found);
        }
    }
}
