import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;

/** A stream from a file with some bytes. */
public final class FileInputStreamOfTemporary {
    private final FileInputStream in;

    public FileInputStreamOfTemporary(byte[] bytes) throws IOException {
        File file = File.createTempFile("adit", null);
        try {
            Files.write(file.toPath(), bytes);
            in = new FileInputStream(file);
        } finally {
            file.delete();
        }
    }

    public int read() throws IOException {
        return in.read();
    }

    public int readBytes() throws IOException {
        return in.read(new byte[2]);
    }

    public int readPart() throws IOException {
        return in.read(new byte[2], 0, 2);
    }

    public int available() throws IOException {
        return in.available();
    }

    public long skip() throws IOException {
        return in.skip(1);
    }

    public void close() throws IOException {
        in.close();
    }
}
