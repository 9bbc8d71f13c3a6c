#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/streams.h"
#include "folder.h"
#include "mpi/group/launcher.h"
#include "request.h"

extern char **environ;

/* A job that was handed over. */
typedef struct handed {
    const char *folder;
    int socket, signals; /* signals: -1 until the job has begun */
    hb_answer answer;    /* the last one, of which `held` bytes are there */
    size_t held;
    double first[NSIG]; /* when a signal came first; 0: it did not */
} handed;

static hb_status lost(const handed *h)
{
    return h->signals < 0 ? HB_FAIL(HB_EUNAVAILABLE, "%s: the server ended before the job began", h->folder)
                          : HB_FAIL(HB_EUNAVAILABLE,
                                    "%s: the server is gone in the middle of the job; --resume goes on with what the "
                                    "job may have left unfinished",
                                    h->folder);
}

static hb_status connect_to(const char *path, int *socket)
{
    int folder;
    HB_TRY(hb_folder_open(path, false, &folder));
    hb_status st = hb_folder_connect(folder, path, HB_FOLDER_JOBS, socket);
    if (st == HB_EUNAVAILABLE && hb_folder_find_server(folder, path) == HB_OK) {
        st = HB_FAIL(HB_EUNAVAILABLE, "%s: the server there takes no jobs now, as it begins or ends", path);
    }
    close(folder);
    return st;
}

/* From when the job has begun, signals are the job's. */
static hb_status take_signals(handed *h)
{
    sigset_t set;
    sigemptyset(&set);
    for (int s = 1; s < NSIG; s++) {
        if (hb_signal_is_passed(s)) {
            sigaddset(&set, s);
        }
    }
    if (sigprocmask(SIG_BLOCK, &set, NULL) == 0) {
        h->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    return h->signals >= 0 ? HB_OK : HB_FAIL(HB_EIO, "cannot wait for signals: %s", strerror(errno));
}

/* Ends this process as if the signal were not caught; the server then stops the job. */
static void end_by(int signal_number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void pass_signal(handed *h)
{
    struct signalfd_siginfo info;
    if (read(h->signals, &info, sizeof info) != (ssize_t)sizeof info || info.ssi_signo >= NSIG) {
        return;
    }
    const int number = (int)info.ssi_signo;
    const double now = hb_now();
    if (h->first[number] == 0) {
        h->first[number] = now;
    } else if (now - h->first[number] >= 1 && number != SIGUSR1) {
        end_by(number);
    }
    const uint8_t byte = (uint8_t)number;
    (void)!send(h->socket, &byte, 1, MSG_NOSIGNAL);
}

/* Takes what has come of an answer. *over: it is the last one. */
static hb_status hear(handed *h, bool *over)
{
    const hb_status st = hb_answer_receive(h->socket, &h->answer, &h->held);
    if (st == HB_EPEER) {
        return lost(h);
    }
    HB_TRY(st);
    if (h->held < sizeof h->answer) {
        return HB_OK;
    }
    h->held = 0;
    *over = h->answer.kind != HB_ANSWER_BEGUN;
    return *over ? HB_OK : take_signals(h);
}

static hb_status wait_for_end(handed *h)
{
    bool over = false;
    while (!over) {
        struct pollfd both[2] = {{.fd = h->socket, .events = POLLIN}, {.fd = h->signals, .events = POLLIN}};
        if (poll(both, h->signals >= 0 ? 2 : 1, -1) < 0 && errno != EINTR) {
            return HB_FAIL(HB_EIO, "cannot wait for the server: %s", strerror(errno));
        }
        if (h->signals >= 0 && (both[1].revents & POLLIN) != 0) {
            pass_signal(h);
        }
        if (both[0].revents != 0) {
            HB_TRY(hear(h, &over));
        }
    }
    return HB_OK;
}

/* The descriptor above 2 that a path within a word names, as a shell's <(..) does; NULL: none. A path begins the word,
 * or stands behind one of the signs of options and bindings. */
static const char *find_descriptor(const char *word)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (const char *at = strchr(word, '/'); at != NULL; at = strchr(at + 1, '/')) {
        const bool begins = at == word || strchr("=,:", at[-1]) != NULL;
        for (size_t f = 0; begins && f < sizeof folders / sizeof *folders; f++) {
            const size_t length = strlen(folders[f]);
            if (strncmp(at, folders[f], length) == 0 && strtoul(at + length, NULL, 10) > STDERR_FILENO) {
                return at;
            }
        }
    }
    return NULL;
}

/* Descriptors 0 to 2 alone go to the server, where another number means a file of its own. */
static hb_status check_descriptors(char **texts, const char *beginning)
{
    for (size_t i = 0; texts[i] != NULL; i++) {
        const bool counts = strncmp(texts[i], beginning, strlen(beginning)) == 0;
        const char *named = counts ? find_descriptor(texts[i]) : NULL;
        if (named != NULL) {
            return HB_FAIL(HB_EUSAGE, "%s: a server cannot read what the shell's <(..) opens here: write a file",
                           named);
        }
    }
    return HB_OK;
}

static mode_t mask_of(void)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    return mask;
}

/* The descriptors of this process, which its main function has seen to, and its working directory. */
static hb_status add_descriptors(hb_request *request)
{
    for (int i = 0; i < HB_REQUEST_DIRECTORY; i++) {
        request->fd[i] = fcntl(i, F_DUPFD_CLOEXEC, HB_REQUEST_DESCRIPTORS);
        if (request->fd[i] < 0) {
            return HB_FAIL(HB_EIO, "cannot hand descriptors over: %s", strerror(errno));
        }
    }
    request->fd[HB_REQUEST_DIRECTORY] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return request->fd[HB_REQUEST_DIRECTORY] >= 0
               ? HB_OK
               : HB_FAIL(HB_EIO, "cannot hand the working directory over: %s", strerror(errno));
}

/* The outcome of an answer that is the last one. */
static hb_status outcome(const hb_answer *answer)
{
    hb_set_error(&answer->error);
    return (hb_status)answer->code;
}

static hb_status hand_over(const char *folder, hb_request *request, bool *told)
{
    handed h = {.folder = folder, .signals = -1};
    HB_TRY(connect_to(folder, &h.socket));
    hb_status st = hb_request_send(h.socket, request);
    st = st == HB_EPEER ? HB_OK : st; /* it may have been refused before all was sent */
    st = st == HB_OK ? wait_for_end(&h) : st;
    if (st == HB_OK) {
        *told = h.answer.kind == HB_ANSWER_ENDED;
        st = outcome(&h.answer);
    }
    close(h.socket);
    if (h.signals >= 0) {
        close(h.signals);
    }
    return st;
}

/* *told: the server has printed the reason of a failure. */
static hb_status run_there(const char *folder, const char *build_id, double began, char **words, bool *told)
{
    hb_request request;
    HB_TRY(check_descriptors(words, ""));
    HB_TRY(check_descriptors(environ, "HEBATCH_")); /* options, too */
    hb_status st = hb_request_make(&request, HB_REQUEST_JOB, build_id, words, environ);
    request.head.began = began;
    request.head.mask = (uint32_t)mask_of();
    st = st == HB_OK ? add_descriptors(&request) : st;
    st = st == HB_OK ? hand_over(folder, &request, told) : st;
    hb_request_clear(&request);
    return st;
}

#define LISTED(name) #name ", "
static const char no_other[] =
    "--server: a server runs " HB_COMMANDS_SERVED(LISTED) "and nothing else; it gets no secret key: leave it out";
#undef LISTED

bool hb_client_run(const char *command, const char *build_id, double began, char **words, const hb_common *common,
                   hb_status *status)
{
    /* A variable is for the commands that servers run, an option for the command that it stands in. */
    const bool served = hb_command_is_served(command);
    const bool named = common->server != NULL && common->server != getenv("HEBATCH_SERVER");
    const bool empty = common->server != NULL && common->server[0] == '\0';
    bool told = false;
    if (common->server == NULL || (!named && (!served || empty))) {
        return false;
    }
    if (!served) {
        *status = HB_FAIL(HB_EUSAGE, "%s", no_other);
    } else if (empty) {
        *status = HB_FAIL(HB_EUSAGE, "--server: the name of the folder is empty");
    } else if (hb_launcher_detect().ranks > 1) {
        *status = HB_FAIL(HB_EUSAGE, "--server: the ranks are those of the server: leave the launcher out");
    } else {
        *status = run_there(common->server, build_id, began, words, &told);
    }
    if (*status != HB_OK && told) {
        hb_streams_pass_on(hb_last_error());
    } else if (*status != HB_OK) {
        hb_streams_failure(true, common, command, hb_last_error()->text);
    }
    return true;
}

/* A server that runs a job answers behind it. */
static void tell_of_job(int socket)
{
    enum { SOON = 1000 }; /* milliseconds, in which one without a job has answered */
    struct pollfd answer = {.fd = socket, .events = POLLIN};
    if (poll(&answer, 1, SOON) == 0) {
        hb_streams_line("hebatch: ", "waits        for the job that runs; a signal to the server stops that job");
    }
}

hb_status hb_client_stop(const char *folder, const char *build_id, const hb_common *common)
{
    hb_request request;
    char *none[] = {NULL};
    int socket;
    HB_TRY(connect_to(folder, &socket));
    hb_status st = hb_request_make(&request, HB_REQUEST_STOP, build_id, none, none);
    st = st == HB_OK ? hb_request_send(socket, &request) : st;
    hb_request_clear(&request);
    handed h = {.folder = folder, .socket = socket, .signals = -1};
    if (st == HB_OK && !common->quiet) {
        tell_of_job(socket);
    }
    if (st == HB_OK || st == HB_EPEER) {
        st = wait_for_end(&h);
        st = st == HB_OK ? outcome(&h.answer) : st;
    }
    close(socket);
    return st;
}
