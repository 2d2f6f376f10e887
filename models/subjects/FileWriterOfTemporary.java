import java.io.File;
import java.io.FileWriter;
import java.io.IOException;

/** A writer of a file. */
public final class FileWriterOfTemporary {
    private final FileWriter out;

    public FileWriterOfTemporary() throws IOException {
        File file = File.createTempFile("adit", null);
        try {
            out = new FileWriter(file);
        } finally {
            file.delete();
        }
    }

    public void write(int one) throws IOException {
        out.write(one);
    }

    public void writeText() throws IOException {
        out.write("a");
    }

    public void writePart() throws IOException {
        out.write("ab", 0, 1);
    }

    public void writeChars() throws IOException {
        out.write(new char[2]);
    }

    public void append() throws IOException {
        out.append("a");
    }

    public void flush() throws IOException {
        out.flush();
    }

    public void close() throws IOException {
        out.close();
    }
}
