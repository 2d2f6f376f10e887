/*
 * A small RTSP server (RFC 2326) with planted bugs, the third one for `adit fuzz`: the bugs were written down before
 * the fuzzer ran on it for the first time. docs/perf/fuzzing.md says what changed in between.
 *
 *     cc -o rtspd rtspd.c && ./rtspd PORT [--no-bugs]
 *
 * It listens on 127.0.0.1 and takes one client at a time. It knows one stream, rtsp://127.0.0.1/stream, over the
 * same connection (interleaved); while it plays, a frame of media comes before every answer. SETUP gives a session,
 * whose name every later request needs; after ANNOUNCE the session is one to record.
 *
 * With --no-bugs it has none of these:
 *   long-transport   SETUP with more than 400 bytes of transport: abort
 *   long-parameter   SET_PARAMETER with a name of more than 512 bytes, while it plays: a null pointer
 *   stale-stream     SETUP, TEARDOWN, SETUP, PLAY: the second session plays what the first one freed: abort
 *   record-play      ANNOUNCE, SETUP, RECORD, PAUSE, PLAY: there is nothing to read from: a null pointer
 *   seek-back        SETUP, PLAY, PAUSE, and PLAY of a range that ends before it starts: an endless loop
 *   open-parameter   GET_PARAMETER after ANNOUNCE: answered without a session
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static int control = -1;
static enum { NONE, ANNOUNCED, READY, PLAYING, RECORDING } state;
static unsigned session;
static int bugs = 1;

/* What the connection has seen so far. */
static int to_record;
static int recorded;
static int paused;
static int torn_down;

static const char *SDP =
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=stream\r\nt=0 0\r\nm=audio 0 RTP/AVP 0\r\na=control:track1\r\n";

/* Answers a request: a status, more header lines, and a body. */
static void answer(const char *sequence, const char *status, const char *headers, const char *body) {
    char text[2048];
    if (state == PLAYING && write(control, "$\0\0\4\x80\r\n\r", 8) < 0) return;
    int length = snprintf(text, sizeof text, "RTSP/1.0 %s\r\nCSeq: %s\r\n%s", status, sequence, headers);
    if (body[0]) length += snprintf(text + length, sizeof text - length, "Content-Length: %zu\r\n", strlen(body));
    length += snprintf(text + length, sizeof text - length, "\r\n%s", body);
    if (write(control, text, length) < 0) return;
}

/* True for a range such as npt=9-1, whose end is before its start. */
static int ends_early(const char *range) {
    double from = 0, to = 0;
    return sscanf(range, "npt=%lf-%lf", &from, &to) == 2 && to < from;
}

static void play(const char *sequence, const char *range) {
    if (state == RECORDING || (to_record && !(bugs && recorded))) {
        answer(sequence, "455 Method Not Valid in This State", "", "");
        return;
    }
    if (to_record) {
        /* Planted: record-play. */
        *(volatile int *)0 = 1;
    }
    /* Planted: stale-stream. The library notices that the stream was freed. */
    if (bugs && torn_down) abort();
    if (ends_early(range)) {
        /* Planted: seek-back. It skips frames until it is at the end of the range. */
        volatile int skips = bugs && paused;
        while (skips) skips = 1;
        answer(sequence, "457 Invalid Range", "", "");
        return;
    }
    char headers[64];
    state = PLAYING;
    paused = 0;
    snprintf(headers, sizeof headers, "Session: %08x\r\n", session);
    answer(sequence, "200 OK", headers, "");
}

static int is_known(const char *method) {
    static const char *methods[] = {"DESCRIBE", "ANNOUNCE", "SETUP", "PLAY", "RECORD", "PAUSE", "TEARDOWN",
                                    "GET_PARAMETER", "SET_PARAMETER"};
    for (unsigned at = 0; at < sizeof methods / sizeof *methods; at++)
        if (strcmp(method, methods[at]) == 0) return 1;
    return 0;
}

/* A request: its first line, and the headers that matter. */
static struct {
    char method[32], url[2048], sequence[32], transport[512], name[64], range[128], parameter[1024];
} asked;

/* Runs one request. */
static void run(void) {
#define IS(text) (strcmp(asked.method, text) == 0)
    char headers[512] = "", *end;
    const char *sequence = asked.sequence;
    int has_session = state >= READY && asked.name[0] && strtoul(asked.name, &end, 16) == session && !*end;
    if (!sequence[0]) { answer("0", "400 Bad Request", "", ""); return; }
    if (IS("OPTIONS")) {
        answer(sequence, "200 OK", "Public: OPTIONS, DESCRIBE, ANNOUNCE, SETUP, PLAY, RECORD, PAUSE, TEARDOWN\r\n", "");
    } else if (!is_known(asked.method)) {
        answer(sequence, "501 Not Implemented", "", "");
    } else if (strncmp(asked.url, "rtsp://127.0.0.1/stream", 23) != 0) {
        answer(sequence, "404 Not Found", "", "");
    } else if (IS("DESCRIBE")) {
        answer(sequence, "200 OK", "Content-Type: application/sdp\r\n", SDP);
    } else if (IS("ANNOUNCE")) {
        if (state != NONE) { answer(sequence, "455 Method Not Valid in This State", "", ""); return; }
        state = ANNOUNCED;
        answer(sequence, "200 OK", "", "");
    } else if (IS("SETUP")) {
        /* Planted: long-transport. */
        if (bugs && strlen(asked.transport) > 400) abort();
        if (state >= PLAYING) { answer(sequence, "455 Method Not Valid in This State", "", ""); return; }
        if (strncmp(asked.transport, "RTP/AVP/TCP;", 12) != 0) {
            answer(sequence, "461 Unsupported Transport", "", "");
            return;
        }
        if (state != READY) {
            session = session * 1103515245u + 12345u;
            to_record = state == ANNOUNCED;
            paused = recorded = 0;
        }
        state = READY;
        snprintf(headers, sizeof headers, "Session: %08x;timeout=60\r\nTransport: %.200s\r\n", session, asked.transport);
        answer(sequence, "200 OK", headers, "");
    } else if (IS("GET_PARAMETER") && bugs && state == ANNOUNCED) {
        /* Planted: open-parameter. */
        answer(sequence, "200 OK", "", "");
    } else if (!has_session) {
        answer(sequence, "454 Session Not Found", "", "");
    } else if (IS("PLAY")) {
        play(sequence, asked.range);
    } else if ((IS("PAUSE") && state < PLAYING) || (IS("RECORD") && !to_record)) {
        answer(sequence, "455 Method Not Valid in This State", "", "");
    } else {
        /* Planted: long-parameter. */
        if (IS("SET_PARAMETER") && bugs && state == PLAYING && strlen(asked.parameter) > 512) *(volatile int *)0 = 1;
        if (IS("RECORD")) {
            state = RECORDING;
            recorded = 1;
        }
        if (IS("PAUSE")) {
            paused = state == PLAYING;
            state = READY;
        }
        if (IS("TEARDOWN")) {
            state = NONE;
            torn_down = 1;
        }
        snprintf(headers, sizeof headers, "Session: %08x\r\n", session);
        answer(sequence, "200 OK", IS("TEARDOWN") ? "" : headers, "");
    }
}

/* Copies what follows a name at the start of a line. */
static void header(const char *line, const char *name, char *to, size_t size) {
    if (strncasecmp(line, name, strlen(name)) == 0) snprintf(to, size, "%.*s", (int)size - 1, line + strlen(name));
}

static void serve(void) {
    FILE *requests = fdopen(control, "rb");
    char line[8192], length[16] = "";
    int at = 0;
    state = NONE;
    to_record = recorded = paused = torn_down = 0;
    while (requests && fgets(line, sizeof line, requests)) {
        line[strcspn(line, "\r\n")] = 0;
        if (at++ == 0) {
            if (!line[0]) { at = 0; continue; }
            memset(&asked, 0, sizeof asked);
            length[0] = 0;
            sscanf(line, "%31[^ ] %2047[^ ]", asked.method, asked.url);
            continue;
        }
        if (line[0]) {
            header(line, "CSeq: ", asked.sequence, sizeof asked.sequence);
            header(line, "Transport: ", asked.transport, sizeof asked.transport);
            header(line, "Session: ", asked.name, sizeof asked.name);
            header(line, "Range: ", asked.range, sizeof asked.range);
            header(line, "X-Name: ", asked.parameter, sizeof asked.parameter);
            header(line, "Content-Length: ", length, sizeof length);
            continue;
        }
        for (int body = atoi(length); body > 0 && fgetc(requests) != EOF; body--) {}
        run();
        at = 0;
    }
    if (requests) fclose(requests);
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: rtspd PORT [--no-bugs]\n");
        return 2;
    }
    bugs = !(count > 2 && strcmp(words[2], "--no-bugs") == 0);
    signal(SIGPIPE, SIG_IGN);
    session = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons(atoi(words[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4)) {
        perror("rtspd");
        return 1;
    }
    for (;;) {
        control = accept(listener, NULL, NULL);
        if (control >= 0) serve();
    }
}
