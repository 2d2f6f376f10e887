package small;

/** Needs bytes and a name. */
public class Badge {
    public Badge(byte[] bits, String metal) {}
}
