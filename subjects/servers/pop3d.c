/*
 * A small POP3 server (RFC 1939, RFC 5034) with planted bugs, the fourth one for `adit fuzz`: the bugs were written
 * down before the fuzzer ran on it for the first time. docs/perf/fuzzing.md says what changed in between.
 *
 *     cc -o pop3d pop3d.c && ./pop3d PORT [--no-bugs]
 *
 * It listens on 127.0.0.1 and takes one client at a time. Its account is alice with the password wonderland, whose
 * mailbox has two messages; what QUIT deletes is gone until the server ends.
 *
 * With --no-bugs it has none of these:
 *   long-user       USER with more than 200 bytes: abort
 *   negative-top    after a login, TOP with a number of lines below zero: a null pointer
 *   reset-retrieve  DELE, RSET and RETR of the same message: abort
 *   all-deleted     every message deleted, then LIST: an endless loop
 *   open-stat       AUTH PLAIN that is canceled, then STAT: answered without a login
 *   stale-lock      DELE, a connection that is lost without QUIT, and a second login: a null pointer
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGES 2

static int bugs = 1;

static const char *TEXTS[MESSAGES] = {
    "Subject: one\r\n\r\nhello\r\n",
    "Subject: two\r\n\r\na line\r\nanother line\r\n..\r\n",
};

/* The mailbox, which outlives connections. */
static int gone[MESSAGES];
static int stale;

/* The connection and what the client has said so far. */
static int control = -1;
static enum { START, NAMED, CHALLENGED, OPEN } state;
static char name[512];
static int deleted[MESSAGES], restored[MESSAGES];
static int canceled;
static int last;

static void say(const char *format, ...) {
    char line[1024];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line - 2, format, values);
    va_end(values);
    if (length > (int)sizeof line - 3) length = sizeof line - 3;
    memcpy(line + length, "\r\n", 2);
    if (write(control, line, length + 2) < 0) return;
}

static int is_there(int at) { return !gone[at] && !deleted[at]; }

static int count(void) {
    int found = 0;
    for (int at = 0; at < MESSAGES; at++) found += is_there(at);
    return found;
}

/* The place of a message by its number, or -1 after an error was answered. */
static int message(const char *number) {
    char *end;
    long at = strtol(number, &end, 10);
    if (end == number || (*end && *end != ' ') || at < 1 || at > MESSAGES || !is_there(at - 1)) {
        say("-ERR no such message");
        return -1;
    }
    return at - 1;
}

static void open_mailbox(void) {
    /* Planted: stale-lock. What the lost connection had deleted is read from the lock it left behind. */
    if (bugs && stale) *(volatile int *)0 = 1;
    state = OPEN;
    last = 0;
    memset(deleted, 0, sizeof deleted);
    memset(restored, 0, sizeof restored);
    say("+OK %d messages", count());
}

/* Commands before the login. Returns 0 for a command that is none of them. */
static int authorize(const char *line) {
#define STARTS(text) (strncasecmp(line, text, strlen(text)) == 0)
#define IS(text) (strcasecmp(line, text) == 0)
    if (STARTS("USER ")) {
        /* Planted: long-user. */
        if (bugs && strlen(line + 5) > 200) abort();
        if (!line[5] || strlen(line + 5) > 200) { say("-ERR not a name"); return 1; }
        snprintf(name, sizeof name, "%.200s", line + 5);
        state = NAMED;
        say("+OK go on");
    } else if (STARTS("PASS ")) {
        if (state != NAMED) { say("-ERR USER first"); return 1; }
        state = START;
        if (strcmp(name, "alice") == 0 && strcmp(line + 5, "wonderland") == 0) open_mailbox();
        else say("-ERR wrong");
    } else if (IS("AUTH PLAIN")) {
        state = CHALLENGED;
        say("+ ");
    } else if (IS("STAT") && bugs && canceled) {
        /* Planted: open-stat. */
        say("+OK %d 100", count());
    } else return 0;
    return 1;
}

/* Lines of a text, at most this many of its body if that is no less than zero; a dot at the start is doubled. */
static void send_text(const char *text, long lines) {
    int in_body = 0;
    while (*text && (!in_body || lines != 0)) {
        int length = strcspn(text, "\r\n");
        say("%s%.*s", text[0] == '.' ? "." : "", length, text);
        if (in_body) lines--;
        if (!length) in_body = 1;
        text += length + 2;
    }
    say(".");
}

/* Commands after the login. Returns 0 for a command that is none of them. */
static int transact(const char *line) {
    int at;
    if (IS("STAT")) say("+OK %d %d", count(), 50 * count());
    else if (IS("LIST") || IS("UIDL")) {
        /* Planted: all-deleted. It looks for the first message that is there. */
        volatile int skips = bugs && IS("LIST") && deleted[0] && deleted[1];
        while (skips) skips = 1;
        say("+OK");
        for (at = 0; at < MESSAGES; at++)
            if (is_there(at)) say("%d %zu", at + 1, strlen(TEXTS[at]));
        say(".");
    } else if (STARTS("LIST ")) {
        if ((at = message(line + 5)) >= 0) say("+OK %d %zu", at + 1, strlen(TEXTS[at]));
    } else if (STARTS("RETR ")) {
        if ((at = message(line + 5)) < 0) return 1;
        /* Planted: reset-retrieve. The library notices that the text was freed. */
        if (bugs && restored[at]) abort();
        if (at + 1 > last) last = at + 1;
        say("+OK");
        send_text(TEXTS[at], -1);
    } else if (STARTS("TOP ")) {
        const char *lines = strchr(line + 4, ' ');
        if ((at = message(line + 4)) < 0) return 1;
        if (!lines) { say("-ERR how many lines?"); return 1; }
        long wanted = strtol(lines, NULL, 10);
        /* Planted: negative-top. */
        if (bugs && wanted < 0) *(volatile int *)0 = 1;
        if (wanted < 0) { say("-ERR how many lines?"); return 1; }
        say("+OK");
        send_text(TEXTS[at], wanted);
    } else if (STARTS("DELE ")) {
        if ((at = message(line + 5)) < 0) return 1;
        deleted[at] = 1;
        say("+OK deleted");
    } else if (IS("RSET")) {
        for (at = 0; at < MESSAGES; at++) restored[at] |= deleted[at];
        memset(deleted, 0, sizeof deleted);
        last = 0;
        say("+OK %d messages", count());
    } else if (IS("NOOP")) say("+OK");
    else if (IS("LAST")) say("+OK %d", last);
    else return 0;
    return 1;
}

/* Runs one command. Returns 0 when the session is over. */
static int run(const char *line) {
    if (state == CHALLENGED) {
        state = START;
        if (strcmp(line, "AGFsaWNlAHdvbmRlcmxhbmQ=") == 0) open_mailbox();
        else {
            canceled = strcmp(line, "*") == 0;
            say(canceled ? "-ERR canceled" : "-ERR wrong");
        }
        return 1;
    }
    if (IS("QUIT")) {
        for (int at = 0; at < MESSAGES; at++) gone[at] |= state == OPEN && deleted[at];
        memset(deleted, 0, sizeof deleted);
        say("+OK goodbye");
        return 0;
    }
    if (IS("CAPA")) {
        say("+OK");
        say("USER\r\nSASL PLAIN\r\nTOP\r\nUIDL\r\n.");
    } else if (!(state == OPEN ? transact(line) : authorize(line))) say("-ERR not here");
    return 1;
}

static void serve(void) {
    FILE *commands = fdopen(control, "rb");
    char line[4096];
    state = START;
    canceled = 0;
    memset(deleted, 0, sizeof deleted);
    say("+OK pop3d of adit");
    while (commands && fgets(line, sizeof line, commands)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!run(line)) break;
    }
    for (int at = 0; at < MESSAGES; at++) stale |= deleted[at];
    if (commands) fclose(commands);
}

int main(int arguments, char **words) {
    if (arguments < 2) {
        fprintf(stderr, "usage: pop3d PORT [--no-bugs]\n");
        return 2;
    }
    bugs = !(arguments > 2 && strcmp(words[2], "--no-bugs") == 0);
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons(atoi(words[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4)) {
        perror("pop3d");
        return 1;
    }
    for (;;) {
        control = accept(listener, NULL, NULL);
        if (control < 0) continue;
        setsockopt(control, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        serve();
    }
}
