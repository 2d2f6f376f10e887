import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Scanner;
import java.util.Vector;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table of texts: read, changed in place, and written again. */
public final class CsvTable {
    private static final Pattern CELL = Pattern.compile("\"([^\"]*)\"|([^,]+)");

    /** The cells of a line. */
    public List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        Matcher cell = CELL.matcher(line);
        while (cell.find()) {
            String quoted = cell.group(1);
            cells.add(quoted == null ? cell.group(2) : quoted);
        }
        return cells;
    }

    /** The cells in upper case, without empty ones. */
    public List<String> tidied(List<String> cells) {
        List<String> tidied = new LinkedList<>(cells);
        ListIterator<String> it = tidied.listIterator();
        while (it.hasNext()) {
            String cell = it.next();
            if (cell.isEmpty()) {
                it.remove();
            } else {
                it.set(cell.toUpperCase());
            }
        }
        return tidied;
    }

    /** The cells backwards. */
    public String backwards(List<String> cells) {
        ListIterator<String> it = cells.listIterator();
        while (it.hasNext()) {
            it.next();
        }
        StringBuilder text = new StringBuilder();
        while (it.hasPrevious()) {
            text.append(it.previous());
        }
        return text.toString();
    }

    /** The lines of a text, joined. */
    public String joined(String text) {
        Vector<String> lines = new Vector<>();
        Scanner scanner = new Scanner(text);
        while (scanner.hasNextLine()) {
            lines.add(scanner.nextLine());
        }
        scanner.close();
        StringBuilder joined = new StringBuilder();
        Enumeration<String> all = lines.elements();
        while (all.hasMoreElements()) {
            joined.append(all.nextElement());
        }
        return joined.toString();
    }

    /** The number in a cell such as {@code a=3}. */
    public int number(String cell) {
        Matcher matcher = Pattern.compile("(\\w)=(\\d+)").matcher(cell);
        if (!matcher.matches()) {
            return -1;
        }
        return Integer.parseInt(matcher.group(2));
    }
}
