package depot;

import java.util.ArrayList;
import java.util.List;

/** Calls that are hard to hear: from what is called back, behind exceptions, and on threads that change places. */
public class Calls {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "back":
                back();
                break;
            case "throws":
                catches(0);
                break;
            case "reflection":
                reflects();
                break;
            case "virtual":
                virtual();
                break;
            default:
                new Crate().put("hat");
                throw new IllegalStateException("no such thing: " + args[0]);
        }
    }

    /** One object is called by what another calls back. */
    private static void back() {
        Crate from = Crate.of("hat", "coat");
        Crate to = new Crate();
        from.each(thing -> to.put(thing));
        to.first();
        Crate again = new Crate();
        from.each(again::put);
        again.first();
        ArrayList<String> list = new ArrayList<>();
        list.add("hat");
        ArrayList<String> other = new ArrayList<>();
        list.forEach(thing -> other.add(thing));
        other.isEmpty();
        other.get(0);
    }

    /** The method that catches is on the stack twice, and the nearer one does not catch. */
    private static void catches(int depth) {
        if (depth > 0) {
            throw new IllegalStateException("inner");
        }
        try {
            new Crate(() -> catches(1));
        } catch (IllegalStateException expected) {
            Crate crate = new Crate();
            crate.put("hat");
            crate.close();
        }
    }

    /** The exception is wrapped into another by the machine itself. */
    private static void reflects() throws Exception {
        try {
            Crate.class.getConstructor(int.class).newInstance(-1);
        } catch (java.lang.reflect.InvocationTargetException expected) {
            new Crate().close();
        }
    }

    /** Each waits in the middle of a call, so that others go on with its carrier. Found by name, for older JDKs. */
    private static void virtual() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            threads.add((Thread) Thread.class
                    .getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, (Runnable) Calls::waits));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void waits() {
        Crate crate = new Crate(() -> rest());
        crate.put("hat");
        crate.each(thing -> rest());
        crate.isFull();
        crate.each(thing -> rest());
        crate.close();
    }

    private static void rest() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
