import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;

/** An archive that is written, each entry with a new name. */
public final class JarOutputStreamOfMemory {
    private final JarOutputStream out;
    private int entries;

    public JarOutputStreamOfMemory() throws IOException {
        out = new JarOutputStream(new ByteArrayOutputStream());
    }

    public void putNextEntry() throws IOException {
        out.putNextEntry(new ZipEntry("entry" + entries++));
    }

    public void closeEntry() throws IOException {
        out.closeEntry();
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
