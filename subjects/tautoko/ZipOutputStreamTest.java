package tautoko;

import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;
import org.junit.Assert;
import org.junit.Test;

public class ZipOutputStreamTest {
    @Test
    public void writes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ZipOutputStream zip = new ZipOutputStream(bytes);
        zip.setComment("a comment");
        zip.putNextEntry(new ZipEntry("a"));
        zip.write(new byte[] {1, 2, 3}, 0, 3);
        zip.closeEntry();
        zip.putNextEntry(new ZipEntry("b"));
        zip.write(7);
        zip.finish();
        zip.close();
        assertTrue(bytes.size() > 0);
    }

    @Test
    public void stores() throws IOException {
        ZipOutputStream zip = new ZipOutputStream(new ByteArrayOutputStream());
        zip.setMethod(ZipOutputStream.DEFLATED);
        zip.setLevel(9);
        zip.putNextEntry(new ZipEntry("a"));
        zip.flush();
        zip.close();
    }

    @Test
    public void refusesToWriteWithoutAnEntry() throws IOException {
        ZipOutputStream zip = new ZipOutputStream(new ByteArrayOutputStream());
        try {
            zip.write(new byte[] {1}, 0, 1);
            Assert.fail();
        } catch (ZipException expected) {
            // There is no entry.
        }
    }
}
