import java.util.StringTokenizer;

/** Does a little and then nothing more. */
public class SplitsAndHangs {
    public static void main(String[] args) throws InterruptedException {
        StringTokenizer words = new StringTokenizer("hat coat");
        words.nextToken();
        synchronized (words) {
            while (true) {
                words.wait();
            }
        }
    }
}
