package small;

/** Needs nodes, which are made of nodes. */
public class Tree {
    public void add(Node node) {}

    public void join(Left left) {}

    /** What needs itself, if only in an array. */
    public static class Node {
        public Node(Node... children) {}
    }

    /** What needs itself by way of another, in arrays of arrays. */
    public static class Left {
        public Left(Right[][] rights) {}
    }

    public static class Right {
        public Right(String name, Left... lefts) {}
    }
}
