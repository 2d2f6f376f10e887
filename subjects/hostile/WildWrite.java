import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Writes where nothing is, which crashes the virtual machine. */
public class WildWrite {
    public void attack() throws ReflectiveOperationException {
        unsafe().putLong(16L, 42L);
    }

    static Unsafe unsafe() throws ReflectiveOperationException {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return (Unsafe) field.get(null);
    }
}
