import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** A signature with a pair of keys, which are fixed because making them takes long. */
public final class SignatureOfBytes {
    private static final String PRIVATE = "MIIBUwIBADANBgkqhkiG9w0BAQEFAASCAT0wggE5AgEAAkEAt5fpGolCi8oqnVZZbnsHV2o8vnmAymAy"
            + "d9UiADwXAcJ4cwdAPzEWpitHwlxzLsujvE+LrqqbNdxXNoa+YOTq2wIDAQABAkBCps9VN2yl1FTpPu6D"
            + "yf1t0l9QJUtI7WiVEZbg7+/ITqQU+b4+0tYp4p+g4gcUM96vkWrSSbUStTJlAnBZ1xuhAiEA7et7o1JR"
            + "//n2UTI7CO31Ugew3ZQXSG7I/TdlByzS03sCIQDFi44jnqnqD4QJNaEKo+F2R0X6dpCu73FsJV+Z/OJ4"
            + "IQIgQ/D6JqKMbhfYgklg2GTzqFAv7qaqm3Gfjcfy3sCrF98CIDDJ6M8PTrPKJTgJEL8J/pMxwyy6v70U"
            + "0hR9noDvnhdBAiBIImppdqUvaPG/ye3tjntKHFsuoGH3Oenbly6BZ8U9Zw==";
    private static final String PUBLIC = "MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBALeX6RqJQovKKp1WWW57B1dqPL55gMpgMnfVIgA8FwHCeHMH"
            + "QD8xFqYrR8Jccy7Lo7xPi66qmzXcVzaGvmDk6tsCAwEAAQ==";
    private final Signature signature;
    private final PrivateKey privateKey;
    private final PublicKey publicKey;

    public SignatureOfBytes() throws GeneralSecurityException {
        signature = Signature.getInstance("SHA256withRSA");
        KeyFactory keys = KeyFactory.getInstance("RSA");
        privateKey = keys.generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(PRIVATE)));
        publicKey = keys.generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(PUBLIC)));
    }

    public void initSign() throws GeneralSecurityException {
        signature.initSign(privateKey);
    }

    public void initVerify() throws GeneralSecurityException {
        signature.initVerify(publicKey);
    }

    public void update() throws GeneralSecurityException {
        signature.update(new byte[] {1});
    }

    public void updateByte() throws GeneralSecurityException {
        signature.update((byte) 1);
    }

    public void updatePart() throws GeneralSecurityException {
        signature.update(new byte[2], 0, 2);
    }

    public byte[] sign() throws GeneralSecurityException {
        return signature.sign();
    }

    public boolean verify() throws GeneralSecurityException {
        return signature.verify(new byte[64]);
    }

    public String getAlgorithm() {
        return signature.getAlgorithm();
    }
}
