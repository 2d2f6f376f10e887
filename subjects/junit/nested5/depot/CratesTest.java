package depot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** All tests are in nested classes, one for each state. */
class CratesTest {
    @Nested
    class WhenEmpty {
        final Crate crate = new Crate(2);

        @Test
        void hasNothing() {
            assertEquals(0, crate.size());
        }

        @Nested
        class AndClosed {
            @Test
            void throwsOnPut() {
                crate.close();
                assertThrows(IllegalStateException.class, () -> crate.put("hat"));
            }
        }
    }

    /** Not nested for JUnit. */
    static class Help {}
}
