package depot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.StringTokenizer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CrateTest {
    /** The iterator calls the crate, which is inside. */
    @Test
    void iterates() {
        Crate crate = Crate.of("hat", "coat");
        Iterator<String> things = crate.iterator();
        assertEquals("hat", things.next());
        assertTrue(things.hasNext());
        assertEquals("coat", things.next());
    }

    /** What is called back lies outside, and ends first. */
    @Test
    void callsBack() {
        Crate crate = Crate.of("hat");
        crate.each(thing -> assertEquals(1, crate.size()));
    }

    /** The JDK, a method reference, an interface, reflection and a subclass call as well. */
    @Test
    void calledInAllWays() throws Exception {
        Crate large = Crate.of("a", "b");
        Crate small = Crate.of("c");
        List<Crate> crates = new ArrayList<>(Arrays.asList(large, small));
        Collections.sort(crates);
        assertEquals(small, crates.get(0));
        Supplier<String> first = large::first;
        assertEquals("a", first.get());
        Iterable<String> iterable = large;
        iterable.forEach(thing -> {});
        assertEquals(2, Crate.class.getMethod("size").invoke(large));
        Crate own = new Crate(3) {
            @Override
            public boolean put(String thing) {
                return super.put(thing + "!");
            }
        };
        assertTrue(own.put("d"));
        assertEquals(3, Crate.countAll(large, small));
    }

    @Test
    void throwsWhenClosed() {
        Crate crate = new Crate();
        crate.close();
        assertThrows(IllegalStateException.class, () -> crate.put("hat"));
    }

    @Test
    void splits() {
        StringTokenizer words = new StringTokenizer("hat coat");
        assertEquals(2, words.countTokens());
        assertEquals("hat", words.nextToken());
        assertTrue(words.hasMoreElements());
    }

    @RepeatedTest(2)
    void repeats() {
        assertEquals(2, new Crate().room());
    }

    @Test
    void worksInItsFolder() throws IOException {
        assertTrue(Files.exists(Path.of("main/depot/Crate.java")));
        Path file = Files.createTempFile("crate", ".txt");
        Files.writeString(file, "hat");
        assertThrows(IOException.class, () -> Files.writeString(Path.of("forbidden.txt"), "hat"));
    }

    @Test
    @Disabled
    void disabled() {
        throw new AssertionError();
    }

    @Nested
    class Inner {
        @Test
        void fails() {
            assertEquals(3, new Crate().room());
        }
    }
}
