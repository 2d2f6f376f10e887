/** One method that never returns for some arguments. Nobody can say whether such a call is legal. */
public class Spinner {
    private boolean armed;

    public Spinner() {}

    public void arm() {
        armed = true;
    }

    public void spin(int turns) {
        assert armed;
        while (turns != 0) {
            turns -= turns % 2 == 0 ? 2 : 0;
        }
    }
}
