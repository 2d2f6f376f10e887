import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs tests of changed clients, each in a class loader of its own, and says what was thrown where.
 *
 * <p>Argument: the folder of the unchanged classes. Each line of standard input names the test, the changed
 * class and its file, separated by tabs. Each line of standard output is {@code ok}, {@code failed},
 * {@code hung}, or {@code threw} with the exception, the method that threw it, and the class, method and line
 * that called it.
 */
public final class Mutants {
    private static final long LIMIT_MILLIS = 4000;

    private Mutants() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path base = Path.of(arguments[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        java.io.PrintStream out = System.out;
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t");
            out.println(run(base, parts[0], parts[1], Path.of(parts[2])));
            out.flush();
        }
        // Threads of changed clients may still wait.
        Runtime.getRuntime().halt(0);
    }

    @SuppressWarnings("removal")
    private static String run(Path base, String test, String changed, Path file) throws InterruptedException {
        String[] answer = {"hung"};
        Thread thread = new Thread(() -> {
            try {
                Loader loader = new Loader(base, changed, file);
                Class<?> tests = loader.loadClass(test);
                tests.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                answer[0] = "ok";
            } catch (java.lang.reflect.InvocationTargetException e) {
                answer[0] = describe(e.getCause(), changed);
            } catch (Throwable e) {
                answer[0] = "broken\t" + e;
            }
        });
        thread.setDaemon(true);
        thread.start();
        thread.join(LIMIT_MILLIS);
        String result = answer[0];
        if (thread.isAlive()) {
            try {
                // A loop that lost its end would take a core for as long as the others run.
                thread.stop();
            } catch (UnsupportedOperationException e) {
                System.err.println("a mutant loops on");
            }
        }
        return result;
    }

    /** The innermost exception that the library threw when the client called it. */
    private static String describe(Throwable thrown, String client) {
        if (thrown instanceof VerifyError || thrown instanceof ClassFormatError) {
            return "broken\t" + thrown.toString().split("\n")[0];
        }
        String found = thrown instanceof AssertionError ? "failed" : "other\t" + thrown.getClass().getName();
        for (Throwable one = thrown; one != null; one = one.getCause()) {
            StackTraceElement[] trace = one.getStackTrace();
            for (int at = 0; at < trace.length; at++) {
                String name = trace[at].getClassName();
                if (name.equals(client) || name.startsWith(client + "$")) {
                    if (at > 0) {
                        found = String.join("\t", "threw", one.getClass().getName(),
                                trace[at - 1].getMethodName(), name, trace[at].getMethodName(),
                                Integer.toString(trace[at].getLineNumber()));
                    }
                    break;
                }
                if (!isLibrary(name)) {
                    break;
                }
            }
        }
        return found;
    }

    private static boolean isLibrary(String name) {
        return name.contains(".");
    }

    /** Loads one changed class, and the others as they are. */
    private static final class Loader extends ClassLoader {
        private final Path base;
        private final String changed;
        private final Path file;

        Loader(Path base, String changed, Path file) {
            super(ClassLoader.getPlatformClassLoader());
            this.base = base;
            this.changed = changed;
            this.file = file;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
                Path path = name.equals(changed) ? file : base.resolve(name + ".class");
                byte[] bytes = Files.readAllBytes(path);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
