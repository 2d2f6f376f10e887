/** Ends the process that started it. */
public class KillsOthers {
    public boolean attack() {
        return ProcessHandle.current().parent().orElseThrow().destroyForcibly();
    }
}
