package tautoko;

import static org.junit.Assert.assertNotNull;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.SignatureException;
import org.junit.Assert;
import org.junit.Test;

public class SignatureTest {
    private static final KeyPair KEYS = keys();

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(1024);
            return generator.generateKeyPair();
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    public void signs() throws Exception {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(KEYS.getPrivate());
        signature.update(new byte[] {1, 2});
        assertNotNull(signature.sign());
    }

    @Test
    public void verifies() throws Exception {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(KEYS.getPublic());
        signature.update((byte) 1);
        signature.verify(new byte[128]);
    }

    @Test
    public void refusesToSignUninitialized() throws Exception {
        Signature signature = Signature.getInstance("SHA256withRSA");
        try {
            signature.sign();
            Assert.fail();
        } catch (SignatureException expected) {
            assertNotNull(signature.getAlgorithm());
        }
    }
}
