import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Optional;
import java.util.Scanner;
import java.util.Stack;
import java.util.StringTokenizer;

/** Songs to come and songs that were played. */
public final class Playlist {
    private final ArrayDeque<String> next = new ArrayDeque<>();
    private final Stack<String> played = new Stack<>();

    /** Adds the songs of a text, one on a line; lines that begin with a number sign are comments. */
    public int load(String text) {
        int count = 0;
        try (Scanner lines = new Scanner(text)) {
            while (lines.hasNextLine()) {
                String line = lines.nextLine();
                StringTokenizer words = new StringTokenizer(line);
                if (!words.hasMoreTokens()) {
                    continue;
                }
                String first = words.nextToken();
                if (first.startsWith("#")) {
                    continue;
                }
                StringBuilder title = new StringBuilder(first);
                while (words.hasMoreTokens()) {
                    title.append(' ').append(words.nextToken());
                }
                next.addLast(title.toString());
                count++;
            }
        }
        return count;
    }

    /** Plays the next song, if there is one. */
    public Optional<String> play() {
        if (next.isEmpty()) {
            return Optional.empty();
        }
        String song = next.removeFirst();
        played.push(song);
        return Optional.of(song);
    }

    /** Goes back to the last song. */
    public boolean back() {
        if (played.empty()) {
            return false;
        }
        next.addFirst(played.pop());
        return true;
    }

    /** Plays all songs, and returns the first and the last. */
    public String all() {
        String first = null;
        String last = null;
        for (Optional<String> song = play(); song.isPresent(); song = play()) {
            last = song.get();
            if (first == null) {
                first = last;
            }
        }
        return first + ".." + last;
    }

    /** Removes songs with a word from what is to come. */
    public int drop(String word) {
        int dropped = 0;
        Iterator<String> it = next.iterator();
        while (it.hasNext()) {
            if (it.next().contains(word)) {
                it.remove();
                dropped++;
            }
        }
        return dropped;
    }

    /** The played songs without repetitions, last first. */
    public List<String> history() {
        LinkedList<String> songs = new LinkedList<>();
        ListIterator<String> it = played.listIterator();
        while (it.hasNext()) {
            String song = it.next();
            if (!songs.contains(song)) {
                songs.addFirst(song);
            }
        }
        List<String> found = new ArrayList<>();
        while (!songs.isEmpty()) {
            found.add(songs.removeFirst());
        }
        return found;
    }

    /** The longest titles of some songs. */
    public List<String> longest(List<String> songs) {
        List<String> found = new ArrayList<>();
        int length = 0;
        for (String song : songs) {
            if (song.length() > length) {
                found.clear();
                length = song.length();
            }
            if (song.length() == length) {
                found.add(song);
            }
        }
        return found;
    }
}
