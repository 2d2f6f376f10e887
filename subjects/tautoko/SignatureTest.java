package tautoko;

import static org.junit.Assert.assertNotNull;

import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.RSAPrivateKeySpec;
import java.security.spec.RSAPublicKeySpec;
import org.junit.Assert;
import org.junit.Test;

public class SignatureTest {
    /** A key that protects nothing. Making one takes longer than a test. */
    private static final BigInteger MODULUS = new BigInteger(
            "vemrazvz5pt4vh6kt68dabnf4tn22hkrwp23am8gofjr5lqgz9s332a602c0lwest7a3bxoxl9o8yp7u"
                    + "so1ion9sz54e0i8z0s637usvgt3id2ehm9zpr1vwgea8rpho34f3pkvkwx4rp4sa0331vxwkjrwtyv0r"
                    + "mi7elsyg3nepoa1qwolin48dunpwrpsvpyofpn", 36);
    private static final BigInteger EXPONENT = new BigInteger(
            "2rdygqojctlv0nrvoewwfn7rgjxtl6qybe2xmrwavq4izodxu3zaipg0yggj3bvbadbff7ht11kbj36o"
                    + "1uveojsglvocczpb4vb0eg0k3bf78w3go7u6e5z8pv538hpr0s4udqsfcgyz54uy6nfdhsm1tudd6mcz"
                    + "3qaxne5nmy4tz9vvyj3hwly2hllbccl143oqt5", 36);
    private static final KeyPair KEYS = keys();

    private static KeyPair keys() {
        try {
            KeyFactory factory = KeyFactory.getInstance("RSA");
            PublicKey key = factory.generatePublic(new RSAPublicKeySpec(MODULUS, BigInteger.valueOf(65537)));
            return new KeyPair(key, factory.generatePrivate(new RSAPrivateKeySpec(MODULUS, EXPONENT)));
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
