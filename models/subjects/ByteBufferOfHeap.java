import java.nio.ByteBuffer;

/** A buffer on the heap. */
public final class ByteBufferOfHeap {
    private final ByteBuffer buffer;

    public ByteBufferOfHeap(int size) {
        buffer = ByteBuffer.allocate(size & 3);
    }

    public Object get() {
        return buffer.get();
    }

    public void put() {
        buffer.put((byte) 1);
    }

    public boolean hasRemaining() {
        return buffer.hasRemaining();
    }

    public int remaining() {
        return buffer.remaining();
    }

    public void mark() {
        buffer.mark();
    }

    public void reset() {
        buffer.reset();
    }

    public void flip() {
        buffer.flip();
    }

    public void clear() {
        buffer.clear();
    }

    public void rewind() {
        buffer.rewind();
    }

    public int position() {
        return buffer.position();
    }

    public int limit() {
        return buffer.limit();
    }

    public int capacity() {
        return buffer.capacity();
    }
}
