package spec;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import org.junit.Test;

public class TapeTest {
    /** Needs what left() writes into the array, and not left() before close(). */
    @Test
    public void readsBeforeItCloses() {
        char[] into = new char[1];
        Tape tape = new Tape();
        tape.left(into);
        tape.close();
        assertEquals('a', into[0]);
    }

    /** Needs the exception of right(), and not right() before close(). */
    @Test
    public void refusesNull() {
        Tape tape = new Tape();
        try {
            tape.right(null);
            fail("nothing was thrown");
        } catch (NullPointerException expected) {
            tape.close();
        }
    }
}
