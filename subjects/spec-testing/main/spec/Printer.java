package spec;

/** A printer whose documents demand little order: a title and a margin in any order, both before printing. */
public class Printer {
    private String title;
    private int margin = -1;
    private StringBuilder printed = new StringBuilder();
    private boolean off;

    public void setTitle(String title) {
        this.title = title;
    }

    public void setMargin(int margin) {
        if (margin < 0) {
            throw new IllegalArgumentException("negative");
        }
        this.margin = margin;
    }

    public int print(String text) {
        if (title == null || margin < 0) {
            throw new IllegalStateException("not set up");
        }
        if (off) {
            throw new IllegalStateException("off");
        }
        printed.append(title).append(margin).append(text);
        return printed.length();
    }

    public int pages() {
        return printed.length() / 10;
    }

    public void turnOff() {
        off = true;
    }

    /** Calls pages() itself. */
    public boolean isUsed() {
        return pages() > 0;
    }
}
