package tautoko;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client of the mail protocol: a connection, a login, and messages that are begun, addressed and sent. */
public class SmtpClient {
    private final String host;
    private final int port;
    private Socket socket;
    private BufferedReader in;
    private OutputStream out;
    private boolean greeted;
    private boolean authorized;

    public SmtpClient(String host, int port) {
        this.host = host;
        this.port = port;
    }

    public void openPort() throws IOException {
        if (socket != null) {
            throw new IllegalStateException("already connected");
        }
        Socket opened = new Socket(host, port);
        in = new BufferedReader(new InputStreamReader(opened.getInputStream(), StandardCharsets.US_ASCII));
        out = opened.getOutputStream();
        socket = opened;
        answer();
    }

    public void helo(String name) throws IOException {
        command("HELO " + name);
        greeted = true;
    }

    public void auth(String user) throws IOException {
        if (!greeted) {
            throw new IOException("503 say hello first");
        }
        command("AUTH " + user);
        authorized = true;
    }

    public void mail(String from) throws IOException {
        if (!authorized) {
            throw new IOException("530 authentication required");
        }
        command("MAIL " + from);
    }

    public void noop() throws IOException {
        command("NOOP");
    }

    public void quit() throws IOException {
        command("QUIT");
        dropConnection();
    }

    public void dropConnection() throws IOException {
        socket.close();
        socket = null;
        greeted = false;
        authorized = false;
    }

    private void command(String line) throws IOException {
        if (socket == null) {
            throw new IOException("not connected");
        }
        out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        answer();
    }

    private void answer() throws IOException {
        String line = in.readLine();
        if (line == null || !line.startsWith("2")) {
            throw new IOException(String.valueOf(line));
        }
    }
}
