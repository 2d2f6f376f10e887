import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;

/** A reader of some bytes. */
public final class InputStreamReaderOfBytes {
    private final InputStreamReader in;

    public InputStreamReaderOfBytes(byte[] bytes) {
        in = new InputStreamReader(new ByteArrayInputStream(bytes));
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
