import java.util.TreeMap;

/** A sorted map, of any number of keys from the beginning. */
public final class TreeMapOfNumbers {
    private final TreeMap<Integer, String> map = new TreeMap<>();

    public TreeMapOfNumbers(int[] keys) {
        for (int key : keys) {
            map.put(key, "a");
        }
    }

    public Object put(int one) {
        return map.put(one, "c");
    }

    public Integer firstKey() {
        return map.firstKey();
    }

    public Integer lastKey() {
        return map.lastKey();
    }

    public Object firstEntry() {
        return map.firstEntry();
    }

    public Object lastEntry() {
        return map.lastEntry();
    }

    public Object pollFirstEntry() {
        return map.pollFirstEntry();
    }

    public Object pollLastEntry() {
        return map.pollLastEntry();
    }

    public boolean isEmpty() {
        return map.isEmpty();
    }

    public int size() {
        return map.size();
    }

    public boolean containsKey(int one) {
        return map.containsKey(one);
    }

    public Object get(int one) {
        return map.get(one);
    }

    public Object remove(int one) {
        return map.remove(one);
    }

    public void clear() {
        map.clear();
    }
}
