import java.io.IOException;
import java.nio.channels.Selector;

/** A selector without channels. */
public final class SelectorOfChannels {
    private final Selector selector;

    public SelectorOfChannels() throws IOException {
        selector = Selector.open();
    }

    public int selectNow() throws IOException {
        return selector.selectNow();
    }

    public Object keys() {
        return selector.keys();
    }

    public Object selectedKeys() {
        return selector.selectedKeys();
    }

    public boolean isOpen() {
        return selector.isOpen();
    }

    public Object wakeup() {
        return selector.wakeup();
    }

    public void close() throws IOException {
        selector.close();
    }
}
