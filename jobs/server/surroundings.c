#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"

extern char **environ;

/* Variables of launchers, devices and their libraries, by their beginnings: the server's own. */
static bool stays(const char *variable)
{
    static const char *const beginnings[] = {"OMPI_", "PMIX_", "PRTE_", "PMI_", "MV2_", "UCX_", "CUDA_", "NCCL_"};
    bool found = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        found = found || strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0;
    }
    return found;
}

/* Variables that tell a client of its parent, of a descriptor that it has inherited and of its server. */
static bool is_of_process(const char *variable)
{
    static const char *const names[] = {"HEBATCH_ERROR_FD=", "HEBATCH_PARENT=", "HEBATCH_SERVER="};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strncmp(variable, names[i], strlen(names[i])) == 0;
    }
    return found;
}

/* Length of the name of a variable; 0: it has none. */
static size_t name_length(const char *variable)
{
    const char *end = strchr(variable, '=');
    return end != NULL ? (size_t)(end - variable) : 0;
}

/* Takes the first variable that does not stay out of the environment: *taken, NULL: there is none. HB_ENOMEM. */
static hb_status take_variable(char **taken)
{
    *taken = NULL;
    for (size_t i = 0; *taken == NULL && environ[i] != NULL; i++) {
        const bool goes = name_length(environ[i]) > 0 && !stays(environ[i]);
        *taken = goes ? environ[i] : NULL;
    }
    if (*taken == NULL) {
        return HB_OK;
    }
    char *name = strndup(*taken, name_length(*taken));
    const bool gone = name != NULL && unsetenv(name) == 0;
    free(name);
    return gone ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the environment of a job");
}

/* Texts of a process's environment last as long as it does, so they can be put back (putenv). Nothing replaces
 * `environ` itself: a library that sets a variable meanwhile changes the one list that there is. HB_ENOMEM. */
static hb_status put_variables(hb_surroundings *own, char **job)
{
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    own->variables = calloc(count + 1, sizeof *own->variables);
    bool put = own->variables != NULL;
    for (size_t i = 0; put && i < count; i++) {
        HB_TRY(take_variable(&own->variables[i]));
    }
    for (size_t i = 0; put && job[i] != NULL; i++) {
        put = name_length(job[i]) == 0 || stays(job[i]) || is_of_process(job[i]) || putenv(job[i]) == 0;
    }
    return put ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the environment of a job");
}

static hb_status put_variables_back(const hb_surroundings *own)
{
    char *variable;
    bool put = true, taken;
    do { /* the server's own are put back whatever is left of the job's */
        taken = take_variable(&variable) == HB_OK;
        put = put && taken;
    } while (taken && variable != NULL);
    for (size_t i = 0; own->variables[i] != NULL; i++) {
        put = putenv(own->variables[i]) == 0 && put;
    }
    return put ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the server's own environment");
}

static hb_status failed(const char *what)
{
    return HB_FAIL(HB_EIO, "%s: %s", what, strerror(errno));
}

static hb_status put_aside(hb_surroundings *own)
{
    for (int i = 0; i < HB_REQUEST_DIRECTORY; i++) {
        own->fd[i] = fcntl(i, F_DUPFD_CLOEXEC, HB_REQUEST_DESCRIPTORS);
        if (own->fd[i] < 0) {
            return failed("cannot put the server's own descriptors aside");
        }
    }
    own->fd[HB_REQUEST_DIRECTORY] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return own->fd[HB_REQUEST_DIRECTORY] >= 0 ? HB_OK : failed("cannot find the server's own working directory again");
}

/* Puts descriptors and the directory in place. */
static hb_status put(const int fd[HB_REQUEST_DESCRIPTORS])
{
    for (int i = 0; i < HB_REQUEST_DIRECTORY; i++) {
        if (dup2(fd[i], i) < 0) {
            return failed("cannot take descriptors over");
        }
    }
    return fchdir(fd[HB_REQUEST_DIRECTORY]) == 0 ? HB_OK : failed("cannot go to the working directory");
}

static void forget(hb_surroundings *own)
{
    for (int i = 0; i < HB_REQUEST_DESCRIPTORS; i++) {
        if (own->fd[i] >= 0) {
            close(own->fd[i]);
        }
    }
    free(own->variables);
    *own = (hb_surroundings){.inside = false};
}

/* Takes back what was put in place, and keeps the reason. */
static hb_status undone(hb_surroundings *own, hb_status st)
{
    const hb_error reason = *hb_last_error();
    if (own->variables != NULL) {
        (void)!put_variables_back(own);
    }
    if (own->fd[HB_REQUEST_DIRECTORY] >= 0) {
        (void)!put(own->fd);
    }
    forget(own);
    hb_set_error(&reason);
    return st;
}

hb_status hb_surroundings_enter(hb_surroundings *own, const hb_request *request)
{
    *own = (hb_surroundings){.fd = {-1, -1, -1, -1}};
    hb_status st;
    HB_GOTO(put_aside(own));
    HB_GOTO(hb_console_finish()); /* of the server, to its own stdout */
    HB_GOTO(put_variables(own, request->variable));
    st = put(request->fd);
    if (st == HB_OK) {
        own->mask = umask((mode_t)request->head.mask);
        own->inside = true;
        hb_console_begin();
        return HB_OK;
    }
done:
    return undone(own, st);
}

hb_status hb_surroundings_leave(hb_surroundings *own)
{
    if (!own->inside) {
        return HB_OK;
    }
    hb_status st = put(own->fd);
    const hb_status variables = put_variables_back(own);
    st = st == HB_OK ? variables : st;
    (void)umask(own->mask);
    forget(own);
    hb_console_begin();
    return st;
}
