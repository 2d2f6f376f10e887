import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.stream.Collectors;

/** Looks for a network. It never contacts an outside address: what is there to be used tells enough. */
public class NetworkUser {
    public String interfaces() throws SocketException {
        return Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .map(NetworkInterface::getName).sorted().collect(Collectors.joining(","));
    }

    /** The lines of the routing table after its heading. */
    public int routes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/net/route")).size() - 1;
    }

    public boolean loopbackWorks() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            client.getOutputStream().write(42);
            return accepted.getInputStream().read() == 42;
        }
    }

    public void connectToService(String path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
        }
    }
}
