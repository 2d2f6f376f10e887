import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.TrustManagerFactory;

/** A factory with an empty store. */
public final class TrustManagerFactoryOfNothing {
    private final TrustManagerFactory factory;

    public TrustManagerFactoryOfNothing() throws GeneralSecurityException {
        factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    }

    public void init() throws GeneralSecurityException {
        factory.init((KeyStore) null);
    }

    public Object[] getTrustManagers() {
        return factory.getTrustManagers();
    }

    public String getAlgorithm() {
        return factory.getAlgorithm();
    }
}
