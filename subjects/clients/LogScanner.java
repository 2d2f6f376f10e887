import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the lines of a log: their levels, their numbers, and what repeats. */
public final class LogScanner {
    private static final Pattern LINE = Pattern.compile("(\\w+): (.*)");

    /** The levels of all lines, in order. */
    public List<String> levels(String log) {
        List<String> levels = new ArrayList<>();
        Scanner lines = new Scanner(log);
        while (lines.hasNextLine()) {
            String line = lines.nextLine();
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                levels.add(matcher.group(1));
            }
        }
        lines.close();
        return levels;
    }

    /** The message of the first line with a level. */
    public String first(String log, String level) {
        try (Scanner lines = new Scanner(log)) {
            while (lines.hasNextLine()) {
                Matcher matcher = LINE.matcher(lines.nextLine());
                if (matcher.find() && level.equals(matcher.group(1))) {
                    return matcher.group(2);
                }
            }
        }
        throw new NoSuchElementException(level);
    }

    /** The sum of all numbers in a message. */
    public int sum(String message) {
        Matcher numbers = Pattern.compile("\\d+").matcher(message);
        int sum = 0;
        while (numbers.find()) {
            sum += Integer.parseInt(numbers.group());
        }
        numbers.reset();
        if (numbers.find() && numbers.start() == 0) {
            sum = -sum;
        }
        return sum;
    }

    /** The words of a message without those of a list. */
    public List<String> without(String message, List<String> dropped) {
        List<String> words = new ArrayList<>();
        StringTokenizer tokens = new StringTokenizer(message);
        while (tokens.hasMoreTokens()) {
            words.add(tokens.nextToken());
        }
        Iterator<String> all = words.iterator();
        while (all.hasNext()) {
            String word = all.next();
            if (dropped.contains(word)) {
                all.remove();
            }
        }
        return words;
    }

    /** The first two words of a text. */
    public String head(String text) {
        Scanner words = new Scanner(text);
        String one = next(words);
        String two = next(words);
        words.close();
        return one + two;
    }

    private static String next(Scanner words) {
        return words.hasNext() ? words.next() : "";
    }
}
