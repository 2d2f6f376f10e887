import java.io.File;
import java.io.IOException;

/** Tests of {@link FileStore}. */
public final class FileStoreTest {
    public static void main(String[] arguments) throws IOException {
        File file = File.createTempFile("store", null);
        try {
            FileStore store = new FileStore();
            Check.same(3, store.write(file, new byte[] {1, 2, 3}));
            Check.same(6, store.sum(file));
            Check.same(3L, store.patch(file, 1, 9));
            Check.same(13, store.sum(file));
            Check.same(13, store.channel(file));
            store.text(file, "abc", "de");
            Check.same("abcd", store.head(file, 4));
            Check.same("abcde", store.head(file, 9));
            Check.same(0, store.write(file, new byte[0]));
            Check.same(0, store.sum(file));
        } finally {
            file.delete();
        }
    }
}
