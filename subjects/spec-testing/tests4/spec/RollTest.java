package spec;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RollTest {
    @Test
    public void keepsNames() {
        Roll roll = new Roll();
        roll.add(7);
        int[] all = roll.all();
        assertEquals(1, all.length);
        assertEquals(7, all[0]);
    }
}
