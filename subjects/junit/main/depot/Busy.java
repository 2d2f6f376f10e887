package depot;

/** Many threads with crates of their own, or one thread that runs out of stack again and again while it uses a crate. */
public class Busy {
    public static void main(String[] args) throws InterruptedException {
        if (args[0].equals("threads")) {
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(Busy::pack);
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        } else {
            Thread thread = new Thread(null, Busy::sink, "deep", 1 << 18);
            thread.start();
            thread.join();
        }
    }

    private static void pack() {
        for (int i = 0; i < 250; i++) {
            Crate crate = new Crate();
            crate.put("hat");
            crate.put("coat");
            crate.isFull();
            crate.close();
        }
    }

    private static void sink() {
        for (int i = 0; i < 4; i++) {
            try {
                deeper(new Crate());
            } catch (StackOverflowError expected) {
                Crate crate = new Crate(7);
                crate.put("hat");
                crate.room();
            }
        }
    }

    private static int deeper(Crate crate) {
        return crate.size() + new Crate(0).room() + deeper(crate) + 1;
    }
}
