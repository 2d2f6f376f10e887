package small;

public class Zoo {
    private Animal animal;

    public static Animal visit(int cage) {
        return Cat.born();
    }

    public void keep(Animal animal) {
        this.animal = animal;
    }

    public Ticket sell(int price) {
        return new Ticket();
    }

    /** Only a zoo gives them. */
    public static class Ticket {
        Ticket() {}

        public boolean use() {
            return true;
        }
    }
}
