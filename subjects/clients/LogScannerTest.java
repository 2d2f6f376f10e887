import java.util.List;

/** Tests of {@link LogScanner}. */
public final class LogScannerTest {
    public static void main(String[] arguments) {
        LogScanner logs = new LogScanner();
        String log = "info: begin\nwarn: 3 of 4\nnothing\ninfo: end\n";
        Check.same(List.of("info", "warn", "info"), logs.levels(log));
        Check.same(List.of(), logs.levels(""));
        Check.same("3 of 4", logs.first(log, "warn"));
        Check.same(7, logs.sum("a 3 of 4"));
        Check.same(-7, logs.sum("3 of 4"));
        Check.same(0, logs.sum("none"));
        Check.same(List.of("b", "c"), logs.without("a b a c", List.of("a")));
        Check.same("ab", logs.head("a b c"));
        Check.same("", logs.head(""));
    }
}
