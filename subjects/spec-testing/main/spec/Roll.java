package spec;

/** Only the content of the array that all() returns tells which call came first. */
public class Roll implements Named {
    private int[] names = new int[0];

    public static Roll of(int name) {
        Roll roll = new Roll();
        roll.add(name);
        return roll;
    }

    public static Named anonymous() {
        return new Roll();
    }

    public void add(int name) {
        names = java.util.Arrays.copyOf(names, names.length + 1);
        names[names.length - 1] = name;
    }

    @Override
    public int[] all() {
        return names.clone();
    }
}
