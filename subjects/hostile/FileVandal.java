import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/** Tries to change files that are not its own. */
public class FileVandal {
    public boolean delete(String path) {
        return new File(path).delete();
    }

    public void overwrite(String path) throws IOException {
        try (FileOutputStream out = new FileOutputStream(path)) {
            out.write("vandalized".getBytes());
        }
    }

    public void truncate(String path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(0);
        }
    }

    public void create(String folder) throws IOException {
        Files.createFile(Path.of(folder, "created"));
    }

    public void makeFolder(String folder) throws IOException {
        Files.createDirectory(Path.of(folder, "folder"));
    }

    public void rename(String path) throws IOException {
        Files.move(Path.of(path), Path.of(path + ".moved"), StandardCopyOption.ATOMIC_MOVE);
    }

    public void link(String path) throws IOException {
        Files.createSymbolicLink(Path.of(path + ".link"), Path.of(path));
    }

    public boolean ownFilesWork() throws IOException {
        Path own = Files.createTempFile("own", ".txt");
        Files.writeString(own, "mine");
        return Files.readString(own).equals("mine") && own.toFile().delete();
    }
}
