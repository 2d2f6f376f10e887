package small;

public class Crate implements Holder<String> {
    private String held;

    @Override
    public void put(String thing) {
        held = thing;
    }

    @Override
    public String take() {
        return held;
    }
}
