import java.io.IOException;
import java.util.List;

/** Tests of {@link TextForms}. */
public final class TextFormsTest {
    public static void main(String[] arguments) throws IOException {
        TextForms reader = new TextForms();
        Check.same("12:120", reader.leading("12x"));
        Check.same("7:-1", reader.leading("7"));
        Check.same(2, reader.find("a b\nc d", "d"));
        Check.same(-1, reader.find("a\n\nb", "d"));
        Check.same(List.of("ab", "cd"), reader.values("a=b, c=d"));
        Check.same(List.of(), reader.values("-"));
        Check.same("b", reader.only("a=b"));
        Check.same("", reader.only("a"));
        Check.same("text", reader.through("text"));
        Check.same("", reader.through(""));
        Check.same(2, reader.lines("a", "b"));
        Check.same(0, reader.lines());
    }
}
