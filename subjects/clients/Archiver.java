import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Packs texts into archives and unpacks them. */
public final class Archiver {
    /** An archive of named texts. */
    public byte[] pack(Map<String, String> texts) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        ZipOutputStream zip = new ZipOutputStream(packed);
        for (Map.Entry<String, String> text : texts.entrySet()) {
            zip.putNextEntry(new ZipEntry(text.getKey()));
            zip.write(text.getValue().getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
        }
        zip.finish();
        zip.close();
        return packed.toByteArray();
    }

    /** The texts of an archive. */
    public Map<String, String> unpack(byte[] archive) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive));
        ZipEntry entry = zip.getNextEntry();
        while (entry != null) {
            StringBuilder text = new StringBuilder();
            for (int one = zip.read(); one >= 0; one = zip.read()) {
                text.append((char) one);
            }
            texts.put(entry.getName(), text.toString());
            zip.closeEntry();
            entry = zip.getNextEntry();
        }
        zip.close();
        return texts;
    }

    /** A compressed text. */
    public byte[] squeeze(String text) throws IOException {
        ByteArrayOutputStream squeezed = new ByteArrayOutputStream();
        GZIPOutputStream gzip = new GZIPOutputStream(squeezed);
        for (char one : text.toCharArray()) {
            gzip.write(one);
        }
        gzip.finish();
        gzip.flush();
        gzip.close();
        return squeezed.toByteArray();
    }

    /** The text of compressed bytes. */
    public String expand(byte[] squeezed) throws IOException {
        GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(squeezed));
        StringBuilder text = new StringBuilder();
        while (gzip.available() > 0) {
            int one = gzip.read();
            if (one >= 0) {
                text.append((char) one);
            }
        }
        gzip.close();
        return text.toString();
    }

    /** The number of characters of bytes. */
    public int characters(byte[] bytes) throws IOException {
        InputStreamReader reader = new InputStreamReader(new ByteArrayInputStream(bytes));
        int count = 0;
        while (reader.ready()) {
            reader.read();
            count++;
        }
        reader.close();
        return count;
    }
}
