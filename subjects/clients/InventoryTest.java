import java.util.List;

/** Tests of {@link Inventory}. */
public final class InventoryTest {
    public static void main(String[] arguments) {
        Inventory inventory = new Inventory();
        Check.same("-", inventory.ends());
        Check.same(0, inventory.leastOrZero());
        inventory.read("3 nails\n\n0 bolts\n7 screws\n5");
        Check.same("bolts..screws", inventory.ends());
        Check.same(0, inventory.leastOrZero());
        Check.same(List.of("bolts"), inventory.tidy());
        Check.same(3, inventory.leastOrZero());
        Check.same("abc", inventory.belt("a", "b", "c"));
        Check.same("", inventory.belt());
        Check.same(List.of(2, 2, 6), inventory.doubled(List.of(1, 2, 3)));
        Check.same(List.of(), inventory.doubled(List.of()));
    }
}
