/**
 * The receiving side of the alternating bit protocol with a buffer for one message. The parity of a number is its
 * lowest bit, so the protocol goes on forever: when the counter overflows, its parity still alternates.
 */
public class AltBit {
    private int expect;
    private boolean full;

    public AltBit() {}

    public void msg(int seq, int content) {
        assert !full;
        assert (seq & 1) == (expect & 1);
        expect++;
        full = true;
    }

    public void recv_ack(int v) {
        assert full;
        assert v == ((expect - 1) & 1);
        full = false;
    }
}
