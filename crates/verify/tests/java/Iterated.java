import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Collections that change while they are iterated. A line with a finding ends with the comment `certain` or
 * `possible`; every other line has none.
 */
class Iterated {
    private final List<String> names = new ArrayList<>();
    private final List<String> listeners = new CopyOnWriteArrayList<>();
    private List<String> unknown;

    void removesInLoop(List<String> all) {
        for (String one : all) { // possible
            if (one.isEmpty()) {
                all.remove(one);
            }
        }
    }

    void addsInLoop() {
        for (String one : names) { // possible
            names.add(one);
        }
    }

    void stopsAfterwards(List<String> all, String wanted) {
        for (String one : all) {
            if (one.equals(wanted)) {
                all.remove(one);
                break;
            }
        }
        for (String one : all) {
            if (one.isEmpty()) {
                all.add("");
                return;
            }
        }
    }

    void stopsIfRemoved(Set<String> all) {
        for (String one : all) {
            if (all.remove(one)) {
                return;
            }
        }
    }

    void usesTheIterator(List<String> all) {
        for (Iterator<String> it = all.iterator(); it.hasNext(); ) {
            if (it.next().isEmpty()) {
                it.remove();
            }
        }
    }

    void changesAnother(List<String> all, List<String> other) {
        for (String one : all) {
            other.add(one);
        }
    }

    void changesACopy(List<String> all) {
        for (String one : new ArrayList<>(all)) {
            all.remove(one);
        }
    }

    void replacesValues(Map<String, Integer> counts) {
        for (String key : counts.keySet()) {
            counts.put(key, 0);
        }
    }

    void removesKeys(HashMap<String, Integer> counts) {
        for (String key : counts.keySet()) { // possible
            counts.remove(key);
        }
    }

    void removesEntries(Map<String, Integer> counts) {
        for (Map.Entry<String, Integer> entry : counts.entrySet()) { // possible
            if (entry.getValue() == 0) {
                counts.remove(entry.getKey());
            }
        }
    }

    void mayChangeWhileIterated() {
        for (String one : listeners) {
            listeners.remove(one);
        }
    }

    String straight() {
        LinkedList<String> all = new LinkedList<>(names);
        Iterator<String> it = all.iterator();
        it.next();
        all.addFirst("first");
        return it.next(); // certain
    }

    String straightThroughInterface(Collection<String> all) {
        Iterator<String> it = all.iterator();
        it.next();
        all.clear();
        return it.next(); // possible
    }

    boolean onlyAsks(ArrayList<String> all) {
        Iterator<String> it = all.iterator();
        all.clear();
        return it.hasNext();
    }

    String anew(ArrayList<String> all) {
        Iterator<String> it = all.iterator();
        all.add("one");
        it = all.iterator();
        return it.next();
    }

    String two(ArrayList<String> all) {
        Iterator<String> one = all.iterator();
        Iterator<String> two = all.iterator();
        one.next();
        one.remove();
        return two.next(); // certain
    }

    String reckonedWith(ArrayList<String> all) {
        Iterator<String> it = all.iterator();
        all.add("one");
        try {
            return it.next();
        } catch (ConcurrentModificationException e) {
            return null;
        }
    }

    String replaced(List<String> others) {
        Iterator<String> it = unknown.iterator();
        unknown = others;
        unknown.add("");
        return it.next();
    }

    void throughAHelper(ArrayList<String> all) {
        for (String one : all) { // possible
            drop(all, one);
        }
    }

    private static void drop(ArrayList<String> all, String one) {
        all.remove(one);
    }

    private Map<String, String> shared = new java.util.concurrent.ConcurrentHashMap<>();
    private final java.util.concurrent.ConcurrentMap<String, String> views = newMap();

    private static java.util.concurrent.ConcurrentMap<String, String> newMap() {
        return new java.util.concurrent.ConcurrentHashMap<>();
    }

    void inAConcurrentMap() {
        for (String one : shared.keySet()) {
            shared.remove(one);
        }
    }

    void inAViewOfAConcurrentMap() {
        Collection<String> all = views.values();
        for (String one : all) {
            all.remove(one);
        }
    }

    enum Mode { QUIET, LOUD }

    Object asEnum(Iterator<Mode> modes) {
        Mode mode = modes.hasNext() ? Mode.LOUD : null;
        if (mode == Mode.LOUD) {
            return modes.next();
        }
        return null;
    }

    void linked(java.util.Scanner scanner) {
        try {
            scanner.close();
            System.out.println("closed");
            throw new IllegalStateException();
        } catch (NoClassDefFoundError e) {
            System.out.println(e);
        }
        scanner.next();
    }
}
