import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.util.Formatter;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Payments: read, sorted, summed and written. */
public final class Ledger {
    private static final Pattern LINE = Pattern.compile("(\\w+)\\s+(-?\\d+)");
    private final TreeMap<String, Integer> sums = new TreeMap<>();
    private final PriorityQueue<Integer> largest = new PriorityQueue<>();

    /** Reads lines such as {@code rent -700}, and returns how many were not understood. */
    public int read(String text) throws IOException {
        int bad = 0;
        BufferedReader in = new BufferedReader(new StringReader(text));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches()) {
                    int amount = Integer.parseInt(matcher.group(2));
                    sums.merge(matcher.group(1), amount, Integer::sum);
                    keep(amount);
                } else {
                    bad++;
                }
            }
        } finally {
            in.close();
        }
        return bad;
    }

    /** Keeps the three largest amounts. */
    private void keep(int amount) {
        largest.add(amount);
        if (largest.size() > 3) {
            largest.remove();
        }
    }

    /** The smallest of the three largest amounts. */
    public int third() {
        if (largest.isEmpty()) {
            return 0;
        }
        return largest.element();
    }

    /** The first name with its sum. */
    public String first() {
        if (sums.isEmpty()) {
            return "nothing";
        }
        String name = sums.firstKey();
        return name + "=" + sums.get(name);
    }

    /** A table. */
    public String table() {
        StringBuilder text = new StringBuilder();
        Formatter out = new Formatter(text);
        for (Map.Entry<String, Integer> entry : sums.entrySet()) {
            out.format("%s:%d;", entry.getKey(), entry.getValue());
        }
        out.flush();
        out.close();
        return text.toString();
    }

    /** The amounts, smallest first, through a writer. */
    public String sorted() throws IOException {
        TreeSet<Integer> amounts = new TreeSet<>(sums.values());
        StringWriter text = new StringWriter();
        BufferedWriter out = new BufferedWriter(text);
        while (!amounts.isEmpty()) {
            int amount = amounts.first();
            amounts.remove(amount);
            out.write(amount + " ");
        }
        out.flush();
        out.close();
        return text.toString();
    }

    /** The bytes of some numbers, summed. */
    public int packed(int... numbers) {
        ByteBuffer buffer = ByteBuffer.allocate(numbers.length);
        for (int number : numbers) {
            if (buffer.hasRemaining()) {
                buffer.put((byte) number);
            }
        }
        buffer.flip();
        int sum = 0;
        while (buffer.hasRemaining()) {
            sum += buffer.get();
        }
        return sum;
    }

    /** The numbers in a text. */
    public String numbers(String text) {
        Matcher matcher = Pattern.compile("\\d+").matcher(text);
        StringBuilder found = new StringBuilder();
        while (matcher.find()) {
            found.append(matcher.start()).append('-').append(matcher.end()).append(' ');
        }
        return found.toString();
    }
}
