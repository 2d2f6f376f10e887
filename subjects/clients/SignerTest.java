import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.List;

/** Tests of {@link Signer}. */
public final class SignerTest {
    public static void main(String[] arguments) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(512);
        KeyPair keys = generator.generateKeyPair();
        Signer signer = new Signer(keys);
        List<byte[]> parts = List.of(new byte[] {1, 2}, new byte[] {3});
        byte[] signed = signer.sign(parts);
        Check.same(true, signer.verify(parts, signed));
        Check.same(false, signer.verify(List.of(), signed));
        Check.same(true, signer.both(new byte[] {1}));
        Check.same(32, signer.authenticate(new byte[3]).length);
        Check.same(16, signer.encrypt(new byte[3]).length);
        Check.same(5, signer.roundTrip(new byte[5]));
    }
}
