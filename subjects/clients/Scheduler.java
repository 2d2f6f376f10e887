import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;

/** Orders work by priority and by time. */
public final class Scheduler {
    /** The work in the order of its priorities. */
    public List<Integer> ordered(int... priorities) {
        PriorityQueue<Integer> queue = new PriorityQueue<>();
        for (int priority : priorities) {
            queue.add(priority);
        }
        List<Integer> order = new ArrayList<>();
        while (!queue.isEmpty()) {
            order.add(queue.remove());
        }
        queue.clear();
        return order;
    }

    /** The span between the first and the last time. */
    public int span(int... times) {
        TreeSet<Integer> sorted = new TreeSet<>();
        for (int time : times) {
            sorted.add(time);
        }
        if (sorted.isEmpty()) {
            return 0;
        }
        int span = sorted.last() - sorted.first();
        sorted.clear();
        return span;
    }

    /** Names by their first times, and how many are left after some were taken. */
    public String taken(int count, String... names) {
        TreeMap<Integer, String> byTime = new TreeMap<>();
        int time = 0;
        for (String name : names) {
            byTime.put(time++, name);
        }
        StringBuilder taken = new StringBuilder();
        for (int at = 0; at < count && !byTime.isEmpty(); at++) {
            Integer first = byTime.firstKey();
            taken.append(byTime.remove(first));
        }
        return taken.append(byTime.size()).toString();
    }

    /** The work without the odd one. */
    public List<Integer> even(List<Integer> all) {
        List<Integer> kept = new ArrayList<>(all);
        Iterator<Integer> it = kept.iterator();
        while (it.hasNext()) {
            int one = it.next();
            if (one % 2 != 0) {
                it.remove();
            }
        }
        return kept;
    }

    /** The first and the last of several. */
    public String ends(Object... all) {
        Vector<Object> vector = new Vector<>();
        for (Object one : all) {
            vector.addElement(one);
        }
        if (vector.isEmpty()) {
            return "";
        }
        String ends = vector.firstElement() + ".." + vector.lastElement();
        vector.removeAllElements();
        return ends;
    }
}
