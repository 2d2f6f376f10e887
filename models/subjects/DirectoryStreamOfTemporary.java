import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The entries of an empty folder. */
public final class DirectoryStreamOfTemporary {
    private final DirectoryStream<Path> stream;

    public DirectoryStreamOfTemporary() throws IOException {
        Path folder = Files.createTempDirectory("adit");
        try {
            stream = Files.newDirectoryStream(folder);
        } finally {
            Files.delete(folder);
        }
    }

    public Object iterator() {
        return stream.iterator();
    }

    public void close() throws IOException {
        stream.close();
    }
}
