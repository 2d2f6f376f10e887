/**
 * {@link AltBit} with the parity computed by the remainder operator, whose result has the sign of the dividend. Odd
 * negative numbers have the parity -1, and the protocol breaks when the counter overflows, after 2^31 messages.
 */
public class AltBitRemainder {
    private int expect;
    private boolean full;

    public AltBitRemainder() {}

    public void msg(int seq, int content) {
        assert !full;
        assert seq % 2 == expect % 2;
        expect++;
        full = true;
    }

    public void recv_ack(int v) {
        assert full;
        assert v == (expect - 1) % 2;
        full = false;
    }
}
