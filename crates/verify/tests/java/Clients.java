import java.io.Closeable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Scanner;

/** A line with a finding ends with the comment `certain` or `possible`; every other line has none. */
class Clients {
    static class Branches {
        Object afterFalse(Iterator<Object> it) {
            if (it.hasNext()) {
                return it.next();
            }
            return it.next(); // certain
        }

        Object negated(Iterator<Object> it) {
            if (!it.hasNext()) {
                return it.next(); // certain
            }
            return it.next();
        }

        Object inVariable(Iterator<Object> it) {
            boolean more = it.hasNext();
            if (more) {
                return it.next();
            }
            return it.next(); // certain
        }

        Object staleVariable(Iterator<Object> it) {
            boolean more = it.hasNext();
            if (it.hasNext()) {
                it.next();
            }
            return more ? it.next() : null;
        }

        Object askedTooEarly(Iterator<Object> it) {
            boolean more = it.hasNext();
            Object one = it.next(); // possible
            return more ? one : null;
        }

        Object unasked(Iterator<Object> it) {
            it.hasNext();
            return it.next();
        }

        String closedOnOneArm(boolean close) {
            Scanner scanner = new Scanner("a b");
            if (close) {
                scanner.close();
            }
            return scanner.next(); // possible
        }

        String flagDecides(boolean close) {
            Scanner scanner = new Scanner("a b");
            if (close) {
                scanner.close();
            }
            if (!close) {
                return scanner.next();
            }
            return null;
        }

        String localFlag() {
            Scanner scanner = new Scanner("a b");
            boolean closed = false;
            if (System.nanoTime() % 2 == 0) {
                scanner.close();
                closed = true;
            }
            return closed ? null : scanner.next();
        }

        String bothArms(boolean way) {
            Scanner scanner = new Scanner("a b");
            if (way) {
                scanner.next();
                scanner.close();
            } else {
                scanner.close();
            }
            return scanner.next(); // certain
        }

        String choice(int key) {
            Scanner scanner = new Scanner("a");
            switch (key) {
                case 1:
                    scanner.close();
                    break;
                case 2:
                    return scanner.next();
                default:
                    scanner.close();
            }
            return scanner.nextLine(); // certain
        }

        boolean shortCircuit(Iterator<Object> it) {
            return it.hasNext() && it.next() != null;
        }

        boolean wrongOperator(Iterator<Object> it) {
            return it.hasNext() || it.next() != null; // certain
        }
    }

    static class Loops {
        void usual(Collection<Object> all) {
            for (Iterator<Object> it = all.iterator(); it.hasNext(); ) {
                Object one = it.next();
                if (one == null) {
                    it.remove();
                }
            }
        }

        void removesTwice(List<Object> all) {
            Iterator<Object> it = all.iterator();
            while (it.hasNext()) {
                it.next();
                it.remove();
                it.remove(); // certain
            }
        }

        void removesFirst(List<Object> all) {
            Iterator<Object> it = all.iterator();
            if (it.hasNext()) {
                it.remove(); // certain
            }
        }

        Object afterTheLoop(List<Object> all) {
            Iterator<Object> it = all.iterator();
            while (it.hasNext()) {
                it.next();
            }
            return it.next(); // certain
        }

        void closesInside(List<String> all) {
            Scanner scanner = new Scanner("a b c");
            for (String one : all) {
                scanner.next(); // possible
                scanner.close();
            }
        }

        void newOnePerRound(List<String> all) {
            for (String one : all) {
                Scanner scanner = new Scanner(one);
                scanner.next();
                scanner.close();
            }
        }

        void carriedOver(List<String> all) {
            Scanner last = null;
            for (String one : all) {
                if (last != null) {
                    last.close();
                }
                last = new Scanner(one);
                last.next();
            }
        }

        void alternating(Iterator<Object> it) {
            boolean more = it.hasNext();
            while (more) {
                it.next();
                more = it.hasNext();
            }
        }
    }

    static class Exceptions {
        String finallyCloses() {
            Scanner scanner = new Scanner("a");
            try {
                return scanner.next();
            } finally {
                scanner.close();
            }
        }

        String afterFinally() {
            Scanner scanner = new Scanner("a");
            try {
                scanner.next();
            } finally {
                scanner.close();
            }
            return scanner.next(); // certain
        }

        String withResources() {
            Scanner kept;
            try (Scanner scanner = new Scanner("a b")) {
                kept = scanner;
                scanner.next();
            }
            return kept.next(); // certain
        }

        String reads(String text) {
            try (Scanner scanner = new Scanner(text)) {
                StringBuilder all = new StringBuilder();
                while (scanner.hasNext()) {
                    all.append(scanner.next());
                }
                return all.toString();
            }
        }

        String inHandler() {
            Scanner scanner = new Scanner("a");
            try {
                Integer.parseInt(scanner.next());
            } catch (NumberFormatException e) {
                scanner.close();
                return scanner.next(); // certain
            }
            return scanner.next();
        }

        String beforeOrAfter(int[] numbers) {
            Scanner scanner = new Scanner("a");
            try {
                numbers[3] = 1;
                scanner.close();
            } catch (ArrayIndexOutOfBoundsException e) {
                numbers[0] = 2;
            }
            return scanner.next(); // possible
        }

        Object expected(Iterator<Object> it) {
            while (it.hasNext()) {
                it.next();
            }
            try {
                return it.next();
            } catch (NoSuchElementException e) {
                return null;
            }
        }

        String nullChecked(boolean open) {
            Scanner scanner = null;
            try {
                if (open) {
                    scanner = new Scanner("a");
                }
                return scanner == null ? "" : scanner.next();
            } finally {
                if (scanner != null) {
                    scanner.close();
                }
            }
        }
    }

    static class Helpers {
        private static void close(Closeable one) {
            try {
                one.close();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static String read(Scanner scanner) {
            return scanner.next(); // certain
        }

        private static Scanner closed() {
            Scanner scanner = new Scanner("a");
            scanner.close();
            return scanner;
        }

        private static boolean more(Iterator<Object> it) {
            return it.hasNext();
        }

        private static Scanner same(Scanner scanner) {
            return scanner;
        }

        String helperCloses() {
            Scanner scanner = new Scanner("a");
            close(scanner);
            return scanner.next(); // certain
        }

        String helperReads() {
            Scanner scanner = new Scanner("a");
            scanner.close();
            return read(scanner);
        }

        String helperReadsWell() {
            return read(new Scanner("a"));
        }

        String helperMakes() {
            return closed().next(); // certain
        }

        Object helperAnswers(Iterator<Object> it) {
            if (more(it)) {
                return it.next();
            }
            return it.next(); // certain
        }

        String helperReturnsItsArgument() {
            Scanner scanner = new Scanner("a");
            same(scanner).close();
            return scanner.next(); // certain
        }

        String unknownHelper(java.util.function.Consumer<Scanner> user) {
            Scanner scanner = new Scanner("a");
            scanner.close();
            user.accept(scanner);
            return scanner.next();
        }

        protected void hook(Scanner scanner) {
            scanner.close();
        }

        static class Below extends Helpers {
            @Override
            protected void hook(Scanner scanner) {}
        }

        String overridden() {
            Scanner scanner = new Scanner("a");
            hook(scanner);
            return scanner.next();
        }

        private static void down(Scanner scanner, int depth) {
            if (depth > 0) {
                down(scanner, depth - 1);
            }
            scanner.close();
        }

        String recursive() {
            Scanner scanner = new Scanner("a");
            down(scanner, 3);
            return scanner.next(); // certain
        }

        private static String pingPong(Iterator<Object> it, int depth) {
            return it.hasNext() ? pongPing(it, depth) : "";
        }

        private static String pongPing(Iterator<Object> it, int depth) {
            it.next();
            return depth == 0 ? "" : pingPong(it, depth - 1);
        }
    }

    static class Fields {
        private Scanner scanner = new Scanner("a b");
        private static Scanner shared;
        private boolean closed;

        String useAfterClose() {
            scanner.close();
            return scanner.next(); // certain
        }

        String replaced() {
            scanner.close();
            scanner = new Scanner("c");
            return scanner.next();
        }

        String unknownCallBetween(Runnable other) {
            scanner.close();
            other.run();
            return scanner.next();
        }

        String statics() {
            shared = new Scanner("a");
            shared.close();
            return shared.next(); // certain
        }

        private void shut() {
            scanner.close();
        }

        String ownMethod() {
            shut();
            return scanner.next(); // certain
        }

        String guarded() {
            if (!closed) {
                scanner.close();
                closed = true;
            }
            return closed ? null : scanner.next();
        }

        String ofAnother(Fields other) {
            scanner.close();
            other.scanner = new Scanner("b");
            return scanner.next();
        }

        String throughAnObject() {
            Fields mine = new Fields();
            mine.shut();
            return mine.scanner.next(); // certain
        }
    }

    static class Aliases {
        String copied() {
            Scanner scanner = new Scanner("a");
            Scanner other = scanner;
            other.close();
            return scanner.next(); // certain
        }

        String mayBeTheSame(Scanner one, Scanner other) {
            one.close();
            other.hasNext();
            return other.next();
        }

        Object mayReplace(Iterator<Object> one, Iterator<Object> other) {
            if (!one.hasNext()) {
                other.next();
                return one.next();
            }
            return null;
        }

        String eitherOne(boolean first) {
            Scanner one = new Scanner("a");
            Scanner two = new Scanner("b");
            Scanner chosen = first ? one : two;
            chosen.close();
            return two.next(); // possible
        }

        String fluent() {
            Scanner scanner = new Scanner("a");
            scanner.useDelimiter(",").close();
            return scanner.next(); // certain
        }
    }

    static class Escapes {
        private final List<Scanner> all = new ArrayList<>();

        String intoAList() {
            Scanner scanner = new Scanner("a");
            scanner.close();
            all.add(scanner);
            return scanner.next(); // certain
        }

        String thenUnknown(Runnable other) {
            Scanner scanner = new Scanner("a");
            all.add(scanner);
            scanner.close();
            other.run();
            return scanner.hasNext() ? scanner.next() : null;
        }

        String outOfAMap(Map<String, Scanner> map) {
            map.get("a").close();
            return map.get("a").next();
        }

        String throughTheList(List<Scanner> list) {
            Scanner scanner = new Scanner("a");
            list.add(scanner);
            list.get(0).close();
            return scanner.next();
        }

        Runnable captured() {
            Scanner scanner = new Scanner("a");
            Runnable later = () -> scanner.close();
            scanner.next();
            later.run();
            scanner.hasNext();
            return later;
        }

        void inArray() {
            Scanner[] array = {new Scanner("a")};
            array[0].close();
            array[0].next();
        }

        void mapOf() {
            Map<String, Iterator<Object>> map = new HashMap<>();
            map.get("a").next();
        }
    }

    static class SameReader {
        private Iterator<Object> it;

        SameReader(Iterator<Object> it) {
            this.it = it;
        }

        boolean hasNext() {
            return it.hasNext();
        }

        Object next() {
            if (!it.hasNext()) {
                throw new NoSuchElementException();
            }
            return it.next();
        }

        Object last() {
            Object found = null;
            while (it.hasNext()) {
                found = it.next();
            }
            return found;
        }

        Object afterLast() {
            last();
            return it.next(); // certain
        }
    }

    static class Delegate implements Iterator<Object> {
        private final Iterator<Object> it;

        Delegate(Iterator<Object> it) {
            this.it = it;
        }

        @Override
        public boolean hasNext() {
            return it.hasNext();
        }

        @Override
        public Object next() {
            if (it.hasNext()) {
                return it.next();
            }
            return it.next();
        }

        Object notTheSameMethod() {
            if (it.hasNext()) {
                return it.next();
            }
            return it.next(); // certain
        }
    }

    static class NeverReturn {
        private static void fail(String why) {
            throw new IllegalArgumentException(why);
        }

        Object helperThrows(Iterator<Object> it) {
            if (!it.hasNext()) {
                fail("nothing");
            }
            return it.next();
        }

        Object exits(Iterator<Object> it) {
            if (!it.hasNext()) {
                System.exit(1);
            }
            return it.next();
        }
    }

    static class OtherMethods {
        String before() {
            Scanner scanner = new Scanner("a");
            scanner.useRadix(2);
            scanner.close();
            return scanner.next(); // certain
        }

        String between() {
            Scanner scanner = new Scanner("a");
            scanner.close();
            scanner.reset();
            return scanner.next();
        }

        String question() {
            Scanner scanner = new Scanner("a");
            scanner.close();
            scanner.hasNextInt();
            return scanner.next(); // certain
        }
    }

    static class FinalField {
        private final Scanner scanner = new Scanner("a");

        void close() {
            scanner.close();
        }

        Object afterUnknownCode(Runnable code) {
            scanner.close();
            code.run();
            return scanner.next();
        }

        Object closedHere() {
            scanner.close();
            return scanner.next(); // certain
        }
    }

    static class Reopened {
        private Scanner scanner;

        void reopen() {
            if (scanner != null) {
                try {
                    scanner.close();
                    scanner = null;
                } catch (IllegalStateException e) {
                    System.out.println(e);
                }
            }
            read();
        }

        private void read() {
            if (scanner == null) {
                scanner = new Scanner("a");
            }
            scanner.next();
        }
    }
}
