import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Fills the disk, with one file and with many. */
public class WritesGigabytes {
    public void attack() throws IOException {
        write(Files.createTempFile("large", ".bin"), 4096);
    }

    public void attackWithManyFiles() throws IOException {
        for (int i = 0; i < 4096; i++) {
            write(Files.createTempFile("many", ".bin"), 1);
        }
    }

    private static void write(Path path, int megabytes) throws IOException {
        byte[] megabyte = new byte[1 << 20];
        try (FileOutputStream out = new FileOutputStream(path.toFile())) {
            for (int i = 0; i < megabytes; i++) {
                out.write(megabyte);
            }
        }
    }
}
