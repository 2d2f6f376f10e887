/*
 * A small SMTP server with planted bugs, the second one for `adit fuzz`: the bugs were written down before the
 * fuzzer ran on it for the first time. docs/perf/fuzzing.md says what changed in between.
 *
 *     cc -o smtpd smtpd.c && ./smtpd PORT [--no-bugs | --no-loop]
 *
 * It listens on 127.0.0.1, takes one client at a time, and throws every message away. Its account is alice with
 * the password wonderland.
 *
 * With --no-bugs it has none of these, and with --no-loop all but bounce-loop, which costs a fuzzer a second each time:
 *   long-domain      HELO or EHLO with more than 255 bytes: abort
 *   late-login       EHLO, MAIL, AUTH, RCPT: the login forgets the sender, and RCPT reads it: a null pointer
 *   many-recipients  EHLO, AUTH, MAIL and a fifth RCPT in one transaction: abort
 *   freed-twice      a message was delivered, then RSET without a new MAIL: abort
 *   bounce-loop      MAIL FROM:<>, RCPT TO:<postmaster>, DATA and a message: an endless loop
 *   open-list        EXPN inside of a transaction: answered without a login
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

static int bugs = 1;
static int loops = 1;

/* The connection and what the client has said so far. */
static int control = -1;
enum { START, HELO, EHLO } greeted;
static int logged_in;
static char *sender;
static int in_mail;
static int recipients;
static int to_postmaster;
static int delivered;

static void say(const char *format, ...) {
    char line[512];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line - 2, format, values);
    va_end(values);
    if (length > (int)sizeof line - 3) length = sizeof line - 3;
    memcpy(line + length, "\r\n", 2);
    if (write(control, line, length + 2) < 0) return;
}

static void forget_mail(void) {
    free(sender);
    sender = NULL;
    in_mail = recipients = to_postmaster = 0;
}

/* True for <name@domain>, <name> and, if it may be empty, <>. */
static int is_path(const char *text, int may_be_empty) {
    const char *end = strchr(text, '>');
    if (text[0] != '<' || !end || (end[1] && end[1] != ' ')) return 0;
    if (end - text > 256) return 0;
    return may_be_empty || end > text + 1;
}

static void greet(const char *name, int extended) {
    /* Planted: long-domain. */
    if (bugs && strlen(name) > 255) abort();
    if (!name[0] || strlen(name) > 255 || strchr(name, ' ')) { say("501 Not a domain."); return; }
    forget_mail();
    delivered = 0;
    greeted = extended ? EHLO : HELO;
    if (extended) {
        say("250-smtpd of adit");
        say("250 AUTH PLAIN");
    } else {
        logged_in = 0;
        say("250 smtpd of adit");
    }
}

static void login(const char *credentials) {
    if (greeted != EHLO) { say("503 EHLO first."); return; }
    if (logged_in) { say("503 You are logged in."); return; }
    if (in_mail && !bugs) { say("503 Not during a mail."); return; }
    if (strcmp(credentials, "AGFsaWNlAHdvbmRlcmxhbmQ=") != 0) { say("535 Wrong."); return; }
    logged_in = 1;
    if (in_mail) {
        /* Planted: late-login. It starts over, and leaves the transaction open. */
        free(sender);
        sender = NULL;
    }
    say("235 Welcome.");
}

static void mail(const char *path) {
    if (greeted == START) { say("503 HELO first."); return; }
    if (in_mail) { say("503 There is a sender."); return; }
    if (!is_path(path, 1)) { say("501 Not a sender."); return; }
    sender = strdup(path);
    in_mail = 1;
    delivered = 0;
    say("250 Sender noted.");
}

static void recipient(const char *path) {
    if (!in_mail) { say("503 MAIL first."); return; }
    if (!is_path(path, 0)) { say("501 Not a recipient."); return; }
    /* Planted: late-login. */
    int is_bounce = strncmp(sender, "<>", 2) == 0;
    int is_local = strstr(path, "@localhost>") || strncmp(path, "<postmaster>", 12) == 0;
    if (!is_local && !logged_in) { say("550 No relay."); return; }
    if (recipients >= 4) {
        /* Planted: many-recipients. Only users with a login have a table that is too small. */
        if (bugs && logged_in) abort();
        say("452 Too many.");
        return;
    }
    recipients++;
    if (is_bounce && strncmp(path, "<postmaster>", 12) == 0) to_postmaster = 1;
    say("250 Recipient noted.");
}

/* Takes the lines of a message. Returns 0 when the client is gone. */
static int message(FILE *commands) {
    char line[2048];
    say("354 Go on, and end with a dot.");
    for (;;) {
        if (!fgets(line, sizeof line, commands)) return 0;
        line[strcspn(line, "\r\n")] = 0;
        if (strcmp(line, ".") == 0) break;
    }
    /* Planted: bounce-loop. A bounce to the postmaster bounces to the postmaster. */
    volatile int bounces = to_postmaster && bugs && loops;
    while (bounces) bounces = 1;
    forget_mail();
    delivered = 1;
    say("250 Thrown away.");
    return 1;
}

static void reset(void) {
    if (delivered && bugs) {
        /* Planted: freed-twice. What the delivery freed is freed again, which the library notices. */
        abort();
    }
    forget_mail();
    say("250 Forgotten.");
}

/* Runs one command. Returns 0 when the session is over. */
static int run(const char *line, FILE *commands) {
#define STARTS(text) (strncasecmp(line, text, strlen(text)) == 0)
    if (STARTS("HELO ")) greet(line + 5, 0);
    else if (STARTS("EHLO ")) greet(line + 5, 1);
    else if (STARTS("AUTH PLAIN ")) login(line + 11);
    else if (STARTS("MAIL FROM:")) mail(line + 10);
    else if (STARTS("RCPT TO:")) recipient(line + 8);
    else if (strcasecmp(line, "DATA") == 0) {
        if (!recipients) say("503 RCPT first.");
        else return message(commands);
    } else if (strcasecmp(line, "RSET") == 0) reset();
    else if (strcasecmp(line, "NOOP") == 0) say("250 Nothing done.");
    else if (strcasecmp(line, "HELP") == 0) say("214 RFC 5321");
    else if (STARTS("VRFY ")) say(strcmp(line + 5, "alice") == 0 ? "250 <alice@localhost>" : "252 Perhaps.");
    else if (STARTS("EXPN ")) {
        /* Planted: open-list. */
        if (!logged_in && !(bugs && in_mail)) say("530 Log in first.");
        else if (strcmp(line + 5, "alice") == 0 || strcmp(line + 5, "postmaster") == 0) say("250 <alice@localhost>");
        else say("550 No such list.");
    } else if (strcasecmp(line, "QUIT") == 0) {
        say("221 Goodbye.");
        return 0;
    } else say("500 Unknown command.");
    return 1;
}

static void serve(void) {
    FILE *commands = fdopen(control, "rb");
    char line[2048];
    greeted = START;
    logged_in = delivered = 0;
    forget_mail();
    say("220 smtpd of adit");
    while (commands && fgets(line, sizeof line, commands)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!run(line, commands)) break;
    }
    if (commands) fclose(commands);
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: smtpd PORT [--no-bugs | --no-loop]\n");
        return 2;
    }
    bugs = !(count > 2 && strcmp(words[2], "--no-bugs") == 0);
    loops = !(count > 2 && strcmp(words[2], "--no-loop") == 0);
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons(atoi(words[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4)) {
        perror("smtpd");
        return 1;
    }
    for (;;) {
        control = accept(listener, NULL, NULL);
        if (control < 0) continue;
        setsockopt(control, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        serve();
    }
}
