package depot;

import static org.junit.Assert.assertTrue;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** One of the tests ends the process. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class ExitTest {
    @Test
    public void aWorks() {
        assertTrue(new Crate().put("hat"));
    }

    @Test
    public void bExits() {
        new Crate().close();
        System.exit(3);
    }

    @Test
    public void cIsNeverRun() {
        new Crate().close();
    }
}
