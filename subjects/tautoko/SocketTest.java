package tautoko;

import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.Test;

public class SocketTest {
    private static InetAddress here() {
        return InetAddress.getLoopbackAddress();
    }

    @Test
    public void connects() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, here())) {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(here(), 0));
            socket.setSoTimeout(500);
            socket.connect(server.getLocalSocketAddress(), 500);
            assertTrue(socket.isConnected());
            socket.getOutputStream().write(1);
            socket.getInputStream();
            socket.shutdownOutput();
            socket.shutdownInput();
            socket.close();
        }
    }

    @Test
    public void isMade() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.close();
        assertTrue(socket.isClosed());
    }
}
