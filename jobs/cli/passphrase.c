#include "passphrase.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "escape.h"
#include "parse.h"

static const char *source; /* NULL: the terminal */

/* The rest of a word behind such a beginning; NULL: it has another one. */
static const char *behind(const char *where, const char *beginning)
{
    const size_t length = strlen(beginning);
    return strncmp(where, beginning, length) == 0 ? where + length : NULL;
}

static hb_status check(const char *where)
{
    static const char *const kinds[] = {"fd:", "file:", "command:"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *rest = behind(where, kinds[i]);
        if (rest != NULL && rest[0] != '\0') {
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "a passphrase is found at fd:N, file:PATH or command:CMD, or asked for on the terminal; "
                              "the argument is none of these; it is not shown here");
}

hb_status hb_passphrase_set_source(const char *where)
{
    source = where;
    return where != NULL ? check(where) : HB_OK;
}

/* Whether a word is an option about passphrases, one that is misspelled at its end too. */
static bool is_about(const char *word)
{
    return word[0] == '-' && strstr(word, "passphr") != NULL;
}

size_t hb_passphrase_shown(const char *before, const char *word)
{
    static const char command[] = "command:";
    const char *const assigned = strchr(word, '='), *const ran = strstr(word, command);
    const char *value = NULL; /* of an option about passphrases */
    if (is_about(before) && strchr(before, '=') == NULL) {
        value = word;
    } else if (is_about(word) && assigned != NULL) {
        value = assigned + 1;
    }
    if (value != NULL && behind(value, "fd:") == NULL && behind(value, "file:") == NULL &&
        behind(value, command) == NULL) {
        return (size_t)(value - word);
    }
    return ran != NULL ? (size_t)(ran - word) + strlen(command) : strlen(word);
}

bool hb_passphrase_is_asked(const char *where)
{
    return where == NULL && source == NULL;
}

/* Takes bytes of a passphrase from a descriptor up to the end of its first line. */
static hb_status read_line(int fd, const char *what, hb_passphrase *out)
{
    out->length = 0;
    for (;;) {
        char byte;
        const ssize_t got = read(fd, &byte, 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return HB_FAIL(HB_ENOINPUT, "%s: %s", what, strerror(errno));
        }
        if (got == 0 || byte == '\n') {
            break;
        }
        if (out->length == HB_PASSPHRASE_MOST) {
            return HB_FAIL(HB_EUSAGE, "%s: a passphrase has at most %d bytes", what, HB_PASSPHRASE_MOST);
        }
        out->text[out->length++] = byte;
    }
    out->length -= out->length > 0 && out->text[out->length - 1] == '\r';
    return HB_OK;
}

static hb_status read_descriptor(const char *text, hb_passphrase *out)
{
    uint64_t number;
    if (hb_parse_number(text, &number) != HB_OK || number > 1 << 20) {
        return HB_FAIL(HB_EUSAGE, "a passphrase at fd:N: expected the number of a descriptor that is open");
    }
    return read_line((int)number, "the passphrase", out);
}

static hb_status read_file(const char *path, hb_passphrase *out)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int why = errno;
        if (fd >= 0) {
            close(fd);
        }
        return HB_FAIL(HB_ENOINPUT, "%s: %s", path, strerror(why));
    }
    hb_status st;
    if (S_ISREG(info.st_mode) && (info.st_mode & 077) != 0) {
        st = HB_FAIL(HB_EPERM, "%s: holds a passphrase and can be read by others (mode %04o): chmod 600 it", path,
                     (unsigned)info.st_mode & 07777);
    } else {
        st = read_line(fd, path, out);
    }
    close(fd);
    return st;
}

/* Reads and drops a command's output behind its first line, so that its writing does not fail. */
static void drop_rest(int fd)
{
    char rest[256];
    ssize_t got = 1;
    for (size_t taken = 0; taken < (size_t)1 << 20 && got > 0; taken += (size_t)got) {
        got = read(fd, rest, sizeof rest);
        got = got < 0 && errno == EINTR ? 1 : got;
    }
    hb_wipe(rest, sizeof rest);
}

static hb_status read_command(const char *command, hb_passphrase *out)
{
    FILE *pipe = popen(command, "re");
    if (pipe == NULL) {
        return HB_FAIL(HB_ENOINPUT, "the command for a passphrase cannot be started: %s", strerror(errno));
    }
    const hb_status st = read_line(fileno(pipe), "what the command for a passphrase writes", out);
    drop_rest(fileno(pipe));
    const int ended = pclose(pipe);
    HB_TRY(st);
    return ended == 0 ? HB_OK
                      : HB_FAIL(HB_ENOINPUT, "the command for a passphrase failed%s",
                                WIFEXITED(ended) ? ": its exit code is not 0" : "");
}

/* --- the terminal */

/* Signals that end a program wait while the terminal does not echo: it would stay so. */
static void make_signals(sigset_t *set)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        sigaddset(set, ending[i]);
    }
}

static bool must_end(void)
{
    sigset_t waiting;
    return sigpending(&waiting) == 0 && (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
                                         sigismember(&waiting, SIGHUP) == 1);
}

/* Takes keys up to Enter: erasing works as in a line, Ctrl-C and Ctrl-D end. */
static hb_status read_keys(int fd, hb_passphrase *out)
{
    enum { CTRL_C = 3, CTRL_D = 4, CTRL_H = 8, CTRL_U = 21, DEL = 127 };
    out->length = 0;
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        char key;
        if (poll(&ready, 1, 100) <= 0) {
            if (must_end()) {
                return HB_FAIL(HB_ESTOPPED, "stopped while a passphrase was asked for");
            }
            continue;
        }
        if (read(fd, &key, 1) != 1 || key == CTRL_C || key == CTRL_D) {
            return HB_FAIL(HB_ESTOPPED, "no passphrase was given");
        }
        if (key == '\r' || key == '\n') {
            return HB_OK;
        }
        if (key == CTRL_H || key == DEL) {
            out->length -= out->length > 0;
        } else if (key == CTRL_U) {
            out->length = 0;
        } else if (out->length < HB_PASSPHRASE_MOST) {
            out->text[out->length++] = key;
        }
    }
}

static hb_status ask(int fd, const char *question, const char *name, hb_passphrase *out)
{
    char shown[1024];
    struct termios before, quiet;
    sigset_t ending, masked;
    if (tcgetattr(fd, &before) != 0) {
        return HB_FAIL(HB_ENOINPUT, "a passphrase cannot be asked for: %s", strerror(errno));
    }
    make_signals(&ending);
    pthread_sigmask(SIG_BLOCK, &ending, &masked);
    quiet = before;
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    hb_status st;
    /* First this, which drops earlier typing, then the question. */
    if (tcsetattr(fd, TCSAFLUSH, &quiet) == 0) {
        hb_escape(shown, sizeof shown, name);
        dprintf(fd, "%s %s: ", question, shown);
        st = read_keys(fd, out);
    } else {
        st = HB_FAIL(HB_ENOINPUT, "a passphrase cannot be asked for: %s", strerror(errno));
    }
    tcsetattr(fd, TCSAFLUSH, &before);
    dprintf(fd, "\n");
    pthread_sigmask(SIG_SETMASK, &masked, NULL);
    return st;
}

static hb_status ask_twice(int fd, const char *name, hb_passphrase *out)
{
    hb_passphrase again;
    hb_lock(&again, sizeof again);
    hb_status st = ask(fd, "New passphrase of", name, out);
    st = st == HB_OK ? ask(fd, "The same again, of", name, &again) : st;
    if (st == HB_OK && (again.length != out->length || memcmp(again.text, out->text, out->length) != 0)) {
        st = HB_FAIL(HB_EUSAGE, "the two passphrases differ");
    }
    hb_wipe(&again, sizeof again);
    return st;
}

static hb_status read_terminal(const char *name, bool fresh, hb_passphrase *out)
{
    const int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    /* Who runs in the background would be stopped by asking. */
    if (fd < 0 || tcgetpgrp(fd) != getpgrp()) {
        if (fd >= 0) {
            close(fd);
        }
        return HB_FAIL(HB_ENOINPUT,
                       "%s: is sealed by a passphrase, and there is no terminal to ask for it: tell where it "
                       "is with --passphrase fd:N, file:PATH or command:CMD",
                       name);
    }
    const hb_status st = fresh ? ask_twice(fd, name, out) : ask(fd, "Passphrase of", name, out);
    close(fd);
    return st;
}

static hb_status read_from(const char *where, const char *name, bool fresh, hb_passphrase *out)
{
    if (where == NULL) {
        return read_terminal(name, fresh, out);
    }
    HB_TRY(check(where));
    const char *rest;
    if ((rest = behind(where, "fd:")) != NULL) {
        return read_descriptor(rest, out);
    }
    if ((rest = behind(where, "file:")) != NULL) {
        return read_file(rest, out);
    }
    return read_command(behind(where, "command:"), out);
}

hb_status hb_passphrase_read(hb_passphrase *out, const char *name, const char *where, bool fresh)
{
    hb_lock(out, sizeof *out);
    HB_TRY(read_from(where != NULL ? where : source, name, fresh, out));
    return out->length > 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "%s: an empty passphrase seals nothing", name);
}
