package spec;

/** Only the content of the array that all() returns tells which call came first. */
public class Roll {
    private int[] names = new int[0];

    public static Roll of(int name) {
        Roll roll = new Roll();
        roll.add(name);
        return roll;
    }

    public void add(int name) {
        names = java.util.Arrays.copyOf(names, names.length + 1);
        names[names.length - 1] = name;
    }

    public int[] all() {
        return names.clone();
    }
}
