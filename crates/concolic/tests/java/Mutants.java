import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Does what Driver does with damaged classes. Each line begins with the folder of the class. Prints
 * {@code rejected} if the JVM does not accept the class, and gives up if a call does not end.
 */
public class Mutants {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Map<String, URLClassLoader> loaders = new HashMap<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int end = line.indexOf(';');
            String folder = line.substring(0, end);
            if (!loaders.containsKey(folder)) {
                URL[] places = {Path.of(arguments[0], folder).toUri().toURL()};
                URLClassLoader loader = new URLClassLoader(places);
                loader.setDefaultAssertionStatus(true);
                loaders.put(folder, loader);
            }
            String[] parts = line.substring(end + 1).split(";");
            String[] result = {"hangs"};
            Thread thread = new Thread(() -> {
                try {
                    result[0] = Driver.run(Class.forName(parts[0], true, loaders.get(folder)), parts);
                } catch (LinkageError | ClassNotFoundException rejected) {
                    result[0] = "rejected";
                }
            });
            thread.start();
            thread.join(60_000);
            System.out.println(result[0]);
            if (thread.isAlive()) {
                System.out.flush();
                Runtime.getRuntime().halt(0);
            }
        }
    }
}
