import java.util.TreeSet;

/** A sorted set, of any number of elements from the beginning. */
public final class TreeSetOfNumbers {
    private final TreeSet<Integer> set = new TreeSet<>();

    public TreeSetOfNumbers(int[] elements) {
        for (int element : elements) {
            set.add(element);
        }
    }

    public boolean add(int one) {
        return set.add(one);
    }

    public Integer first() {
        return set.first();
    }

    public Integer last() {
        return set.last();
    }

    public Integer pollFirst() {
        return set.pollFirst();
    }

    public Integer pollLast() {
        return set.pollLast();
    }

    public boolean isEmpty() {
        return set.isEmpty();
    }

    public int size() {
        return set.size();
    }

    public boolean contains(int one) {
        return set.contains(one);
    }

    public boolean remove(int one) {
        return set.remove(one);
    }

    public void clear() {
        set.clear();
    }
}
