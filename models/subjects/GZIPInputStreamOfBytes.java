import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A stream of some compressed bytes. */
public final class GZIPInputStreamOfBytes {
    private final GZIPInputStream in;

    public GZIPInputStreamOfBytes(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        in = new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray()));
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
