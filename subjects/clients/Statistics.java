import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Figures about numbers and words. */
public final class Statistics {
    /** The mean of numbers, zero if there are none. */
    public double mean(int... numbers) {
        IntStream all = IntStream.of(numbers);
        OptionalDouble mean = all.average();
        if (mean.isPresent()) {
            return mean.getAsDouble();
        }
        return 0;
    }

    /** The largest number below a bound. */
    public int below(int bound, int... numbers) {
        IntStream all = Arrays.stream(numbers);
        IntStream small = all.filter(number -> number < bound);
        OptionalInt largest = small.max();
        return largest.isPresent() ? largest.getAsInt() : -1;
    }

    /** The longest word. */
    public String longest(List<String> words) {
        Stream<String> all = words.stream();
        Stream<String> filled = all.filter(word -> !word.isEmpty());
        Optional<String> longest = filled.max((one, other) -> one.length() - other.length());
        if (longest.isEmpty()) {
            return "";
        }
        return longest.get();
    }

    /** The number of distinct words. */
    public long distinct(List<String> words) {
        Stream<String> all = words.stream();
        Stream<String> once = all.distinct();
        return once.count();
    }

    /** The years in a text, added. */
    public int years(String text) {
        Matcher years = Pattern.compile("(19|20)(\\d\\d)").matcher(text);
        int sum = 0;
        int from = 0;
        while (years.find()) {
            sum += Integer.parseInt(years.group(2));
            from = years.end();
        }
        return sum * 100 + from;
    }
}
