import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Signs, authenticates and encrypts messages. */
public final class Signer {
    private final KeyPair keys;
    private final SecretKeySpec secret = new SecretKeySpec(new byte[16], "AES");

    public Signer(KeyPair keys) {
        this.keys = keys;
    }

    /** The signature of some parts. */
    public byte[] sign(List<byte[]> parts) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(keys.getPrivate());
        for (byte[] part : parts) {
            signature.update(part);
        }
        return signature.sign();
    }

    /** Returns true if the signature is that of the parts. */
    public boolean verify(List<byte[]> parts, byte[] signed) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(keys.getPublic());
        for (byte[] part : parts) {
            signature.update(part);
        }
        return signature.verify(signed);
    }

    /** Signs and verifies with the same object. */
    public boolean both(byte[] message) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(keys.getPrivate());
        signature.update(message);
        byte[] signed = signature.sign();
        signature.initVerify(keys.getPublic());
        signature.update(message);
        return signature.verify(signed);
    }

    /** The code of a message. */
    public byte[] authenticate(byte[] message) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(secret);
        mac.update((byte) message.length);
        mac.update(message);
        byte[] once = mac.doFinal();
        mac.reset();
        return mac.doFinal(once);
    }

    /** The encrypted message. */
    public byte[] encrypt(byte[] message) throws GeneralSecurityException {
        Cipher cipher = prepared(Cipher.ENCRYPT_MODE);
        cipher.update(message);
        return cipher.doFinal();
    }

    /** The length of a message after its way there and back. */
    public int roundTrip(byte[] message) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(Cipher.ENCRYPT_MODE, secret, new IvParameterSpec(new byte[16]));
        byte[] there = cipher.doFinal(message);
        cipher.init(Cipher.DECRYPT_MODE, secret, new IvParameterSpec(new byte[16]));
        return cipher.doFinal(there).length;
    }

    private Cipher prepared(int mode) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(mode, secret, new IvParameterSpec(new byte[16]));
        return cipher;
    }
}
