/* The caller's side of the process that reads a table of others: it is started, told and heard, waited for as long as
 * it gets on, and ended. */
#include "process_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/seed.h"

extern char **environ;

/* Milliseconds from one look at a reader that computes to the next; seconds without processor time of its that end it,
 * more than a network's file system takes to come back; and those in which an answer may still come to a job that is to
 * stop, so that its unit is not lost. */
enum { LOOK_EVERY = 200, IDLE_MOST = 300, STOP_AFTER = 3, SECONDS_PER_MINUTE = 60 };
#define NANOSECONDS ((int64_t)1000000000)

/* --- the process */

static hb_status no_reader(const hb_h5_process *process, int error)
{
    return HB_FAIL(HB_EUNAVAILABLE, "%s: cannot start the process that reads HDF5 tables: %s", process->name,
                   strerror(error));
}

/* The descriptors that the reader gets, all above its own numbers for them. */
typedef struct given_files {
    int socket, memory, table;
} given_files;

/* Gives these to the reader, and closes standard streams to it: this process reports a crash better than its own
 * output. */
static int set_files(posix_spawn_file_actions_t *files, const given_files *given)
{
    int error = 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && error == 0; fd++) {
        error = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
    }
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(files, given->socket, HB_H5_PROCESS_SOCKET);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(files, given->memory, HB_H5_PROCESS_MEMORY);
    return error != 0 ? error : posix_spawn_file_actions_adddup2(files, given->table, HB_H5_PROCESS_FILE);
}

/* Blocks all signals in the reader: a signal to the group of processes is for the caller, which may need the reader to
 * end in good order. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t all;
    sigfillset(&all);
    const int error = posix_spawnattr_setsigmask(attributes, &all);
    return error != 0 ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

/* Starts the program by its name, where that still leads to it: under valgrind /proc/self/exe is valgrind's. Returns 0
 * or an errno. */
static int spawn(pid_t *pid, const given_files *given)
{
    char own[PATH_MAX + 1] = "", name[] = HB_H5_PROCESS_NAME;
    /* The name by which the process sees that it is the reader. */
    char *const arguments[] = {name, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    const ssize_t length = readlink("/proc/self/exe", own, PATH_MAX);
    if (length <= 0 || length >= PATH_MAX || access(own, X_OK) != 0) {
        strcpy(own, "/proc/self/exe");
    }
    /* The functions return their error; errno says nothing here. */
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_files(&files, given);
        error = error != 0 ? error : set_signals(&attributes);
        error = error != 0 ? error : posix_spawn(pid, own, &files, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* A duplicate of the descriptor above the reader's numbers, which file actions would otherwise overwrite; -1 with
 * errno. */
static int above_own(int fd)
{
    return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HB_H5_PROCESS_FILE + 1);
}

/* The same for a descriptor of this process alone, which is closed. */
static int move_above_own(int fd)
{
    const int moved = above_own(fd);
    if (fd >= 0) {
        close(fd);
    }
    return moved;
}

/* Makes socket, memory and process. After a failure hb_h5_process_close closes the parts that exist. */
hb_status hb_h5_process_start(hb_h5_process *process, int fd)
{
    int pair[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return no_reader(process, errno);
    }
    /* All are closed on exec, so the reader has only what set_files gives it; this end stays with the caller. */
    process->socket = pair[0];
    process->memory = move_above_own(memfd_create("cells", MFD_CLOEXEC));
    const given_files given = {move_above_own(pair[1]), process->memory, above_own(fd)};
    const bool all = given.socket >= 0 && given.memory >= 0 && given.table >= 0;
    const int error = all ? spawn(&process->pid, &given) : errno;
    if (given.socket >= 0) {
        close(given.socket);
    }
    if (given.table >= 0) {
        close(given.table);
    }
    if (error != 0) {
        process->pid = 0;
        return no_reader(process, error);
    }
    return HB_OK;
}

/* Says why the process is gone, by how it ended. */
static hb_status explain_end(hb_h5_process *process)
{
    int status = 0;
    const pid_t pid = process->pid;
    pid_t ended;
    /* It is waited for once; from here on requests are refused. */
    process->pid = 0;
    do {
        ended = waitpid(pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    const int signal = ended == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGKILL) {
        return HB_FAIL(HB_ENOMEM, "%s: the process that read it was killed, as when memory runs out", process->name);
    }
    if (signal == SIGXCPU) {
        return HB_FAIL(HB_EDATA, "%s: HDF5 came to no end with it: the file is damaged", process->name);
    }
    if (signal != 0) {
        return HB_FAIL(HB_EDATA, "%s: HDF5 crashed on it (%s): the file is damaged, or memory ended; h5dump shows more",
                       process->name, strsignal(signal));
    }
    /* as a loader ends that finds no memory, or no library; sanitizers end a crash with a code of their own */
    const int code = ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
    if (code == 126 || code == 127) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s: the process that reads HDF5 tables could not start", process->name);
    }
    return HB_FAIL(HB_EDATA, "%s: HDF5 ended on it with exit code %d: the file is damaged", process->name, code);
}

void hb_h5_process_close(hb_h5_process *process)
{
    if (process->cells != NULL) {
        hb_wipe(process->cells, process->bytes);
        munmap(process->cells, process->bytes);
    }
    if (process->socket > 0) {
        close(process->socket); /* at which it ends */
    }
    if (process->memory > 0) {
        close(process->memory);
    }
    if (process->pid > 0) {
        (void)kill(process->pid, SIGKILL); /* it may be led astray, and has nothing to finish */
    }
    while (process->pid > 0 && waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *process = (hb_h5_process){.pid = 0};
}

/* --- messages */

/* Ends a reader that does nothing but wait for a file system that does not answer. */
static hb_status end_idle(hb_h5_process *process)
{
    (void)kill(process->pid, SIGKILL);
    (void)explain_end(process);
    return HB_FAIL(HB_EIO, "%s: nothing of it could be read for %d minutes: is its file system there?", process->name,
                   IDLE_MOST / SECONDS_PER_MINUTE);
}

/* Ends a reader whose answer is not wanted any more. */
static hb_status end_stopped(hb_h5_process *process)
{
    const hb_status st = process->stopped != NULL ? process->stopped() : HB_OK;
    if (st != HB_OK) {
        const hb_error why = *hb_last_error();
        (void)kill(process->pid, SIGKILL);
        (void)explain_end(process);
        hb_set_error(&why);
    }
    return st;
}

/* The processor time that the reader has used, in nanoseconds: it moves as long as anything is read. */
static int64_t used_by(const hb_h5_process *process)
{
    clockid_t clock;
    struct timespec used = {0, 0};
    return clock_getcpuclockid(process->pid, &clock) == 0 && clock_gettime(clock, &used) == 0
               ? (int64_t)used.tv_sec * NANOSECONDS + used.tv_nsec
               : 0;
}

/* Waits until the socket has something to read, or takes something. The reader itself limits how long it computes. */
static hb_status wait_for(hb_h5_process *process, short event)
{
    struct timespec now, since, begin;
    int64_t used = -1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    since = begin;
    for (struct pollfd socket = {.fd = process->socket, .events = event};;) {
        const int ready = poll(&socket, 1, LOOK_EVERY);
        if (ready > 0) {
            return HB_OK;
        }
        const int64_t more = used_by(process);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - begin.tv_sec >= STOP_AFTER) {
            HB_TRY(end_stopped(process));
        }
        if (more != used) {
            used = more;
            since = now;
        } else if (now.tv_sec - since.tv_sec >= IDLE_MOST) {
            return end_idle(process);
        }
    }
}

/* Sends everything to the reader; a reader that is gone is asked why. */
hb_status hb_h5_process_tell(hb_h5_process *process, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        HB_TRY(wait_for(process, POLLOUT));
        /* A reader that is gone must not end this process by SIGPIPE. */
        const ssize_t done = send(process->socket, from, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (done <= 0) {
            return explain_end(process);
        }
        from += done;
        bytes -= (size_t)done;
    }
    return HB_OK;
}

/* Receives exactly so much from the reader. */
hb_status hb_h5_process_hear(hb_h5_process *process, void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        HB_TRY(wait_for(process, POLLIN));
        const ssize_t done = recv(process->socket, to, bytes, MSG_DONTWAIT);
        if (done < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (done <= 0) {
            return explain_end(process);
        }
        to += done;
        bytes -= (size_t)done;
    }
    return HB_OK;
}
