/** A client socket without a network: which calls its flags allow. Addresses, streams and factories are numbers. */
public class Socket {
    private boolean created;
    private boolean bound;
    private boolean connected;
    private boolean closed;
    private boolean inputShut;
    private boolean outputShut;
    private int impl;
    private int factory;

    public Socket() {}

    public Socket(int impl) {
        this.impl = impl;
    }

    public Socket(int proxy, int address, int type) {
        if (proxy == 0) {
            throw new IllegalArgumentException("no proxy");
        }
        if (type != 1 && address != 0) {
            throw new IllegalArgumentException("invalid proxy");
        }
    }

    public void connect(int endpoint) {
        connect(endpoint, 0);
    }

    public void connect(int endpoint, int timeout) {
        if (endpoint == 0) {
            throw new IllegalArgumentException("no address");
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("negative timeout");
        }
        checkOpen();
        assert !connected;
        created = true;
        connected = true;
        bound = true;
    }

    public void bind(int point) {
        checkOpen();
        assert !bound;
        bound = true;
    }

    public void close() {
        closed = true;
    }

    public void shutdownInput() {
        checkInput();
        inputShut = true;
    }

    public void shutdownOutput() {
        checkOutput();
        outputShut = true;
    }

    public void getInputStream() {
        checkInput();
    }

    public void getOutputStream() {
        checkOutput();
    }

    public void isConnected() {
        assert connected;
    }

    public void isBound() {
        assert bound;
    }

    public void isClosed() {
        assert closed;
    }

    public void isInputShutdown() {
        assert inputShut;
    }

    public void isOutputShutdown() {
        assert outputShut;
    }

    public void getTcpNoDelay() {
        checkOpen();
    }

    public void setTcpNoDelay(boolean on) {
        checkOpen();
    }

    public void getOOBInline() {
        checkOpen();
    }

    public void setOOBInline(boolean on) {
        checkOpen();
    }

    public void getKeepAlive() {
        checkOpen();
    }

    public void setKeepAlive(boolean on) {
        checkOpen();
    }

    public void getReuseAddress() {
        checkOpen();
    }

    public void setReuseAddress(boolean on) {
        checkOpen();
    }

    public void getSoLinger() {
        checkOpen();
    }

    public void setSoLinger(boolean on, int linger) {
        checkOpen();
        if (on && linger < 0) {
            throw new IllegalArgumentException("negative linger");
        }
    }

    public void getSoTimeout() {
        checkOpen();
    }

    public void setSoTimeout(int timeout) {
        checkOpen();
        if (timeout < 0) {
            throw new IllegalArgumentException("negative timeout");
        }
    }

    public void getSendBufferSize() {
        checkOpen();
    }

    public void setSendBufferSize(int size) {
        checkOpen();
        checkSize(size);
    }

    public void getReceiveBufferSize() {
        checkOpen();
    }

    public void setReceiveBufferSize(int size) {
        checkOpen();
        checkSize(size);
    }

    public void getTrafficClass() {
        checkOpen();
    }

    public void setTrafficClass(int kind) {
        checkOpen();
        if (kind < 0 || kind > 255) {
            throw new IllegalArgumentException("not within 0..255");
        }
    }

    public void setSocketImplFactory(int factory) {
        assert this.factory == 0;
        this.factory = factory;
    }

    public void setCreated() {
        created = true;
    }

    public void setBound() {
        bound = true;
    }

    public void setConnected() {
        connected = true;
    }

    public void createImpl(boolean stream) {
        created = true;
    }

    public void setImpl() {
        impl = factory;
    }

    public void postAccept() {
        created = true;
        connected = true;
        bound = true;
    }

    public void sendUrgentData(int data) {}

    public void setPerformancePreferences(int time, int latency, int bandwidth) {}

    public void getInetAddress() {}

    public void getLocalAddress() {}

    public void getPort() {}

    public void getLocalPort() {}

    public void getRemoteSocketAddress() {}

    public void getLocalSocketAddress() {}

    public void getChannel() {}

    public void describe() {}

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
    }

    private void checkInput() {
        checkOpen();
        assert connected && !inputShut;
    }

    private void checkOutput() {
        checkOpen();
        assert connected && !outputShut;
    }

    private static void checkSize(int size) {
        if (size <= 0) {
            throw new IllegalArgumentException("not positive");
        }
    }
}
