import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/** Keeps bytes and texts in files. */
public final class FileStore {
    /** Writes bytes, and returns their number. */
    public int write(File file, byte[] bytes) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        int count = 0;
        for (byte one : bytes) {
            out.write(one);
            count++;
        }
        out.flush();
        out.close();
        return count;
    }

    /** The sum of the bytes of a file. */
    public int sum(File file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        int sum = 0;
        while (in.available() > 0) {
            sum += in.read();
        }
        in.close();
        return sum;
    }

    /** Writes a text. */
    public void text(File file, String... parts) throws IOException {
        FileWriter out = new FileWriter(file);
        for (String part : parts) {
            out.write(part);
        }
        out.flush();
        out.close();
    }

    /** The first characters of a file. */
    public String head(File file, int count) throws IOException {
        FileReader in = new FileReader(file);
        StringBuilder head = new StringBuilder();
        for (int at = 0; at < count && in.ready(); at++) {
            head.append((char) in.read());
        }
        in.close();
        return head.toString();
    }

    /** Changes one byte, and returns the length. */
    public long patch(File file, int at, int value) throws IOException {
        RandomAccessFile both = new RandomAccessFile(file, "rw");
        both.seek(at);
        both.write(value);
        long length = both.length();
        both.close();
        return length;
    }

    /** The number of bytes that a channel can give. */
    public int channel(File file) throws IOException {
        FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.READ);
        ByteBuffer buffer = ByteBuffer.allocate(4);
        int total = 0;
        while (channel.read(buffer) > 0) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                total += buffer.get();
            }
            buffer.clear();
        }
        channel.close();
        return total;
    }
}
