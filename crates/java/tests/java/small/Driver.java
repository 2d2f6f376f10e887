package small;

/** Knows how engines are used. */
class Driver {
    static void drive(byte[] bits, String metal, boolean fast) {
        Engine engine = Engine.named("turbo");
        engine.start(new Badge(bits, "gold"), 42, Color.GREEN);
        Engine.named("turbo").start(null, 42, Color.GREEN);
        Engine.named("eco").start(new Badge(bits, metal), fast ? 1 : 2, Color.RED);
    }
}
