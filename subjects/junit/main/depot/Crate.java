package depot;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;

/** A crate for things, with all the ways in which a class can be called and can call itself. */
public class Crate extends Holder implements Comparable<Crate>, Iterable<String> {
    private final List<String> things = new ArrayList<>();
    private boolean closed;

    public Crate(int room) {
        super(room);
        if (room > 1000) {
            throw new IllegalArgumentException("too large");
        }
        if (size() != 0) {
            throw new AssertionError();
        }
    }

    public Crate() {
        this(2);
    }

    /** Calls back before it is made. */
    public Crate(Runnable action) {
        this(2);
        action.run();
    }

    /** A factory, whose own calls are nobody's business. */
    public static Crate of(String... things) {
        Crate crate = new Crate(things.length);
        for (String thing : things) {
            crate.put(thing);
        }
        return crate;
    }

    /** Static, and no factory. */
    public static int countAll(Crate... crates) {
        int sum = 0;
        for (Crate crate : crates) {
            sum += crate.size();
        }
        return sum;
    }

    public boolean put(String thing) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        return !isFull() && things.add(thing);
    }

    @Override
    public int size() {
        return things.size();
    }

    public String first() {
        return things.isEmpty() ? null : things.get(0);
    }

    public double weight() {
        return size() * 0.5;
    }

    public long count(char letter) {
        return things.stream().filter(thing -> thing.indexOf(letter) >= 0 && size() > 0).count();
    }

    public synchronized void close() {
        closed = true;
    }

    /** Calls back. */
    public void each(Consumer<String> action) {
        things.forEach(action);
    }

    @Override
    public Iterator<String> iterator() {
        return new Things();
    }

    @Override
    public int compareTo(Crate other) {
        return Integer.compare(size(), other.size());
    }

    /** Calls the crate around it. */
    private class Things implements Iterator<String> {
        private int at;

        @Override
        public boolean hasNext() {
            return at < size();
        }

        @Override
        public String next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return things.get(at++);
        }
    }
}
