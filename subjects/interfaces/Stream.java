/** A piped output stream whose sink is a number instead of an object; zero means that there is none. */
public class Stream {
    private int sink;

    public Stream() {}

    public void connect(int snk, boolean connected) {
        if (snk == 0) {
            throw new NullPointerException();
        }
        if (sink != 0 || connected) {
            throw new IllegalStateException("already connected");
        }
        sink = snk;
    }

    public void write() {
        if (sink == 0) {
            throw new IllegalStateException("pipe not connected");
        }
    }

    public void flush() {}

    public void close() {}
}
