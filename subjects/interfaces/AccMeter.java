/** An accelerometer of a phone: connect it, with a listener or without, and read scaled values. */
public class AccMeter {
    private static final int MOST = 1000;
    private static final int NOISE = 50;

    private int delta;
    private int samples;
    private boolean connected;
    private boolean listening;
    private int accX;
    private int accY;
    private boolean valid;

    public AccMeter() {}

    public AccMeter(int samples, int sensitivity) {
        this.samples = samples;
        delta = MOST / sensitivity;
    }

    public void init(int samples) {
        this.samples = samples;
    }

    public void connect(boolean listen) {
        if (!connected) {
            connected = true;
            if (listen) {
                listening = true;
            }
        }
    }

    public void disconnect() {
        assert connected;
        connected = false;
        listening = false;
    }

    public void update() {
        assert connected;
    }

    public int getValueX() {
        return accX / delta;
    }

    public int getValueY() {
        return accY / delta;
    }

    public void dataReceived(int x, int y, boolean valid) {
        assert listening;
        accX = clamp(x);
        accY = clamp(y);
        this.valid = valid;
    }

    /** At most {@link #MOST} in either direction, and nothing at all below {@link #NOISE}. */
    private static int clamp(int value) {
        if (value > 0) {
            if (value > MOST) {
                return MOST;
            }
            return value < NOISE ? 0 : value;
        }
        if (value < -MOST) {
            return -MOST;
        }
        return value > -NOISE ? 0 : value;
    }
}
