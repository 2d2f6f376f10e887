import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;

/** A compressed stream that is written. */
public final class GZIPOutputStreamOfMemory {
    private final GZIPOutputStream out;

    public GZIPOutputStreamOfMemory() throws IOException {
        out = new GZIPOutputStream(new ByteArrayOutputStream());
    }

    public void writeByte() throws IOException {
        out.write(1);
    }

    public void writeBytes() throws IOException {
        out.write(new byte[2]);
    }

    public void writePart() throws IOException {
        out.write(new byte[2], 0, 2);
    }

    public void finish() throws IOException {
        out.finish();
    }

    public void flush() throws IOException {
        out.flush();
    }

    public void close() throws IOException {
        out.close();
    }
}
