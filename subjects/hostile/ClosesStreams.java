/** Closes the standard streams. */
public class ClosesStreams {
    public void attack() throws java.io.IOException {
        System.out.close();
        System.err.close();
        System.in.close();
    }
}
