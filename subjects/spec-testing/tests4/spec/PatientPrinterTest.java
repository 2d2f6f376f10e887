package spec;

import org.junit.Test;

public class PatientPrinterTest {
    /** Never ends if print() is put off: it waits for a page that is not printed. */
    @Test
    public void waitsForAPage() {
        Printer printer = new Printer();
        printer.setTitle("long title");
        printer.setMargin(1);
        printer.print("text");
        while (!printer.isUsed()) {
            Thread.yield();
        }
        printer.turnOff();
    }
}
