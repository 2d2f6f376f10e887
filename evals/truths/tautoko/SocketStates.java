import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Calls every method of Socket in every state, with right arguments, and prints state, method and end. */
public class SocketStates {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static ServerSocket server;

    interface Maker {
        Socket make() throws IOException;
    }

    public static void main(String[] arguments) throws Exception {
        server = new ServerSocket(0, 50, HERE);
        List<Maker> makers = new ArrayList<>(List.of(
                Socket::new,
                SocketStates::bound,
                () -> connected(new Socket()),
                () -> connected(bound()),
                () -> shut(true, false),
                () -> shut(false, true),
                () -> shut(true, true)));
        for (Maker maker : List.copyOf(makers)) {
            makers.add(() -> {
                Socket socket = maker.make();
                socket.close();
                return socket;
            });
        }
        List<Method> methods = new ArrayList<>();
        for (Method method : Socket.class.getMethods()) {
            if (method.getDeclaringClass() == Socket.class && !Modifier.isStatic(method.getModifiers())) {
                methods.add(method);
            }
        }
        for (Method method : methods) {
            for (Maker maker : makers) {
                try (Socket socket = maker.make()) {
                    System.out.println(state(socket) + " " + label(method, methods) + " " + end(socket, method));
                }
            }
        }
    }

    private static Socket bound() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(HERE, 0));
        return socket;
    }

    private static Socket connected(Socket socket) throws IOException {
        socket.connect(server.getLocalSocketAddress());
        server.accept();
        return socket;
    }

    private static Socket shut(boolean input, boolean output) throws IOException {
        Socket socket = connected(bound());
        if (input) {
            socket.shutdownInput();
        }
        if (output) {
            socket.shutdownOutput();
        }
        return socket;
    }

    private static String state(Socket socket) {
        if (socket.isClosed()) {
            return "closed";
        }
        if (socket.isInputShutdown()) {
            return socket.isOutputShutdown() ? "bothShut" : "inputShut";
        }
        if (socket.isOutputShutdown()) {
            return "outputShut";
        }
        return socket.isConnected() ? "connected" : socket.isBound() ? "bound" : "fresh";
    }

    /** The method, with the types of its parameters if others have its name. */
    private static String label(Method method, List<Method> all) {
        if (all.stream().filter(other -> other.getName().equals(method.getName())).count() == 1) {
            return method.getName();
        }
        List<String> types = Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList();
        return method.getName() + "(" + String.join(",", types) + ")";
    }

    private static String end(Socket socket, Method method) throws ReflectiveOperationException {
        try {
            method.invoke(socket, arguments(method));
            return state(socket);
        } catch (InvocationTargetException thrown) {
            return "!" + thrown.getCause().getClass().getSimpleName();
        }
    }

    private static Object[] arguments(Method method) {
        List<Object> values = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            if (type == int.class) {
                values.add(100);
            } else if (type == SocketAddress.class) {
                boolean own = method.getName().equals("bind");
                values.add(own ? new InetSocketAddress(HERE, 0) : server.getLocalSocketAddress());
            } else if (type == SocketOption.class) {
                values.add(StandardSocketOptions.TCP_NODELAY);
            } else {
                values.add(true);
            }
        }
        return values.toArray();
    }
}
