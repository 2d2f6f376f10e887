/** Calls what is passed to it. */
public class Callbacks {
    /** Only a subclass can call its constructor, which asks the subclass already. */
    public abstract static class Job {
        private final long first;

        protected Job(int minutes) {
            first = amount() + minutes;
        }

        protected abstract long amount();

        public abstract String name();

        public abstract void run();

        public long first() {
            return first;
        }
    }

    public interface Both {
        boolean one();

        void two();
    }

    /** Nobody outside its package knows it. */
    abstract static class Hidden {
        abstract int secret();
    }

    public static String ask(Job job) {
        job.run();
        return job.name() + " " + job.amount() + " " + job.first();
    }

    public static boolean both(Both both) {
        both.two();
        return both.one();
    }

    static int hidden(Hidden hidden) {
        return hidden.secret();
    }
}
