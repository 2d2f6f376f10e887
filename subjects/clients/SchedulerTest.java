import java.util.List;

/** Tests of {@link Scheduler}. */
public final class SchedulerTest {
    public static void main(String[] arguments) {
        Scheduler scheduler = new Scheduler();
        Check.same(List.of(1, 2, 3), scheduler.ordered(3, 1, 2));
        Check.same(List.of(), scheduler.ordered());
        Check.same(5, scheduler.span(7, 2, 4));
        Check.same(0, scheduler.span());
        Check.same("ab1", scheduler.taken(2, "a", "b", "c"));
        Check.same("0", scheduler.taken(2));
        Check.same(List.of(2, 4), scheduler.even(List.of(1, 2, 3, 4)));
        Check.same("1..3", scheduler.ends(1, 2, 3));
        Check.same("", scheduler.ends());
    }
}
