import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.nio.file.Files;

/** A reader of a file with some bytes. */
public final class FileReaderOfTemporary {
    private final FileReader in;

    public FileReaderOfTemporary(byte[] bytes) throws IOException {
        File file = File.createTempFile("adit", null);
        try {
            Files.write(file.toPath(), bytes);
            in = new FileReader(file);
        } finally {
            file.delete();
        }
    }

    public int read() throws IOException {
        return in.read();
    }

    public int readChars() throws IOException {
        return in.read(new char[2]);
    }

    public int readPart() throws IOException {
        return in.read(new char[2], 0, 2);
    }

    public boolean ready() throws IOException {
        return in.ready();
    }

    public void close() throws IOException {
        in.close();
    }
}
