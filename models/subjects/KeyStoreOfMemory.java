import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Enumeration;

/** An empty key store. */
public final class KeyStoreOfMemory {
    private final KeyStore store;

    public KeyStoreOfMemory() throws GeneralSecurityException {
        store = KeyStore.getInstance("PKCS12");
    }

    public void load() throws IOException, GeneralSecurityException {
        store.load(null, new char[0]);
    }

    public Enumeration<String> aliases() throws GeneralSecurityException {
        return store.aliases();
    }

    public int size() throws GeneralSecurityException {
        return store.size();
    }

    public boolean containsAlias() throws GeneralSecurityException {
        return store.containsAlias("a");
    }

    public Object getCertificate() throws GeneralSecurityException {
        return store.getCertificate("a");
    }

    public Object getCertificateChain() throws GeneralSecurityException {
        return store.getCertificateChain("a");
    }

    public Object getKey() throws GeneralSecurityException {
        return store.getKey("a", new char[0]);
    }

    public boolean isKeyEntry() throws GeneralSecurityException {
        return store.isKeyEntry("a");
    }

    public boolean isCertificateEntry() throws GeneralSecurityException {
        return store.isCertificateEntry("a");
    }

    public Object getCreationDate() throws GeneralSecurityException {
        return store.getCreationDate("a");
    }

    public void store() throws IOException, GeneralSecurityException {
        store.store(new ByteArrayOutputStream(), new char[0]);
    }

    public String getType() {
        return store.getType();
    }
}
