import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** A stream of some compressed bytes. */
public final class InflaterInputStreamOfBytes {
    private final InflaterInputStream in;

    public InflaterInputStreamOfBytes(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
            out.write(bytes);
        }
        in = new InflaterInputStream(new ByteArrayInputStream(packed.toByteArray()));
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
