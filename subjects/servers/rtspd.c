/*
 * A small RTSP server without bugs of its own, for tests of the alphabet of RTSP (RFC 2326).
 *
 *     cc -o rtspd rtspd.c && ./rtspd PORT
 *
 * It listens on 127.0.0.1 and takes one client at a time. It knows one stream, rtsp://127.0.0.1/stream, over the
 * same connection (interleaved); while it plays, a frame of media comes before every answer. SETUP gives a session,
 * whose name every later request needs.
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
static enum { NONE, READY, PLAYING } state;
static unsigned session;

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

/* Runs one request. */
static void run(const char *method, const char *url, const char *sequence, const char *transport, const char *name) {
#define IS(text) (strcmp(method, text) == 0)
    char headers[512] = "";
    char *end;
    int has_session = state != NONE && name[0] && strtoul(name, &end, 16) == session && !*end;
    int knows = strncmp(url, "rtsp://127.0.0.1/stream", 23) == 0;
    if (!sequence[0]) { answer("0", "400 Bad Request", "", ""); return; }
    if (IS("OPTIONS")) {
        answer(sequence, "200 OK", "Public: OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, TEARDOWN, GET_PARAMETER\r\n", "");
    } else if (!IS("DESCRIBE") && !IS("SETUP") && !IS("PLAY") && !IS("PAUSE") && !IS("TEARDOWN") && !IS("GET_PARAMETER")) {
        answer(sequence, "501 Not Implemented", "", "");
    } else if (!knows) {
        answer(sequence, "404 Not Found", "", "");
    } else if (IS("DESCRIBE")) {
        answer(sequence, "200 OK", "Content-Type: application/sdp\r\n", SDP);
    } else if (IS("SETUP")) {
        if (state == PLAYING) { answer(sequence, "455 Method Not Valid in This State", "", ""); return; }
        if (strncmp(transport, "RTP/AVP/TCP;", 12) != 0) { answer(sequence, "461 Unsupported Transport", "", ""); return; }
        if (state == NONE) session = session * 1103515245u + 12345u;
        state = READY;
        snprintf(headers, sizeof headers, "Session: %08x;timeout=60\r\nTransport: %.200s\r\n", session, transport);
        answer(sequence, "200 OK", headers, "");
    } else if (!has_session) {
        answer(sequence, "454 Session Not Found", "", "");
    } else if (IS("PAUSE") && state != PLAYING) {
        answer(sequence, "455 Method Not Valid in This State", "", "");
    } else {
        if (IS("PLAY")) state = PLAYING;
        if (IS("PAUSE")) state = READY;
        if (IS("TEARDOWN")) state = NONE;
        snprintf(headers, sizeof headers, "Session: %08x\r\n", session);
        answer(sequence, "200 OK", IS("TEARDOWN") ? "" : headers, "");
    }
}

static void serve(void) {
    FILE *requests = fdopen(control, "rb");
    char line[8192], method[32] = "", url[2048] = "", sequence[32] = "", transport[512] = "", name[64] = "";
    int at = 0, body = 0;
    state = NONE;
    while (requests && fgets(line, sizeof line, requests)) {
        line[strcspn(line, "\r\n")] = 0;
        if (at++ == 0) {
            if (!line[0]) { at = 0; continue; }
            method[0] = url[0] = sequence[0] = transport[0] = name[0] = 0;
            body = 0;
            sscanf(line, "%31[^ ] %2047[^ ]", method, url);
            continue;
        }
        if (line[0]) {
            if (strncasecmp(line, "CSeq: ", 6) == 0) snprintf(sequence, sizeof sequence, "%.31s", line + 6);
            if (strncasecmp(line, "Transport: ", 11) == 0) snprintf(transport, sizeof transport, "%.500s", line + 11);
            if (strncasecmp(line, "Session: ", 9) == 0) snprintf(name, sizeof name, "%.63s", line + 9);
            if (strncasecmp(line, "Content-Length: ", 16) == 0) body = atoi(line + 16);
            continue;
        }
        while (body-- > 0 && fgetc(requests) != EOF) {}
        run(method, url, sequence, transport, name);
        at = 0;
    }
    if (requests) fclose(requests);
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: rtspd PORT\n");
        return 2;
    }
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
