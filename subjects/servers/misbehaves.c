/*
 * A server that breaks its protocol in one way, for tests of `adit fuzz`.
 *
 *     cc -o misbehaves misbehaves.c && ./misbehaves PORT HOW
 *
 * HOW: silent (accepts and says nothing), half-greeting, closes (at once), nonsense (no answer of the
 * protocol), half-answer (stops in the middle of the first answer), mute (greets and never answers), chatty
 * (answers twice), child (a child process serves and dies at the second command).
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void say(int client, const char *text) {
    if (write(client, text, strlen(text)) < 0) exit(1);
}

static void serve(int client, const char *how) {
    char line[1024];
    if (strcmp(how, "closes") == 0) return;
    if (strcmp(how, "silent") == 0) pause();
    if (strcmp(how, "half-greeting") == 0) { say(client, "220 hel"); pause(); }
    if (strcmp(how, "nonsense") == 0) { say(client, "hello there\r\n"); pause(); }
    say(client, "220 hello\r\n");
    for (int commands = 1; read(client, line, sizeof line) > 0; commands++) {
        if (strcmp(how, "mute") == 0) pause();
        if (strcmp(how, "half-answer") == 0) { say(client, "331 pass"); pause(); }
        if (strcmp(how, "child") == 0 && commands == 2) abort();
        /* In one piece, so that the second answer cannot come late. */
        say(client, strcmp(how, "chatty") == 0 ? "200 done\r\n200 and done\r\n" : "200 done\r\n");
    }
}

int main(int count, char **words) {
    if (count < 3) return 2;
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons(atoi(words[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4)) return 1;
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (strcmp(words[2], "child") == 0 && fork() != 0) {
            close(client);
            continue;
        }
        serve(client, words[2]);
        close(client);
    }
}
