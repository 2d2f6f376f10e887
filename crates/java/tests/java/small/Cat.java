package small;

public final class Cat extends Animal {
    private Cat() {}

    public static Cat born() {
        return new Cat();
    }

    @Override
    public String name() {
        return "cat";
    }
}
