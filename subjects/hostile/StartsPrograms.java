/** Starts another program. */
public class StartsPrograms {
    public int attack() throws java.io.IOException, InterruptedException {
        return new ProcessBuilder("/bin/sh", "-c", "exit 0").start().waitFor();
    }
}
