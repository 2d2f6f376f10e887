package depot;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import org.junit.Ignore;
import org.junit.Test;

public class CrateOldTest {
    @Test
    public void fills() {
        Crate crate = new Crate(1);
        assertTrue(crate.put("hat"));
        assertFalse(crate.put("coat"));
        assertTrue(crate.isFull());
        assertEquals("hat", crate.first());
        assertEquals(0.5, crate.weight(), 0);
        assertEquals(1, crate.count('h'));
    }

    @Test(expected = IllegalStateException.class)
    public void closedIsClosed() {
        Crate crate = new Crate();
        crate.close();
        crate.put("hat");
    }

    @Test
    public void fails() {
        assertEquals("a hat", Crate.of("hat").first());
    }

    @Test
    public void assumes() {
        assumeTrue(new Crate().isFull());
    }

    @Test
    @Ignore
    public void ignored() {
        throw new AssertionError();
    }
}
