/** Needs a class that will not be there. */
public class NeedsMissing {
    public Object attack() {
        return new Missing();
    }
}

class Missing {}
