import java.util.Iterator;
import java.util.List;
import java.util.Scanner;

/**
 * Paths that the values of texts and the answers of iterators rule out. A line with a finding ends with the
 * comment `certain` or `possible`; every other line has none.
 */
class Compared {
    Object twoTexts(Iterator<Object> it, String name) {
        if (!it.hasNext() && !"root".equals(name)) {
            throw new IllegalArgumentException(name);
        }
        if ("leaf".equals(name)) {
            return it.next();
        }
        return null;
    }

    Object theSameText(Iterator<Object> it, String name) {
        if (!it.hasNext() && !"root".equals(name)) {
            throw new IllegalArgumentException(name);
        }
        if (name.equals("root")) {
            return it.next(); // possible
        }
        return null;
    }

    Object chosenText(Iterator<Object> it) {
        String separator = it.hasNext() ? "," : "";
        if (separator.equals(",")) {
            return it.next();
        }
        return null;
    }

    Object switched(Iterator<Object> it, String name) {
        switch (name) {
            case "root":
                if (!it.hasNext()) {
                    System.out.println(name);
                }
                break;
            default:
                return null;
        }
        switch (name) {
            case "root":
                return it.next(); // possible
            case "leaf":
                return it.next();
            default:
                return null;
        }
    }

    void askedAgain(List<Object> left, List<Object> right) {
        Iterator<Object> one = left.iterator();
        Iterator<Object> other = right.iterator();
        while (one.hasNext() || other.hasNext()) {
            if (one.hasNext()) {
                one.next();
            } else {
                other.next();
            }
        }
    }

    void askedOnlyOne(List<Object> left, List<Object> right) {
        Iterator<Object> one = left.iterator();
        Iterator<Object> other = right.iterator();
        while (one.hasNext() || other.hasNext()) {
            if (other.hasNext()) {
                one.next(); // possible
            } else {
                other.next(); // certain
            }
        }
    }

    String ignored() {
        Scanner scanner = new Scanner("a");
        scanner.close();
        String found = null;
        try {
            found = scanner.next();
        } catch (Exception e) {
        }
        return found;
    }

    String handled() {
        Scanner scanner = new Scanner("a");
        scanner.close();
        try {
            return scanner.next(); // certain
        } catch (Exception e) {
            System.out.println("no text");
        }
        return null;
    }
}
