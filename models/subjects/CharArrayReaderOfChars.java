import java.io.CharArrayReader;
import java.io.IOException;

/** A reader of some characters. */
public final class CharArrayReaderOfChars {
    private final CharArrayReader in;

    public CharArrayReaderOfChars(char[] chars) {
        in = new CharArrayReader(chars);
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

    public long skip() throws IOException {
        return in.skip(1);
    }

    public void close() throws IOException {
        in.close();
    }
}
