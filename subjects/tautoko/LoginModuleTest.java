package tautoko;

import static org.junit.Assert.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

/** Correct uses only. */
public class LoginModuleTest {
    private static LoginModule module() {
        Map<String, String> users = new HashMap<>();
        users.put("ann", "secret");
        LoginModule module = new LoginModule();
        module.initialize(users, "ann");
        return module;
    }

    @Test
    public void logsInAndOut() throws Exception {
        LoginModule module = module();
        assertTrue(module.login("secret"));
        assertTrue(module.commit());
        assertTrue(module.logout());
    }

    @Test
    public void aborts() throws Exception {
        LoginModule module = module();
        assertTrue(module.login("secret"));
        assertTrue(module.abort());
    }
}
