package tautoko;

import java.util.Map;

/** A login in two phases: the password is checked, then the login is committed or aborted. */
public class LoginModule {
    private Map<String, String> users;
    private String user;
    private boolean checked;
    private boolean committed;

    public void initialize(Map<String, String> users, String user) {
        this.users = users;
        this.user = user;
    }

    public boolean login(String password) throws LoginException {
        if (users == null) {
            throw new LoginException("not initialized");
        }
        if (!password.equals(users.get(user))) {
            throw new LoginException("wrong password");
        }
        checked = true;
        return true;
    }

    public boolean commit() throws LoginException {
        if (!checked) {
            throw new LoginException("not logged in");
        }
        committed = true;
        return true;
    }

    public boolean abort() throws LoginException {
        if (committed) {
            throw new LoginException("already committed");
        }
        checked = false;
        return true;
    }

    public boolean logout() throws LoginException {
        if (!committed) {
            throw new LoginException("not committed");
        }
        checked = false;
        committed = false;
        return true;
    }

    /** A login that failed. */
    public static class LoginException extends Exception {
        LoginException(String message) {
            super(message);
        }
    }
}
