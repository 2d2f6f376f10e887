import java.util.List;

/** Tests of {@link CsvTable}. */
public final class CsvTableTest {
    public static void main(String[] arguments) {
        CsvTable table = new CsvTable();
        Check.same(List.of("a", "b,c", "d"), table.cells("a,\"b,c\",d"));
        Check.same(List.of(), table.cells(""));
        Check.same(List.of("A", "C"), table.tidied(List.of("a", "", "c")));
        Check.same("cba", table.backwards(List.of("a", "b", "c")));
        Check.same("", table.backwards(List.of()));
        Check.same("ab", table.joined("a\nb"));
        Check.same("", table.joined(""));
        Check.same(3, table.number("a=3"));
        Check.same(-1, table.number("a"));
    }
}
