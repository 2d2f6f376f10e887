package spec;

import org.junit.Test;

public class OffPrinterTest {
    /** Without a margin, `print` throws the same class from another line. */
    @Test(expected = IllegalStateException.class)
    public void refusesWhenOff() {
        Printer printer = new Printer();
        printer.setTitle("A");
        printer.setMargin(1);
        printer.turnOff();
        printer.print("xy");
    }
}
