import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManagerFactory;

/** A factory with an empty store. */
public final class KeyManagerFactoryOfNothing {
    private final KeyManagerFactory factory;

    public KeyManagerFactoryOfNothing() throws GeneralSecurityException {
        factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    }

    public void init() throws GeneralSecurityException {
        factory.init(null, new char[0]);
    }

    public Object[] getKeyManagers() {
        return factory.getKeyManagers();
    }

    public String getAlgorithm() {
        return factory.getAlgorithm();
    }
}
