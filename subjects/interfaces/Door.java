/** A door and its motor, a class of its own: opening takes a motor that runs, and a code in a switch. */
public class Door {
    private final Motor motor;
    private boolean open;

    public Door(int power) {
        motor = power > 100 ? new StrongMotor() : new Motor();
    }

    public void command(int code) {
        switch (code) {
            case 1 -> motor.start();
            case 2 -> motor.stop();
            case 3 -> open = motor.move(open, true);
            case 4 -> open = motor.move(open, false);
            case 1000 -> motor.repair();
            default -> throw new IllegalArgumentException("unknown code");
        }
    }

    public void pass() {
        assert open;
    }

    /** A motor that must not be started twice. */
    private static class Motor {
        protected boolean running;

        void start() {
            assert !running;
            running = true;
        }

        void stop() {
            running = false;
        }

        boolean move(boolean from, boolean to) {
            assert running && from != to;
            return to;
        }

        void repair() {
            running = false;
        }
    }

    /** A motor that does not mind. */
    private static final class StrongMotor extends Motor {
        @Override
        void start() {
            running = true;
        }
    }
}
