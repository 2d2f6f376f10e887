package small;

public class Closed {
    private Closed() {}

    public void run() {}
}
