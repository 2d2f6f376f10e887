import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import javax.crypto.KeyAgreement;

/** An agreement on a key between two parties. */
public final class KeyAgreementOfKeys {
    private static final KeyPair KEYS = keys();
    private final KeyAgreement agreement;

    public KeyAgreementOfKeys() throws GeneralSecurityException {
        agreement = KeyAgreement.getInstance("ECDH");
    }

    private static KeyPair keys() {
        try {
            return KeyPairGenerator.getInstance("EC").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public void init() throws GeneralSecurityException {
        agreement.init(KEYS.getPrivate());
    }

    public void doPhase() throws GeneralSecurityException {
        agreement.doPhase(KEYS.getPublic(), true);
    }

    public byte[] generateSecret() {
        return agreement.generateSecret();
    }

    public String getAlgorithm() {
        return agreement.getAlgorithm();
    }
}
