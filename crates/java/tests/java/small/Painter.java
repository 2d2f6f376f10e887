package small;

/** Parameters of many types. */
public class Painter {
    public Painter(Animal model) {}

    public void paint(Color color) {}

    public void each(Action action) {}

    public void all(int[] widths, Color... colors) {}

    public Object mix(Object left, Comparable<?> right, CharSequence text) {
        return left;
    }

    public void limits(byte small, char letter, float broken, Long boxed, Class<?> type) {}

    public void never(Impossible thing) {}

    public void nowhere(Nowhere thing) {}

    public class Brush {
        public Brush() {}

        public void dip() {}
    }
}
