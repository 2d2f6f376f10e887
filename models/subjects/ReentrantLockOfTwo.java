import java.util.concurrent.locks.ReentrantLock;

/** A lock that another thread holds, or not. */
public final class ReentrantLockOfTwo {
    private final ReentrantLock lock = new ReentrantLock();

    public ReentrantLockOfTwo(boolean heldElsewhere) throws InterruptedException {
        if (heldElsewhere) {
            Thread other = new Thread(lock::lock);
            other.start();
            other.join();
        }
    }

    public void lock() {
        lock.lock();
    }

    public boolean tryLock() {
        return lock.tryLock();
    }

    public void unlock() {
        lock.unlock();
    }

    public boolean isHeldByCurrentThread() {
        return lock.isHeldByCurrentThread();
    }

    public int getHoldCount() {
        return lock.getHoldCount();
    }
}
