import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A stream of two elements. */
public final class StreamOfTwo {
    private final Stream<Integer> stream = Stream.of(1, 2);

    public StreamOfTwo() {
    }

    public Object filter() {
        return stream.filter(one -> true);
    }

    public Object map() {
        return stream.map(one -> one);
    }

    public Object flatMap() {
        return stream.flatMap(Stream::of);
    }

    public Object mapToInt() {
        return stream.mapToInt(one -> one);
    }

    public Object collect() {
        return stream.collect(Collectors.toList());
    }

    public Object min() {
        return stream.min(Integer::compare);
    }

    public Object max() {
        return stream.max(Integer::compare);
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
