/** Ends the process at once. */
public class Halts {
    public void attack() {
        Runtime.getRuntime().halt(4);
    }
}
