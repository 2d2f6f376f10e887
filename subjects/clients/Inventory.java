import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.TreeSet;

/** Goods on shelves: taken in order, merged, and counted. */
public final class Inventory {
    private final TreeMap<String, Integer> stock = new TreeMap<>();

    /** Reads lines such as {@code 3 nails}. */
    public void read(String list) {
        Scanner lines = new Scanner(list);
        try {
            while (lines.hasNextLine()) {
                Scanner words = new Scanner(lines.nextLine());
                if (words.hasNext()) {
                    int count = Integer.parseInt(words.next());
                    if (words.hasNext()) {
                        String name = words.next();
                        stock.put(name, count);
                    }
                }
                words.close();
            }
        } finally {
            lines.close();
        }
    }

    /** The first and the last name. */
    public String ends() {
        if (stock.isEmpty()) {
            return "-";
        }
        String first = stock.firstKey();
        String last = stock.lastKey();
        return first + ".." + last;
    }

    /** Removes what has run out, and returns the names. */
    public List<String> tidy() {
        List<String> gone = new ArrayList<>();
        Iterator<Map.Entry<String, Integer>> entries = stock.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, Integer> entry = entries.next();
            if (entry.getValue() == 0) {
                gone.add(entry.getKey());
                entries.remove();
            }
        }
        return gone;
    }

    /** The names in the order in which a belt of two places gives them. */
    public String belt(String... names) {
        ArrayDeque<String> belt = new ArrayDeque<>();
        StringBuilder out = new StringBuilder();
        for (String name : names) {
            belt.addLast(name);
            if (belt.size() > 2) {
                out.append(belt.removeFirst());
            }
        }
        while (!belt.isEmpty()) {
            out.append(belt.removeFirst());
        }
        return out.toString();
    }

    /** Doubles every other number in place. */
    public List<Integer> doubled(List<Integer> numbers) {
        List<Integer> copy = new LinkedList<>(numbers);
        ListIterator<Integer> it = copy.listIterator();
        while (it.hasNext()) {
            int number = it.next();
            it.set(number * 2);
            if (it.hasNext()) {
                it.next();
            }
        }
        return copy;
    }

    /** The smallest count, if there is one. */
    public Optional<Integer> least() {
        TreeSet<Integer> counts = new TreeSet<>(stock.values());
        if (counts.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(counts.first());
    }

    /** The smallest count or zero. */
    public int leastOrZero() {
        Optional<Integer> least = least();
        if (least.isPresent()) {
            return least.get();
        }
        return 0;
    }
}
