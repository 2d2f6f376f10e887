import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;

/** A file that is read and written anywhere. */
public final class RandomAccessFileOfTemporary {
    private final RandomAccessFile file;

    public RandomAccessFileOfTemporary() throws IOException {
        File place = File.createTempFile("adit", null);
        try {
            file = new RandomAccessFile(place, "rw");
            file.writeLong(42);
            file.seek(0);
        } finally {
            place.delete();
        }
    }

    public int read() throws IOException {
        return file.read();
    }

    public int readBytes() throws IOException {
        return file.read(new byte[2]);
    }

    public void writeByte() throws IOException {
        file.write(1);
    }

    public void writeBytes() throws IOException {
        file.write(new byte[2]);
    }

    public long length() throws IOException {
        return file.length();
    }

    public void setLength() throws IOException {
        file.setLength(8);
    }

    public long getFilePointer() throws IOException {
        return file.getFilePointer();
    }

    public void seek() throws IOException {
        file.seek(1);
    }

    public void close() throws IOException {
        file.close();
    }
}
