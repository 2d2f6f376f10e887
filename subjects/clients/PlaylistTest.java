import java.util.List;
import java.util.Optional;

/** Tests of {@link Playlist}. */
public final class PlaylistTest {
    public static void main(String[] arguments) {
        Playlist list = new Playlist();
        Check.same(Optional.empty(), list.play());
        Check.same(false, list.back());
        Check.same(3, list.load("one song\n\n# comment\ntwo\nthree songs"));
        Check.same(Optional.of("one song"), list.play());
        Check.same(true, list.back());
        Check.same(1, list.drop("three"));
        Check.same("one song..two", list.all());
        Check.same(List.of("two", "one song"), list.history());
        Check.same(true, list.back());
        Check.same(Optional.of("two"), list.play());
        Check.same(0, list.drop("two"));
        Check.same(List.of("bb", "cc"), list.longest(List.of("a", "bb", "c", "cc")));
        Check.same(List.of(), new Playlist().history());
    }
}
