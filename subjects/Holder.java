import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fields whose size shows, and one whose size must not be asked for. */
public class Holder {
    private final List<Object> list = new ArrayList<>();
    private final Map<Object, Object> map = new HashMap<>();
    private Collection<Object> fixed = null;
    private final StringBuilder text = new StringBuilder();
    private final Traitor traitor = new Traitor();
    private final List<Object> view = Collections.unmodifiableList(traitor);
    private String name = "none";

    public void add(Object value) {
        list.add(value);
        text.append(value);
        map.put(value, value);
    }

    public void fix() { fixed = List.of(1, 2, 3); }
    public void rename(String to) { name = to; }
    public void look() { }
    public int asked() { return traitor.asked; }

    /** Notes when it is asked for its size. */
    static class Traitor extends AbstractList<Object> {
        int asked = 0;

        @Override
        public Object get(int index) { return null; }

        @Override
        public int size() {
            asked++;
            return 0;
        }
    }
}
