package small;

public class Dog extends Animal {
    private final Color color;

    public Dog(Color color) {
        this.color = color;
    }

    @Override
    public String name() {
        return "dog";
    }
}
