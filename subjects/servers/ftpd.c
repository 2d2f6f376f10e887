/*
 * A small FTP server with planted bugs, for tests and demonstrations of `adit fuzz`.
 *
 *     cc -o ftpd ftpd.c && ./ftpd PORT [--no-bugs]
 *
 * It serves the files of its working folder on 127.0.0.1, one client at a time, and never leaves that folder.
 * Accounts: alice with the password wonderland, and anonymous with any password.
 *
 * With --no-bugs it has none of these:
 *   long-name      MKD after login, with a name of more than 255 bytes: abort
 *   four-in-order  AUTH, ADAT, PBSZ 0, PROT E: division by zero
 *   skip-past-end  REST beyond the end of a file, then RETR of it: an endless loop
 *   stale-rename   RNFR, REIN, login, RNTO: a null pointer
 *   no-password    DELE after USER and before PASS: the file is deleted
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int bugs = 1;

/* The control connection and what the client has said so far. */
static int control = -1;
static char user[64];
static int logged_in;
static int stage; /* of RFC 2228: 1 AUTH, 2 ADAT, 3 PBSZ, 4 PROT */
static long buffer_size;
static int renaming;
static char *rename_from;
static unsigned long long restart;
static int passive = -1;
static struct sockaddr_in active;
static char folder[512];

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

static void forget_data(void) {
    if (passive >= 0) close(passive);
    passive = -1;
    memset(&active, 0, sizeof active);
}

static void forget_client(void) {
    user[0] = 0;
    logged_in = 0;
    stage = 0;
    restart = 0;
    folder[0] = 0;
    free(rename_from);
    rename_from = NULL;
    forget_data();
}

/* Returns the path of a name below the working folder, or null for names that lead elsewhere. */
static const char *path_of(const char *name) {
    static char path[1024];
    if (strstr(name, "..") || strlen(name) > 255) return NULL;
    if (name[0] == '/') snprintf(path, sizeof path, ".%s", name);
    else snprintf(path, sizeof path, "./%s%s", folder, name);
    return path;
}

static int is_folder(const char *path) {
    struct stat about;
    return path && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int is_file(const char *path) {
    struct stat about;
    return path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static int listen_anywhere(int *port) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 1)) return -1;
    getsockname(listener, (struct sockaddr *)&here, &length);
    *port = ntohs(here.sin_port);
    return listener;
}

/* Opens the data connection that PASV, EPSV or PORT prepared. */
static int open_data(void) {
    int data = -1;
    if (passive >= 0) {
        struct timeval limit = {.tv_sec = 1};
        setsockopt(passive, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        data = accept(passive, NULL, NULL);
    } else if (active.sin_port) {
        data = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(data, (struct sockaddr *)&active, sizeof active)) {
            close(data);
            data = -1;
        }
    }
    forget_data();
    return data;
}

static int has_data(void) { return passive >= 0 || active.sin_port; }

static void list(const char *form) {
    if (!has_data()) { say("425 Use PASV, EPSV or PORT first."); return; }
    say("150 Here it comes.");
    int data = open_data();
    if (data < 0) { say("425 No data connection."); return; }
    DIR *names = opendir(folder[0] ? folder : ".");
    for (struct dirent *entry; names && (entry = readdir(names));) {
        char line[512];
        if (entry->d_name[0] == '.') continue;
        int length = snprintf(line, sizeof line, form, entry->d_name);
        if (write(data, line, length) < 0) break;
    }
    if (names) closedir(names);
    close(data);
    say("226 Done.");
}

static void retrieve(const char *name) {
    const char *path = path_of(name);
    unsigned long long skip = restart;
    restart = 0;
    if (!has_data()) { say("425 Use PASV, EPSV or PORT first."); return; }
    if (!is_file(path)) { say("550 No such file."); return; }
    struct stat about;
    stat(path, &about);
    if (skip > (unsigned long long)about.st_size) {
        if (!bugs) { say("551 The file ends before that."); return; }
        /* Planted: skip-past-end. */
        volatile unsigned long long at = 0;
        while (at != skip) at = (at + 1) % ((unsigned long long)about.st_size + 1);
    }
    say("150 Here it comes.");
    int data = open_data();
    if (data < 0) { say("425 No data connection."); return; }
    FILE *file = fopen(path, "rb");
    char block[4096];
    size_t length;
    if (file && fseek(file, (long)skip, SEEK_SET) == 0)
        while ((length = fread(block, 1, sizeof block, file)) > 0)
            if (write(data, block, length) < 0) break;
    if (file) fclose(file);
    close(data);
    say("226 Done.");
}

static void store(const char *name, const char *mode) {
    const char *path = path_of(name);
    if (!has_data()) { say("425 Use PASV, EPSV or PORT first."); return; }
    if (!path || !name[0] || is_folder(path)) { say("553 Not a name for a file."); return; }
    FILE *file = fopen(path, mode);
    if (!file) { say("550 Cannot write there."); return; }
    say("150 Send it.");
    int data = open_data();
    char block[4096];
    ssize_t length;
    while (data >= 0 && (length = read(data, block, sizeof block)) > 0) fwrite(block, 1, length, file);
    fclose(file);
    if (data < 0) { say("425 No data connection."); return; }
    close(data);
    say("226 Done.");
}

static void change_folder(const char *name) {
    const char *path = path_of(name);
    if (!name[0] || !is_folder(path) || strlen(folder) + strlen(name) > 400) { say("550 No such folder."); return; }
    if (name[0] == '/') folder[0] = 0;
    while (*name == '/') name++;
    if (*name && strcmp(name, ".") != 0) {
        strcat(folder, name);
        strcat(folder, "/");
    }
    say("250 Changed.");
}

static void leave_folder(void) {
    size_t length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/') length--;
    while (length > 0 && folder[length - 1] != '/') length--;
    folder[length] = 0;
    say("250 Changed.");
}

static void make_folder(const char *name) {
    /* Planted: long-name. */
    if (bugs && strlen(name) > 255) abort();
    const char *path = path_of(name);
    if (!path || !name[0]) { say("553 Not a name for a folder."); return; }
    if (mkdir(path, 0777)) { say("550 Cannot make it."); return; }
    say("257 \"%s\" made.", name);
}

static void rename_to(const char *name) {
    if (!renaming) { say("503 RNFR first."); return; }
    renaming = 0;
    char from[1024];
    /* Planted: stale-rename. REIN forgot the name, and not that there was one. */
    strncpy(from, rename_from, sizeof from - 1);
    from[sizeof from - 1] = 0;
    const char *to = path_of(name);
    int failed = !to || !name[0] || rename(from, to);
    free(rename_from);
    rename_from = NULL;
    if (failed) say("553 Cannot rename it.");
    else say("250 Renamed.");
}

static void protect(const char *level) {
    if (stage < 3) { say("503 PBSZ first."); return; }
    if (strcmp(level, "P") == 0 || strcmp(level, "C") == 0) {
        stage = 4;
        say("200 Level %s.", level);
    } else if (strcmp(level, "S") == 0 || strcmp(level, "E") == 0) {
        /* Planted: four-in-order. Confidential transfers are cut into blocks of the agreed size. */
        if (bugs && level[0] == 'E') {
            volatile long blocks = 65536 / buffer_size;
            (void)blocks;
        }
        say("536 Level %s is not supported.", level);
    } else {
        say("504 Unknown level.");
    }
}

static void port(const char *numbers) {
    unsigned n[6];
    if (sscanf(numbers, "%u,%u,%u,%u,%u,%u", n, n + 1, n + 2, n + 3, n + 4, n + 5) != 6 || n[0] != 127 || n[4] > 255 ||
        n[5] > 255) {
        say("501 Not a port of this machine.");
        return;
    }
    forget_data();
    active.sin_family = AF_INET;
    active.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    active.sin_port = htons(n[4] * 256 + n[5]);
    say("200 Port noted.");
}

static void wait_for_data(int extended) {
    int number = 0;
    forget_data();
    passive = listen_anywhere(&number);
    if (passive < 0) say("425 No port.");
    else if (extended) say("229 Entering extended passive mode (|||%d|)", number);
    else say("227 Entering passive mode (127,0,0,1,%d,%d).", number / 256, number % 256);
}

/* Runs one command of the client. Returns 0 when the session is over. */
static int run(const char *command, const char *rest) {
#define IS(name) (strcasecmp(command, name) == 0)
    /* RNTO must follow RNFR at once; REIN only forgets the client, which is one of the planted bugs. */
    if (renaming && !IS("RNTO") && !(bugs && (IS("REIN") || (!logged_in && (IS("USER") || IS("PASS")))))) {
        renaming = 0;
        free(rename_from);
        rename_from = NULL;
    }
    if (IS("USER")) {
        logged_in = 0;
        if (strlen(rest) >= sizeof user || !rest[0]) { user[0] = 0; say("501 Not a name."); return 1; }
        strcpy(user, rest);
        say("331 Password?");
    } else if (IS("PASS")) {
        if (logged_in || !user[0]) { say("503 USER first."); return 1; }
        logged_in = strcmp(user, "anonymous") == 0 || (strcmp(user, "alice") == 0 && strcmp(rest, "wonderland") == 0);
        if (logged_in) say("230 Welcome.");
        else { user[0] = 0; say("530 Wrong."); }
    } else if (IS("QUIT")) {
        say("221 Goodbye.");
        return 0;
    } else if (IS("NOOP")) {
        say("200 Nothing done.");
    } else if (IS("SYST")) {
        say("215 UNIX Type: L8");
    } else if (IS("FEAT")) {
        say("211-Features:");
        say(" SIZE");
        say(" REST STREAM");
        say("211 End");
    } else if (IS("HELP")) {
        say("214 USER PASS QUIT and more.");
    } else if (IS("REIN")) {
        int was = renaming;
        forget_client();
        renaming = bugs && was;
        say("220 Again from the start.");
    } else if (IS("AUTH")) {
        if (stage || logged_in) say("503 Too late.");
        else if (strcmp(rest, "GSSAPI") == 0) { stage = 1; say("334 ADAT, please."); }
        else say("504 Unknown mechanism.");
    } else if (IS("ADAT")) {
        if (stage != 1) say("503 AUTH first.");
        else if (!rest[0] || rest[0] == '=') say("501 Not base 64.");
        else { stage = 2; say("235 Accepted."); }
    } else if (IS("PBSZ")) {
        char *end;
        long size = strtol(rest, &end, 10);
        if (stage < 2) say("503 ADAT first.");
        else if (!rest[0] || *end || size < 0 || size > 1 << 20) say("501 Not a size.");
        else { stage = stage < 3 ? 3 : stage; buffer_size = size; say("200 PBSZ=%ld", size); }
    } else if (IS("PROT")) {
        protect(rest);
    } else if (IS("DELE") && bugs && user[0] && !logged_in) {
        /* Planted: no-password. It asks for a name where it should ask for a login. */
        const char *path = path_of(rest);
        if (is_file(path) && unlink(path) == 0) say("250 Deleted.");
        else say("550 No such file.");
    } else if (!logged_in) {
        static const char *known[] = {"ACCT", "TYPE", "MODE", "STRU", "PWD",  "CWD",  "CDUP", "MKD",  "RMD",
                                      "DELE", "SIZE", "MDTM", "RNFR", "RNTO", "REST", "PASV", "EPSV", "PORT",
                                      "LIST", "NLST", "MLSD", "RETR", "STOR", "APPE", "ABOR", "SITE", "OPTS"};
        for (size_t at = 0; at < sizeof known / sizeof *known; at++)
            if (IS(known[at])) { say("530 Log in first."); return 1; }
        say("500 Unknown command.");
    } else if (IS("TYPE")) {
        if (strcmp(rest, "I") == 0 || strcmp(rest, "A") == 0) say("200 Type %s.", rest);
        else say("504 Unknown type.");
    } else if (IS("MODE")) {
        say(strcmp(rest, "S") == 0 ? "200 Mode S." : "504 Unknown mode.");
    } else if (IS("STRU")) {
        say(strcmp(rest, "F") == 0 ? "200 Structure F." : "504 Unknown structure.");
    } else if (IS("PWD")) {
        say("257 \"/%s\"", folder);
    } else if (IS("CWD")) {
        change_folder(rest);
    } else if (IS("CDUP")) {
        leave_folder();
    } else if (IS("MKD")) {
        make_folder(rest);
    } else if (IS("RMD")) {
        const char *path = path_of(rest);
        if (path && rest[0] && rmdir(path) == 0) say("250 Removed.");
        else say("550 Cannot remove it.");
    } else if (IS("DELE")) {
        const char *path = path_of(rest);
        if (is_file(path) && unlink(path) == 0) say("250 Deleted.");
        else say("550 No such file.");
    } else if (IS("SIZE")) {
        struct stat about;
        const char *path = path_of(rest);
        if (is_file(path) && stat(path, &about) == 0) say("213 %lld", (long long)about.st_size);
        else say("550 No such file.");
    } else if (IS("MDTM")) {
        if (is_file(path_of(rest))) say("213 20200101000000");
        else say("550 No such file.");
    } else if (IS("RNFR")) {
        const char *path = path_of(rest);
        if (!is_file(path)) { say("550 No such file."); return 1; }
        rename_from = strdup(path);
        renaming = 1;
        say("350 RNTO, please.");
    } else if (IS("RNTO")) {
        rename_to(rest);
    } else if (IS("REST")) {
        char *end;
        errno = 0;
        unsigned long long at = strtoull(rest, &end, 10);
        if (!rest[0] || rest[0] == '-' || *end || errno) say("501 Not a position.");
        else { restart = at; say("350 From %llu.", at); }
    } else if (IS("PASV")) {
        wait_for_data(0);
    } else if (IS("EPSV")) {
        wait_for_data(1);
    } else if (IS("PORT")) {
        port(rest);
    } else if (IS("LIST")) {
        list("-rw-r--r-- 1 ftp ftp 0 Jan 1 2020 %s\r\n");
    } else if (IS("NLST")) {
        list("%s\r\n");
    } else if (IS("MLSD")) {
        list("type=file; %s\r\n");
    } else if (IS("RETR")) {
        retrieve(rest);
    } else if (IS("STOR")) {
        store(rest, "wb");
    } else if (IS("APPE")) {
        store(rest, "ab");
    } else if (IS("ABOR")) {
        forget_data();
        say("226 Nothing to abort.");
    } else {
        say("500 Unknown command.");
    }
    return 1;
}

static void serve(void) {
    FILE *commands = fdopen(control, "rb");
    char line[2048];
    renaming = 0;
    forget_client();
    say("220 ftpd of adit.");
    while (commands && fgets(line, sizeof line, commands)) {
        line[strcspn(line, "\r\n")] = 0;
        char *rest = strchr(line, ' ');
        if (rest) *rest++ = 0;
        if (!run(line, rest ? rest : "")) break;
    }
    if (commands) fclose(commands);
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: ftpd PORT [--no-bugs]\n");
        return 2;
    }
    bugs = !(count > 2 && strcmp(words[2], "--no-bugs") == 0);
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons(atoi(words[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4)) {
        perror("ftpd");
        return 1;
    }
    for (;;) {
        control = accept(listener, NULL, NULL);
        if (control < 0) continue;
        setsockopt(control, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        serve();
    }
}
