package tautoko;

import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;
import org.junit.Test;

/** Correct uses only. */
public class ArArchiveOutputStreamTest {
    @Test
    public void writes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ArArchiveOutputStream archive = new ArArchiveOutputStream(bytes);
        archive.putArchiveEntry(new ArArchiveEntry("a", 2));
        archive.write(new byte[] {1, 2}, 0, 2);
        archive.closeArchiveEntry();
        archive.finish();
        archive.close();
        assertTrue(bytes.size() > 0);
    }

    @Test
    public void isEmpty() throws IOException {
        ArArchiveOutputStream archive = new ArArchiveOutputStream(new ByteArrayOutputStream());
        archive.setLongFileMode(ArArchiveOutputStream.LONGFILE_BSD);
        archive.finish();
        archive.close();
    }
}
