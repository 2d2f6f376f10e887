import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A cipher with a fixed key. */
public final class CipherOfKey {
    private static final SecretKeySpec KEY = new SecretKeySpec(new byte[16], "AES");
    private static final IvParameterSpec IV = new IvParameterSpec(new byte[16]);
    private final Cipher cipher;

    public CipherOfKey() throws GeneralSecurityException {
        cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
    }

    public void init() throws GeneralSecurityException {
        cipher.init(Cipher.ENCRYPT_MODE, KEY);
    }

    public void initWith() throws GeneralSecurityException {
        cipher.init(Cipher.ENCRYPT_MODE, KEY, IV);
    }

    public byte[] update() {
        return cipher.update(new byte[3]);
    }

    public byte[] updatePart() {
        return cipher.update(new byte[3], 0, 3);
    }

    public byte[] doFinal() throws GeneralSecurityException {
        return cipher.doFinal();
    }

    public byte[] doFinalBytes() throws GeneralSecurityException {
        return cipher.doFinal(new byte[3]);
    }

    public byte[] doFinalPart() throws GeneralSecurityException {
        return cipher.doFinal(new byte[3], 0, 3);
    }

    public String getAlgorithm() {
        return cipher.getAlgorithm();
    }

    public int getBlockSize() {
        return cipher.getBlockSize();
    }
}
