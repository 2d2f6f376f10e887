import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A stream of an archive with some entries. */
public final class ZipInputStreamOfEntries {
    private final ZipInputStream in;

    public ZipInputStreamOfEntries(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(packed)) {
            for (int at = 0; at < bytes.length; at++) {
                out.putNextEntry(new ZipEntry("entry" + at));
                out.write(bytes[at]);
            }
            if (bytes.length == 0) {
                out.putNextEntry(new ZipEntry("empty"));
            }
        }
        in = new ZipInputStream(new ByteArrayInputStream(packed.toByteArray()));
    }

    public ZipEntry getNextEntry() throws IOException {
        return in.getNextEntry();
    }

    public void closeEntry() throws IOException {
        in.closeEntry();
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

    public void close() throws IOException {
        in.close();
    }
}
