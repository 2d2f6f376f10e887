package spec;

/** Meters whose class is private: only a static method of the class around it makes them. */
public final class Meters {
    private Meters() {
    }

    /** A sum that grows. */
    public interface Meter {
        void add(int amount);

        long total();
    }

    private static final class LongMeter implements Meter {
        private long sum;

        @Override
        public void add(int amount) {
            sum += amount;
        }

        @Override
        public long total() {
            return sum;
        }

        protected boolean isAbove(long limit) {
            return sum > limit;
        }
    }

    /** A meter that stands at zero. */
    public static Meter meter() {
        return new LongMeter();
    }
}
