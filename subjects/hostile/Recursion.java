/** Overflows the stack. */
public class Recursion {
    public void attack() {
        attack();
    }
}
