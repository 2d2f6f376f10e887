import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A channel to a file. */
public final class FileChannelOfTemporary {
    private final FileChannel channel;

    public FileChannelOfTemporary() throws IOException {
        Path file = Files.createTempFile("adit", null);
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(file);
        }
    }

    public int read() throws IOException {
        return channel.read(ByteBuffer.allocate(2));
    }

    public int write() throws IOException {
        return channel.write(ByteBuffer.allocate(2));
    }

    public long size() throws IOException {
        return channel.size();
    }

    public long position() throws IOException {
        return channel.position();
    }

    public void seek() throws IOException {
        channel.position(1);
    }

    public void truncate() throws IOException {
        channel.truncate(1);
    }

    public void force() throws IOException {
        channel.force(false);
    }

    public boolean isOpen() {
        return channel.isOpen();
    }

    public void close() throws IOException {
        channel.close();
    }
}
