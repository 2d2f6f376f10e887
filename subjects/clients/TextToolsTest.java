import java.io.IOException;

/** Tests of {@link TextTools}. */
public final class TextToolsTest {
    public static void main(String[] arguments) throws IOException {
        TextTools tools = new TextTools();
        Check.same("1 a" + System.lineSeparator() + "2 b" + System.lineSeparator(), tools.numbered("a\nb"));
        Check.same("", tools.numbered(""));
        Check.same(2, tools.lines("a\nb"));
        Check.same("12|ab", tools.split("12ab"));
        Check.same("|", tools.split(""));
        Check.same("abab", tools.twice("ab"));
        Check.same("a      7", tools.row("a", 7));
    }
}
