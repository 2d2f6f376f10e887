/** Prints megabytes. */
public class Chatterbox {
    public void attack() {
        String line = "x".repeat(1023);
        for (int i = 0; i < 16_384; i++) {
            System.out.println(line);
            System.err.println(line);
        }
    }
}
