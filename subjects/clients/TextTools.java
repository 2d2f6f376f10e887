import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.LineNumberReader;
import java.io.PushbackReader;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Formatter;

/** Reads and writes texts character by character and line by line. */
public final class TextTools {
    /** The text with numbered lines. */
    public String numbered(String text) throws IOException {
        StringWriter out = new StringWriter();
        LineNumberReader in = new LineNumberReader(new StringReader(text));
        BufferedWriter writer = new BufferedWriter(out);
        String line = in.readLine();
        while (line != null) {
            writer.write(in.getLineNumber() + " " + line);
            writer.newLine();
            line = in.readLine();
        }
        in.close();
        writer.flush();
        writer.close();
        return out.toString();
    }

    /** The number of lines. */
    public int lines(String text) throws IOException {
        int lines = 0;
        try (BufferedReader in = new BufferedReader(new StringReader(text))) {
            while (in.readLine() != null) {
                lines++;
            }
        }
        return lines;
    }

    /** The first number of a text, and what follows it. */
    public String split(String text) throws IOException {
        PushbackReader in = new PushbackReader(new StringReader(text));
        StringBuilder number = new StringBuilder();
        int one = in.read();
        while (Character.isDigit(one)) {
            number.append((char) one);
            one = in.read();
        }
        StringBuilder rest = new StringBuilder("|");
        while (one >= 0) {
            rest.append((char) one);
            one = in.read();
        }
        in.close();
        return number.append(rest).toString();
    }

    /** The text twice, read from its beginning again. */
    public String twice(String text) throws IOException {
        StringReader in = new StringReader(text);
        StringBuilder all = new StringBuilder();
        copy(in, all);
        in.reset();
        copy(in, all);
        in.close();
        return all.toString();
    }

    private static void copy(StringReader in, StringBuilder to) throws IOException {
        for (int one = in.read(); one >= 0; one = in.read()) {
            to.append((char) one);
        }
    }

    /** A table row. */
    public String row(String name, int value) {
        Formatter formatter = new Formatter();
        formatter.format("%-5s", name);
        formatter.format("%3d", value);
        formatter.flush();
        String row = formatter.toString();
        formatter.close();
        return row;
    }
}
