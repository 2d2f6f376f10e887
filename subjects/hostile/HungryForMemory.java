import java.util.ArrayList;
import java.util.List;

/** Takes all the memory there is, in the heap and outside of it. */
public class HungryForMemory {
    private final List<byte[]> taken = new ArrayList<>();

    public void attack() {
        while (true) {
            taken.add(new byte[1 << 20]);
        }
    }

    public void attackOutsideTheHeap() throws ReflectiveOperationException {
        sun.misc.Unsafe unsafe = WildWrite.unsafe();
        while (true) {
            long address = unsafe.allocateMemory(64 << 20);
            unsafe.setMemory(address, 64 << 20, (byte) 1);
        }
    }
}
