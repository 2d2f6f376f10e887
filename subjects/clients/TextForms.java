import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.LineNumberReader;
import java.io.OutputStreamWriter;
import java.io.PushbackReader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Reads and writes small texts in several forms. */
public final class TextForms {
    private static final Pattern PAIR = Pattern.compile("(\\w+)=(\\w+)");

    /** The number at the beginning of a text, and what follows it. */
    public String leading(String text) throws IOException {
        PushbackReader in = new PushbackReader(new StringReader(text));
        StringBuilder digits = new StringBuilder();
        int one = in.read();
        while (one >= '0' && one <= '9') {
            digits.append((char) one);
            one = in.read();
        }
        if (one >= 0) {
            in.unread(one);
        }
        int next = in.read();
        in.close();
        return digits + ":" + next;
    }

    /** The line with a word, by its number. */
    public int find(String text, String word) throws IOException {
        LineNumberReader lines = new LineNumberReader(new StringReader(text));
        try {
            String line = lines.readLine();
            while (line != null) {
                StringTokenizer words = new StringTokenizer(line);
                while (words.hasMoreTokens()) {
                    if (word.equals(words.nextToken())) {
                        return lines.getLineNumber();
                    }
                }
                line = lines.readLine();
            }
        } finally {
            lines.close();
        }
        return -1;
    }

    /** The values of pairs such as {@code a=b}. */
    public List<String> values(String text) {
        List<String> values = new ArrayList<>();
        Matcher pairs = PAIR.matcher(text);
        while (pairs.find()) {
            String name = pairs.group(1);
            values.add(name + pairs.group(2));
        }
        return values;
    }

    /** The value of the only pair. */
    public String only(String text) {
        Matcher pair = PAIR.matcher(text);
        if (pair.matches()) {
            return pair.group(2);
        }
        return "";
    }

    /** A text through a compressed stream and back. */
    public String through(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        GZIPOutputStream zipped = new GZIPOutputStream(bytes);
        for (char one : text.toCharArray()) {
            zipped.write(one);
        }
        zipped.finish();
        zipped.close();
        GZIPInputStream again = new GZIPInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        StringBuilder out = new StringBuilder();
        int one = again.read();
        while (one >= 0) {
            out.append((char) one);
            one = again.read();
        }
        again.close();
        return out.toString();
    }

    /** Lines, written and counted. */
    public int lines(String... lines) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(bytes));
        for (String line : lines) {
            out.write(line);
            out.newLine();
        }
        out.flush();
        out.close();
        BufferedReader in = new BufferedReader(new StringReader(bytes.toString()));
        int count = 0;
        while (in.readLine() != null) {
            count++;
        }
        in.close();
        return count;
    }
}
