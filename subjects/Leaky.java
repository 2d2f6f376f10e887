import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;

/** Opens files, and closes some of them. */
public class Leaky {
    private FileOutputStream file;

    public void open() throws IOException {
        file = new FileOutputStream(File.createTempFile("leaky", ".txt"));
    }

    public void close() throws IOException { file.close(); }

    public static int random() { return new java.security.SecureRandom().nextInt() & 1; }
}
