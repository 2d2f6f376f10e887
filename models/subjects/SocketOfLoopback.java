import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A socket of a server in the same process, connected by its constructor or not. */
public final class SocketOfLoopback {
    private final ServerSocket server;
    private final Socket socket = new Socket();

    public SocketOfLoopback(boolean connected) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        if (connected) {
            connect();
        }
    }

    public void connect() throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
    }

    public Object getInputStream() throws IOException {
        return socket.getInputStream();
    }

    public Object getOutputStream() throws IOException {
        return socket.getOutputStream();
    }

    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    public int getSoTimeout() throws IOException {
        return socket.getSoTimeout();
    }

    public void setSoTimeout() throws IOException {
        socket.setSoTimeout(2);
    }

    public void setTcpNoDelay() throws IOException {
        socket.setTcpNoDelay(true);
    }

    public boolean isConnected() {
        return socket.isConnected();
    }

    public boolean isClosed() {
        return socket.isClosed();
    }

    public boolean isBound() {
        return socket.isBound();
    }

    public void close() throws IOException {
        socket.close();
    }
}
