/*
 * Lets a fuzzer that writes a file feed a server of the inetd kind, which expects a socket on descriptor 0.
 *
 *     cc -shared -fPIC -O1 -o desock.so desock.c -ldl
 *     AFL_PRELOAD=./desock.so afl-fuzz ... -- server in inetd mode
 *
 * All of standard input is put into one end of a pair of sockets, and the other end becomes descriptor 0. The
 * server sees a client on 127.0.0.1. A port on which it listens for data at once gets a client, which sends a
 * line and takes what comes, so that transfers work. The files of the folder in ADIT_HOME are as in the
 * alphabet before every run.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(const char *name, const char *part, int times) {
    FILE *file = fopen(name, "w");
    for (int at = 0; file && at < times; at++) fputs(part, file);
    if (file) fclose(file);
}

static void clean(const char *home) {
    int here = open(".", O_RDONLY);
    if (chdir(home) == 0) {
        const char *made[] = {"new.txt", "a b", "missing.txt", "pub/new.txt"};
        for (size_t at = 0; at < sizeof made / sizeof *made; at++) unlink(made[at]);
        rmdir("d1");
        rmdir("d2");
        mkdir("pub", 0777);
        put("readme.txt", "hello\n", 1);
        put("pub/data.bin", "0123456789", 20);
    }
    if (here >= 0 && fchdir(here) == 0) close(here);
}

static void connect_input(void) {
    static char input[1 << 16];
    int pair[2], size = 1 << 20;
    const char *home = getenv("ADIT_HOME");
    if (!home) return;
    clean(home);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return;
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    ssize_t length = read(0, input, sizeof input);
    if (length > 0 && write(pair[1], input, length) < 0) return;
    shutdown(pair[1], SHUT_WR);
    dup2(pair[0], 0);
    dup2(pair[0], 1);
}

static int (*real_main)(int, char **, char **);

static int main_with_input(int count, char **words, char **environment) {
    connect_input();
    return real_main(count, words, environment);
}

/* Constructors run before AFL's fork server, and thus once for all inputs; main runs once for each. */
int __libc_start_main(int (*start)(int, char **, char **), int count, char **words, void (*init)(void),
                      void (*fini)(void), void (*rtld)(void), void *stack) {
    int (*real)(void *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
        dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = start;
    return real(main_with_input, count, words, init, fini, rtld, stack);
}

static int is_pair(int descriptor) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int (*real)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getsockname");
    return real(descriptor, (struct sockaddr *)&address, &length) == 0 && address.ss_family == AF_UNIX;
}

static int local(struct sockaddr *address, socklen_t *length, int port) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memcpy(address, &here, *length < sizeof here ? *length : sizeof here);
    *length = sizeof here;
    return 0;
}

int getsockname(int descriptor, struct sockaddr *address, socklen_t *length) {
    int (*real)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getsockname");
    return is_pair(descriptor) ? local(address, length, 2121) : real(descriptor, address, length);
}

int getpeername(int descriptor, struct sockaddr *address, socklen_t *length) {
    int (*real)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getpeername");
    return is_pair(descriptor) ? local(address, length, 40000) : real(descriptor, address, length);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
    int (*real)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
    real(descriptor, level, name, value, length);
    return 0;
}

int listen(int descriptor, int waiting) {
    int (*real)(int, int) = dlsym(RTLD_NEXT, "listen");
    int (*name_of)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getsockname");
    struct sockaddr_in here;
    socklen_t length = sizeof here;
    int result = real(descriptor, waiting);
    if (result == 0 && name_of(descriptor, (struct sockaddr *)&here, &length) == 0 && here.sin_family == AF_INET) {
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(client, (struct sockaddr *)&here, sizeof here);
        if (write(client, "some text\r\n", 11) >= 0) shutdown(client, SHUT_WR);
    }
    return result;
}
