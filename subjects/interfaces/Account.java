/** An account with checked exceptions, one of which it handles itself. */
public class Account {
    private long balance;
    private boolean frozen;
    private int failures;

    public Account() {}

    public void deposit(int amount) throws Refused {
        if (amount <= 0) {
            throw new Refused(amount);
        }
        balance += amount;
    }

    public void freeze() {
        frozen = true;
    }

    public void thaw() {
        frozen = false;
    }

    /** Fails only when frozen: a missing balance is noted and forgiven. */
    public boolean tryWithdraw(int amount) throws Refused {
        if (frozen) {
            throw new Refused(amount);
        }
        try {
            take(amount);
            return true;
        } catch (Refused refused) {
            failures = Math.min(failures + 1, 3);
            return false;
        }
    }

    public void close() throws Refused {
        if (failures >= 3) {
            throw new Refused(0);
        }
    }

    private void take(int amount) throws Refused {
        if (amount < 0 || amount > balance) {
            throw new Refused(amount);
        }
        balance -= amount;
    }

    /** What the bank says when it says no. */
    public static final class Refused extends Exception {
        public final int amount;

        Refused(int amount) {
            super("refused");
            this.amount = amount;
        }
    }
}
