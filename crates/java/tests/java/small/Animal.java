package small;

public abstract class Animal {
    public abstract String name();
}
