import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A message authentication code with a fixed key. */
public final class MacOfKey {
    private static final SecretKeySpec KEY = new SecretKeySpec(new byte[16], "HmacSHA256");
    private final Mac mac;

    public MacOfKey() throws GeneralSecurityException {
        mac = Mac.getInstance("HmacSHA256");
    }

    public void init() throws GeneralSecurityException {
        mac.init(KEY);
    }

    public void update() {
        mac.update(new byte[3]);
    }

    public void updateByte() {
        mac.update((byte) 1);
    }

    public void updatePart() {
        mac.update(new byte[3], 0, 3);
    }

    public byte[] doFinal() {
        return mac.doFinal();
    }

    public byte[] doFinalBytes() {
        return mac.doFinal(new byte[3]);
    }

    public void reset() {
        mac.reset();
    }

    public int getMacLength() {
        return mac.getMacLength();
    }

    public String getAlgorithm() {
        return mac.getAlgorithm();
    }
}
