package small;

class Inside {
    public Inside(char[] text) {}

    public boolean hasMore() {
        return false;
    }
}
