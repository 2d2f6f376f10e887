import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Enumeration;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** An archive in a file. */
public final class JarFileOfTemporary {
    private final JarFile archive;

    public JarFileOfTemporary() throws IOException {
        File file = File.createTempFile("adit", ".zip");
        try {
            try (ZipOutputStream out = new ZipOutputStream(new FileOutputStream(file))) {
                out.putNextEntry(new ZipEntry("entry"));
            }
            archive = new JarFile(file);
        } finally {
            file.delete();
        }
    }

    public ZipEntry getEntry() {
        return archive.getEntry("entry");
    }

    public Enumeration<?> entries() {
        return archive.entries();
    }

    public int size() {
        return archive.size();
    }

    public String getComment() {
        return archive.getComment();
    }

    public String getName() {
        return archive.getName();
    }

    public void close() throws IOException {
        archive.close();
    }
}
