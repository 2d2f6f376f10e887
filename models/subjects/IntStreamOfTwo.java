import java.util.stream.IntStream;

/** A stream of two elements. */
public final class IntStreamOfTwo {
    private final IntStream stream = IntStream.of(1, 2);

    public IntStreamOfTwo() {
    }

    public Object filter() {
        return stream.filter(one -> true);
    }

    public Object map() {
        return stream.map(one -> one);
    }

    public Object mapToObj() {
        return stream.mapToObj(one -> one);
    }

    public Object boxed() {
        return stream.boxed();
    }

    public Object min() {
        return stream.min();
    }

    public Object max() {
        return stream.max();
    }

    public Object sum() {
        return stream.sum();
    }

    public Object distinct() {
        return stream.distinct();
    }

    public Object sorted() {
        return stream.sorted();
    }

    public Object limit() {
        return stream.limit(1);
    }

    public Object skip() {
        return stream.skip(1);
    }

    public Object peek() {
        return stream.peek(one -> {});
    }

    public void forEach() {
        stream.forEach(one -> {});
    }

    public Object toArray() {
        return stream.toArray();
    }

    public long count() {
        return stream.count();
    }

    public boolean anyMatch() {
        return stream.anyMatch(one -> true);
    }

    public boolean allMatch() {
        return stream.allMatch(one -> true);
    }

    public boolean noneMatch() {
        return stream.noneMatch(one -> true);
    }

    public Object findFirst() {
        return stream.findFirst();
    }

    public Object findAny() {
        return stream.findAny();
    }

    public Object iterator() {
        return stream.iterator();
    }
}
