import java.util.List;

/** Tests of {@link Statistics}. */
public final class StatisticsTest {
    public static void main(String[] arguments) {
        Statistics statistics = new Statistics();
        Check.same(2.0, statistics.mean(1, 2, 3));
        Check.same(0.0, statistics.mean());
        Check.same(3, statistics.below(4, 1, 3, 5));
        Check.same(-1, statistics.below(0, 1));
        Check.same("bcd", statistics.longest(List.of("a", "bcd")));
        Check.same("", statistics.longest(List.of()));
        Check.same(2L, statistics.distinct(List.of("a", "b", "a")));
        Check.same(9913, statistics.years("of 1999, 2000"));
    }
}
