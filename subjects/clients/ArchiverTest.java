import java.io.IOException;
import java.util.Map;

/** Tests of {@link Archiver}. */
public final class ArchiverTest {
    public static void main(String[] arguments) throws IOException {
        Archiver archiver = new Archiver();
        Map<String, String> texts = Map.of("a", "first", "b", "");
        Check.same(texts, archiver.unpack(archiver.pack(texts)));
        Check.same("text", archiver.expand(archiver.squeeze("text")));
        Check.same("", archiver.expand(archiver.squeeze("")));
        Check.same(3, archiver.characters(new byte[] {65, 66, 67}));
        Check.same(0, archiver.characters(new byte[0]));
    }
}
