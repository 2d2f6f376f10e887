/** A lock that only the token that closed it opens: whether a call is legal depends on the parameter of another. */
public class TokenLock {
    private boolean locked;
    private int holder;

    public TokenLock() {}

    public void lock(int token) {
        assert !locked;
        locked = true;
        holder = token;
    }

    public void unlock(int token) {
        assert locked && holder == token;
        locked = false;
    }
}
