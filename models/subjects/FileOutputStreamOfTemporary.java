import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;

/** A stream into a file. */
public final class FileOutputStreamOfTemporary {
    private final FileOutputStream out;

    public FileOutputStreamOfTemporary() throws IOException {
        File file = File.createTempFile("adit", null);
        try {
            out = new FileOutputStream(file);
        } finally {
            file.delete();
        }
    }

    public void write(int one) throws IOException {
        out.write(one);
    }

    public void writeBytes() throws IOException {
        out.write(new byte[2]);
    }

    public void writePart() throws IOException {
        out.write(new byte[2], 0, 2);
    }

    public void flush() throws IOException {
        out.flush();
    }

    public void close() throws IOException {
        out.close();
    }
}
