package tautoko;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Correct uses, as most suites have them. The server says yes to everything. */
public class SmtpClientTest {
    private ServerSocket server;

    @Before
    public void serve() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::answer);
        thread.setDaemon(true);
        thread.start();
    }

    @After
    public void stop() throws IOException {
        server.close();
    }

    private void answer() {
        while (true) {
            try (Socket socket = server.accept()) {
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                socket.getOutputStream().write("220 ready\r\n".getBytes());
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    socket.getOutputStream().write("250 ok\r\n".getBytes());
                }
            } catch (IOException over) {
                if (server.isClosed()) {
                    return;
                }
            }
        }
    }

    private SmtpClient client() {
        return new SmtpClient(server.getInetAddress().getHostAddress(), server.getLocalPort());
    }

    @Test
    public void sends() throws IOException {
        SmtpClient client = client();
        client.openPort();
        client.helo("here");
        client.auth("me");
        client.mail("me@here");
        client.quit();
    }

    @Test
    public void greets() throws IOException {
        SmtpClient client = client();
        client.openPort();
        client.helo("here");
        client.noop();
        client.dropConnection();
    }

    @Test
    public void connects() throws IOException {
        SmtpClient client = client();
        client.openPort();
        client.quit();
    }
}
