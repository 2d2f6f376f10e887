import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A server socket on the loopback address, bound by its constructor or not. */
public final class ServerSocketOfLoopback {
    private final ServerSocket socket;

    public ServerSocketOfLoopback(boolean bound) throws IOException {
        socket = new ServerSocket();
        if (bound) {
            bind();
        }
    }

    public void bind() throws IOException {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    public int getSoTimeout() throws IOException {
        return socket.getSoTimeout();
    }

    public void setSoTimeout() throws IOException {
        socket.setSoTimeout(2);
    }

    public boolean getReuseAddress() throws IOException {
        return socket.getReuseAddress();
    }

    public void setReuseAddress() throws IOException {
        socket.setReuseAddress(true);
    }

    public boolean isBound() {
        return socket.isBound();
    }

    public boolean isClosed() {
        return socket.isClosed();
    }

    public int getLocalPort() {
        return socket.getLocalPort();
    }

    public void close() throws IOException {
        socket.close();
    }
}
