#include "phase.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/seed.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/stop.h"
#include "cli/streams.h"
#include "phase_progress.h"

extern char **environ;

enum { READ = 0, WRITE = 1 };
enum { MOST_OUTPUT = 1 << 28, LINE = 4096, LOOK_EVERY = 500 /* ms */, LINE_OF_PHASE = 160 };
/* Where a command reads a passphrase that is handed to it, and where it writes its failure. */
enum { PASSPHRASE_FD = 3, ERROR_FD = 4 };
static char error_variable[] = HB_STREAMS_ERROR_FD "=4";
enum { ABOVE = 10 }; /* the descriptors that a command gets */
/* Seconds from the start of a command until it is asked how far it is. */
static const double patience = 2;
/* Seconds that a command has to end by itself once it is asked to. */
static const double grace = 3;
/* Seconds from one line to the next, at most. */
static const double longest_silence = 10;

/* A command that runs. */
typedef struct running {
    hb_phases *phases;
    const hb_phase *phase;
    pid_t pid;
    int out, err;       /* what it writes; -1: ended */
    int failure;        /* gives its hb_error; -1: it gives none */
    char *text;         /* its stdout */
    size_t bytes, room; /* of it */
    char line[LINE];    /* of its stderr, not ended yet */
    size_t length;
    char reason[sizeof(((hb_error *)NULL)->text)]; /* why it failed, in its words */
    char said[160];                                /* the first words of a launcher */
    char how[HB_PHASE_HOW];                        /* how far it was by its own words; "": it has not said */
    double started, shown;                         /* shown: or asked */
    double heard;                                  /* when the last line was shown */
    bool passed_on;                                /* a request to stop */
    double passed_at;                              /* when */
} running;

/* The program by its name, where that still leads to it. */
static void own_name(char out[PATH_MAX + 1])
{
    const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX);
    out[length > 0 ? length : 0] = '\0';
    if (length <= 0 || access(out, X_OK) != 0) {
        strcpy(out, "/proc/self/exe");
    }
}

/* Whether a command gets the passphrase that was read for all of them. A launcher would not hand it on. */
static bool gets_passphrase(const running *r)
{
    return r->phase->secret && r->phases->passphrase.length > 0;
}

static bool is_launched(const running *r)
{
    return r->phase->shared && r->phases->ranks > 1 && !gets_passphrase(r);
}

static hb_status words_of(const running *r, hb_words *words)
{
    char own[PATH_MAX + 1];
    const hb_phases *phases = r->phases;
    own_name(own);
    if (is_launched(r)) {
        HB_TRY(hb_words_add(words, "mpirun"));
        HB_TRY(hb_words_add(words, "-n"));
        HB_TRY(hb_words_addf(words, "%llu", (unsigned long long)phases->ranks));
    }
    HB_TRY(hb_words_add(words, own));
    for (size_t i = 1; i < r->phase->words->count; i++) {
        HB_TRY(hb_words_add(words, r->phase->words->word[i]));
    }
    if (gets_passphrase(r)) {
        HB_TRY(hb_words_addf(words, "--passphrase=fd:%d", PASSPHRASE_FD));
    } else if (r->phase->secret && phases->common->passphrase != NULL) {
        HB_TRY(hb_words_addf(words, "--passphrase=%s", phases->common->passphrase));
    }
    if (phases->common->verbose > 0) {
        return hb_words_add(words, "--verbose");
    }
    return hb_words_add(words, "--quiet");
}

/* Whether a variable is an option of commands, of which they get words alone: those of ask are taken by it, and others
 * are about other commands, as HEBATCH_KEY. Variables about devices stay. */
static bool is_option(const char *variable)
{
    static const char *const stay[] = {
        "DEVICE=", "GPU_MEMORY=", "SHARE_GPU=", "NTT_PLAN=", "GPU_CHECK=", "QUEUES=", "IO_THREADS="};
    static const char prefix[] = "HEBATCH_";
    bool is = strncmp(variable, prefix, sizeof prefix - 1) == 0;
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        is = is && strncmp(variable + sizeof prefix - 1, stay[i], strlen(stay[i])) != 0;
    }
    return is;
}

/* The environment of commands; its texts are borrowed. errors: of one that writes its failure. NULL when out of
 * memory. */
static char **environment_of(bool errors)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **all = calloc(count + 2, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++) {
        if (!is_option(environ[i])) {
            all[kept++] = environ[i];
        }
    }
    if (all != NULL && errors) {
        all[kept] = error_variable;
    }
    return all;
}

static void close_all(const int *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

/* The ends of pipes that a command gets; -1: none. */
typedef struct pipe_ends {
    int out, err, passphrase, error;
    int failure; /* takes errno of a command that cannot be started */
} pipe_ends;

/* Makes a descriptor that the command inherits of one that it would not. */
static bool hand_over(int from, int to)
{
    return from < 0 || (from == to ? fcntl(to, F_SETFD, 0) == 0 : dup2(from, to) == to);
}

/* Is the new process: becomes the command, which ends with its parent. A launcher ends its ranks when it is asked to
 * end; other commands have no time left to answer in. All signals are blocked: one that comes now waits for the
 * command, and is not lost in a handler of this program. */
static _Noreturn void become(char *const *words, char **variables, const pipe_ends *ends, bool launched, pid_t parent)
{
    static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR2};
    sigset_t none;
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        signal(caught[i], SIG_DFL);
    }
    sigemptyset(&none);
    if (prctl(PR_SET_PDEATHSIG, launched ? SIGTERM : SIGKILL) == 0 && getppid() == parent &&
        hand_over(ends->out, STDOUT_FILENO) && hand_over(ends->err, STDERR_FILENO) &&
        hand_over(ends->passphrase, PASSPHRASE_FD) && hand_over(ends->error, ERROR_FD) &&
        sigprocmask(SIG_SETMASK, &none, NULL) == 0) {
        environ = variables;
        execvp(words[0], words);
    }
    const int error = errno;
    (void)!write(ends->failure, &error, sizeof error);
    _exit(HB_EUNAVAILABLE);
}

/* Starts it with these ends of pipes. It does not die of being asked how far it is before it can answer. Returns
 * errno. */
static int spawn(pid_t *pid, char *const *words, pipe_ends ends, bool launched)
{
    int failure[2], error = 0;
    char **own = environment_of(ends.error >= 0);
    sigset_t all, before;
    if (own == NULL || pipe2(failure, O_CLOEXEC) != 0) {
        error = own == NULL ? ENOMEM : errno;
        free(own);
        return error;
    }
    ends.failure = fcntl(failure[WRITE], F_DUPFD_CLOEXEC, ABOVE);
    close(failure[WRITE]);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    const pid_t child = ends.failure >= 0 ? fork() : -1;
    if (child == 0) {
        become(words, own, &ends, launched, parent);
    }
    error = child < 0 ? errno : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close_all(&ends.failure, 1);
    while (child > 0 && read(failure[READ], &error, sizeof error) < 0 && errno == EINTR) {
    }
    close(failure[READ]);
    free(own);
    if (child > 0 && error != 0) {
        (void)waitpid(child, NULL, 0);
    }
    *pid = error == 0 ? child : 0;
    return error;
}

/* Opens a pipe that a passphrase can be read from. */
static hb_status offer_passphrase(const hb_passphrase *passphrase, int *from)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return HB_FAIL(HB_EUNAVAILABLE, "cannot hand a passphrase over: %s", strerror(errno));
    }
    /* A pipe holds so few bytes before anybody reads them. */
    const struct iovec parts[2] = {{(void *)passphrase->text, passphrase->length}, {(void *)"\n", 1}};
    const bool written = writev(ends[WRITE], parts, 2) == (ssize_t)passphrase->length + 1;
    close(ends[WRITE]);
    *from = ends[READ];
    return written ? HB_OK : HB_FAIL(HB_EUNAVAILABLE, "cannot hand a passphrase over: %s", strerror(errno));
}

/* Opens the pipe of a failure; returns the end for the command, which no end of its other pipes replaces. */
static int open_failure(running *r)
{
    int ends[2];
    if (is_launched(r) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return -1; /* the reason comes as words alone */
    }
    const int end = fcntl(ends[WRITE], F_DUPFD_CLOEXEC, ABOVE);
    close(ends[WRITE]);
    r->failure = ends[READ];
    return end;
}

static hb_status start(running *r)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1}, passphrase = -1, error = 0;
    hb_words words = {0};
    hb_status st = words_of(r, &words);
    st = st == HB_OK && gets_passphrase(r) ? offer_passphrase(&r->phases->passphrase, &passphrase) : st;
    if (st == HB_OK && (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)) {
        error = errno;
    }
    const pipe_ends ends = {out[WRITE], err[WRITE], passphrase, open_failure(r), -1};
    error = st == HB_OK && error == 0 ? spawn(&r->pid, words.word, ends, is_launched(r)) : error;
    if (st == HB_OK && error != 0) {
        st = HB_FAIL(HB_EUNAVAILABLE, "cannot start %s: %s", words.word[0], strerror(error));
    }
    hb_words_clear(&words);
    close_all((const int[]){out[WRITE], err[WRITE], passphrase, ends.error}, 4);
    r->out = out[READ];
    r->err = err[READ];
    return st;
}

/* Draws or prints what it is at; `how`: how far it is. */
static void show(running *r, const char *how)
{
    const hb_phases *p = r->phases;
    char line[LINE_OF_PHASE + 64];
    const int bytes = snprintf(line, sizeof line, HB_STREAMS_ERASE "[%u/%u] %.90s%s%.60s", p->now, p->count,
                               r->phase->title, how[0] != '\0' ? ": " : " ...", how);
    if (p->terminal) {
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)bytes);
        (void)ignored; /* a lost progress line is no failure of the job */
    } else {
        hb_console_log(p->group, p->common, "%s", line + sizeof HB_STREAMS_ERASE - 1);
    }
    r->shown = r->heard = hb_now();
}

/* Shows what a line of its stderr says of how far it is. Returns whether it says that. */
static bool take_progress(running *r, const char *line)
{
    if (!hb_phase_progress(line, r->how)) {
        return false;
    }
    if (r->phase->title != NULL && !r->phases->common->quiet) {
        show(r, r->how);
    }
    return true;
}

/* A line of its stderr: progress, a reason, or a warning. */
static void take_line(running *r)
{
    const hb_phases *p = r->phases;
    const char *line = r->line;
    char own[64];
    r->line[r->length] = '\0';
    r->length = 0;
    snprintf(own, sizeof own, "hebatch %s: ", r->phase->words->word[1]);
    if (strncmp(line, own, strlen(own)) == 0) {
        snprintf(r->reason, sizeof r->reason, "%.500s", line + strlen(own));
        return;
    }
    const char *text = strncmp(line, "hebatch: ", 9) == 0 ? line + 9 : line;
    const bool launcher = text == line && is_launched(r);
    if (launcher && r->said[0] == '\0' && line[0] != '-') {
        snprintf(r->said, sizeof r->said, "%.150s", line);
    }
    if (p->common->verbose > 0) {
        hb_console_log(p->group, p->common, "  %s", text);
    } else if (!take_progress(r, text) && text[0] != '\0' && !launcher && !hb_run_has_warned(p->group, text)) {
        hb_console_warn(p->group, "%s", text);
    }
}

static void read_err(running *r)
{
    char part[LINE];
    const ssize_t got = read(r->err, part, sizeof part);
    if (got <= 0 && !(got < 0 && errno == EINTR)) {
        close(r->err);
        r->err = -1;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (part[i] == '\n') {
            take_line(r);
        } else if (r->length + 1 < sizeof r->line) {
            r->line[r->length++] = part[i];
        }
    }
}

static hb_status read_out(running *r)
{
    enum { STEP = 1 << 16 };
    if (r->room - r->bytes < STEP) {
        const size_t room = 2 * r->room + 2 * STEP;
        char *grown = room < MOST_OUTPUT ? hb_wipe_and_grow(r->text, r->bytes, r->room, room) : NULL;
        if (grown == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for what a command says");
        }
        r->text = grown;
        r->room = room;
    }
    const ssize_t got = read(r->out, r->text + r->bytes, STEP - 1);
    if (got > 0) {
        r->bytes += (size_t)got;
    } else if (!(got < 0 && errno == EINTR)) {
        close(r->out);
        r->out = -1;
    }
    return HB_OK;
}

/* It does not answer: a step of it takes long. */
static void tell_age(running *r, double seconds)
{
    char text[HB_PHASE_HOW + 64];
    snprintf(text, sizeof text, "%.100s%s%.60s so far", r->how, r->how[0] != '\0' ? ", " : "",
             hb_human_seconds(seconds).text);
    show(r, text);
}

/* Passes a request to stop on, and asks how far the command is. A terminal has sent it its own request. A command that
 * goes on with a step of minutes is ended: nothing takes up its half. A launcher ends its ranks at a second request. */
static void look_after(running *r)
{
    const hb_phases *p = r->phases;
    const double now = hb_now();
    if (hb_stop_check() != HB_OK && (!r->passed_on || now - r->passed_at > grace)) {
        (void)kill(r->pid, r->passed_on && !is_launched(r) ? SIGKILL : SIGTERM);
        r->passed_on = true;
        r->passed_at = now;
    }
    const double every = p->terminal ? 1 : fmin(p->common->progress, longest_silence);
    const bool alone = !is_launched(r);
    if (r->phase->title != NULL && !p->common->quiet && alone && now - r->started > patience &&
        now - r->shown > every) {
        r->shown = now;
        (void)kill(r->pid, SIGUSR1);
    }
    if (r->phase->title != NULL && !p->common->quiet && now - r->heard > longest_silence) {
        tell_age(r, now - r->started);
    }
}

static hb_status watch(running *r)
{
    hb_status st = HB_OK;
    while (r->out >= 0 || r->err >= 0) {
        struct pollfd files[2] = {{r->out, POLLIN, 0}, {r->err, POLLIN, 0}};
        const int ready = poll(files, 2, LOOK_EVERY);
        if (ready > 0 && files[0].revents != 0) {
            const hb_status own = read_out(r);
            if (own != HB_OK && st == HB_OK) {
                st = own;
                (void)kill(r->pid, SIGTERM);
                close(r->out);
                r->out = -1;
            }
        }
        if (ready > 0 && files[1].revents != 0) {
            read_err(r);
        }
        look_after(r);
    }
    return st;
}

/* Says how it ended. */
static hb_status explain(running *r, int status)
{
    const char *name = r->phase->words->word[1];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return HB_OK;
    }
    r->phases->last = WIFEXITED(status) ? WEXITSTATUS(status) : HB_EINTERNAL;
    if (r->passed_on || (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL && hb_stop_check() != HB_OK)) {
        return hb_stop_check();
    }
    if (WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGKILL ? HB_FAIL(HB_ENOMEM, "%s was killed, as when memory runs out", name)
                                           : HB_FAIL(HB_EINTERNAL, "%s crashed: %s", name, strsignal(WTERMSIG(status)));
    }
    hb_error error;
    if (r->failure >= 0 && read(r->failure, &error, sizeof error) == (ssize_t)sizeof error) {
        hb_set_error(&error);
        return (hb_status)r->phases->last;
    }
    const bool as_root = r->reason[0] == '\0' && strstr(r->said, "run as root") != NULL;
    return HB_FAIL((hb_status)r->phases->last, "%s%s",
                   r->reason[0] != '\0' ? r->reason
                   : r->said[0] != '\0' ? r->said
                                        : name,
                   as_root ? " To let it: export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" : "");
}

hb_status hb_phase_run(hb_phases *phases, const hb_phase *phase, char **out)
{
    running r = {.phases = phases, .phase = phase, .out = -1, .err = -1, .failure = -1, .started = hb_now()};
    int status = 0;
    phases->last = 0;
    HB_TRY(hb_stop_check());
    if (phase->title != NULL && !phases->common->quiet) {
        show(&r, "");
    }
    hb_status st = start(&r);
    st = st == HB_OK ? watch(&r) : st;
    close_all((const int[]){r.out, r.err}, 2);
    while (r.pid > 0 && waitpid(r.pid, &status, 0) < 0 && errno == EINTR) {
    }
    st = st == HB_OK ? explain(&r, status) : st;
    close_all(&r.failure, 1);
    if (phases->terminal && phase->title != NULL && !phases->common->quiet) {
        ssize_t ignored = write(STDERR_FILENO, "\n", 1);
        (void)ignored;
    }
    if (st == HB_OK && out != NULL && r.text != NULL) {
        r.text[r.bytes] = '\0';
        *out = r.text;
        return HB_OK;
    }
    if (r.text != NULL) {
        hb_wipe(r.text, r.room);
    }
    free(r.text);
    return st;
}
