package depot;

/** What has room for something. */
abstract class Holder {
    private final int room;

    Holder(int room) {
        if (room < 0) {
            throw new IllegalArgumentException("no room");
        }
        this.room = room;
    }

    public int room() {
        return room;
    }

    public boolean isFull() {
        return size() >= room();
    }

    public abstract int size();
}
