import java.util.Iterator;
import java.util.List;
import java.util.Scanner;

/** A line with a finding of any grade ends with a comment that names the grade. */
class Unchecked {
    Object first(List<Object> all) {
        return all.iterator().next(); // unchecked
    }

    Object second(Iterator<Object> it) {
        it.next();
        return it.next(); // unchecked
    }

    Object ofAnybody(Iterator<Object> it) {
        return it.next();
    }

    Object asked(Iterator<Object> it) {
        it.next();
        return it.hasNext() ? it.next() : null;
    }

    Object answerDropped(List<Object> all) {
        Iterator<Object> it = all.iterator();
        it.hasNext();
        return it.next(); // unchecked
    }

    void loop(List<Object> all) {
        for (Object one : all) {
            System.out.println(one);
        }
    }

    void pairs(Iterator<Object> it) {
        while (it.hasNext()) {
            it.next();
            it.next(); // unchecked
        }
    }

    String worse(String text, boolean close) {
        Scanner scanner = new Scanner(text);
        if (close) {
            scanner.close();
        }
        return scanner.next(); // possible
    }

    String afterUnknownCode(java.util.function.Consumer<Scanner> user) {
        Scanner scanner = new Scanner("a");
        user.accept(scanner);
        return scanner.next();
    }

    Object reckonedWith(List<Object> all) {
        try {
            return all.iterator().next();
        } catch (java.util.NoSuchElementException e) {
            return null;
        }
    }
}
