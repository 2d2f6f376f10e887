package spec;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class PrinterTest {
    @Test
    public void prints() {
        Printer printer = new Printer();
        printer.setTitle("A");
        printer.setMargin(1);
        assertEquals(4, printer.print("xy"));
        assertEquals(0, printer.pages());
        printer.turnOff();
    }

    @Test
    public void countsPages() {
        Printer printer = new Printer();
        printer.setTitle("long title");
        printer.setMargin(2);
        printer.print("text");
        assertTrue(printer.isUsed());
        assertEquals(1, printer.pages());
        printer.turnOff();
    }

    @Test(expected = IllegalStateException.class)
    public void needsAMargin() {
        Printer printer = new Printer();
        printer.setTitle("A");
        printer.print("xy");
    }

    /** Fails without any change, and so is no evidence. */
    @Test
    public void alwaysFails() {
        Printer printer = new Printer();
        printer.setTitle("A");
        printer.setMargin(1);
        assertFalse(printer.print("xy") > 0);
    }
}
