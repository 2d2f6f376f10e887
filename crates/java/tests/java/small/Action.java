package small;

public interface Action {
    int act(Object thing, long time);
}
