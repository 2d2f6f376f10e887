package depot;

import junit.framework.TestCase;

public class CrateOldestTest extends TestCase {
    public void testRefuses() {
        try {
            new Crate(-1);
            fail();
        } catch (IllegalArgumentException expected) {
            assertEquals("no room", expected.getMessage());
        }
        try {
            new Crate(1001);
            fail();
        } catch (IllegalArgumentException expected) {
            assertEquals("too large", expected.getMessage());
        }
    }
}
