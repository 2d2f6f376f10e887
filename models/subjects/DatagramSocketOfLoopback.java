import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;

/** A datagram socket on the loopback address. */
public final class DatagramSocketOfLoopback {
    private final DatagramSocket socket;

    public DatagramSocketOfLoopback() throws IOException {
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    }

    public int getSoTimeout() throws IOException {
        return socket.getSoTimeout();
    }

    public void setSoTimeout() throws IOException {
        socket.setSoTimeout(2);
    }

    public void setBroadcast() throws IOException {
        socket.setBroadcast(true);
    }

    public boolean isClosed() {
        return socket.isClosed();
    }

    public boolean isBound() {
        return socket.isBound();
    }

    public int getLocalPort() {
        return socket.getLocalPort();
    }

    public void close() {
        socket.close();
    }
}
