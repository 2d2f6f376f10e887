package depot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringTokenizer;

/** An application that goes on in another thread after its main method. */
public class Main {
    public static void main(String[] args) throws IOException {
        System.out.println("packing");
        Crate crate = new Crate();
        for (String arg : args) {
            if (arg.startsWith("file:")) {
                Files.writeString(Path.of(arg.substring(5)), "packed");
            }
            StringTokenizer words = new StringTokenizer(arg, ",");
            while (words.hasMoreTokens()) {
                crate.put(words.nextToken());
            }
        }
        new Thread(crate::close).start();
        if (args.length == 0) {
            System.exit(7);
        }
    }
}
