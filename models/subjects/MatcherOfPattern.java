import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A matcher of a pattern with one group, on a text that has some matches. */
public final class MatcherOfPattern {
    private final Matcher matcher;

    public MatcherOfPattern(boolean first, boolean second) {
        matcher = Pattern.compile("(a)").matcher((first ? "a" : "") + (second ? "ba" : ""));
    }

    public boolean find() {
        return matcher.find();
    }

    public boolean matches() {
        return matcher.matches();
    }

    public boolean lookingAt() {
        return matcher.lookingAt();
    }

    public String group() {
        return matcher.group();
    }

    public String groupOne() {
        return matcher.group(1);
    }

    public int start() {
        return matcher.start();
    }

    public int end() {
        return matcher.end();
    }

    public int groupCount() {
        return matcher.groupCount();
    }

    public void reset() {
        matcher.reset();
    }

    public String replaceAll() {
        return matcher.replaceAll("c");
    }

    public MatchResult toMatchResult() {
        return matcher.toMatchResult();
    }
}
