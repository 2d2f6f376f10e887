import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Links, and so verifies, every class that a file names, and prints those that the verifier refuses. */
public class LinkAll {
    public static void main(String[] args) throws Exception {
        ClassLoader loader = null;
        if (args.length > 1) {
            loader = new URLClassLoader(new URL[] {new File(args[1]).toURI().toURL()});
        }
        int linked = 0;
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                // Asking for the methods links the class first; nothing is initialized.
                Class.forName(name, false, loader).getDeclaredMethods();
                linked++;
            } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                System.out.println("refused " + name + ": " + e);
            } catch (LinkageError | ClassNotFoundException | TypeNotPresentException e) {
                System.out.println("absent " + name + ": " + e);
            }
        }
        System.out.println("linked " + linked);
    }
}
