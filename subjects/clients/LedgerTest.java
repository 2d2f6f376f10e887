import java.io.IOException;

/** Tests of {@link Ledger}. */
public final class LedgerTest {
    public static void main(String[] arguments) throws IOException {
        Ledger ledger = new Ledger();
        Check.same("nothing", ledger.first());
        Check.same(0, ledger.third());
        Check.same("", ledger.table());
        Check.same("", ledger.sorted());
        Check.same(1, ledger.read("rent -700\n?\npay 900\npay 100\ngift 5\n"));
        Check.same("gift=5", ledger.first());
        Check.same(5, ledger.third());
        Check.same("gift:5;pay:1000;rent:-700;", ledger.table());
        Check.same("-700 5 1000 ", ledger.sorted());
        Check.same(6, ledger.packed(1, 2, 3));
        Check.same(0, ledger.packed());
        Check.same("1-3 4-5 ", ledger.numbers("a12b3"));
        Check.same("", ledger.numbers(""));
    }
}
