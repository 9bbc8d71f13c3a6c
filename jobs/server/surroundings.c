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

static size_t count(char **texts)
{
    size_t n = 0;
    while (texts[n] != NULL) {
        n++;
    }
    return n;
}

static hb_status merge(hb_surroundings *own, char **job)
{
    size_t n = 0;
    own->environment = environ;
    own->variables = calloc(count(environ) + count(job) + 1, sizeof *own->variables);
    if (own->variables == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the environment of a job");
    }
    for (size_t i = 0; environ[i] != NULL; i++) {
        if (stays(environ[i])) {
            own->variables[n++] = environ[i];
        }
    }
    for (size_t i = 0; job[i] != NULL; i++) {
        if (!stays(job[i])) {
            own->variables[n++] = job[i];
        }
    }
    return HB_OK;
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

hb_status hb_surroundings_enter(hb_surroundings *own, const hb_request *request)
{
    *own = (hb_surroundings){.fd = {-1, -1, -1, -1}};
    hb_status st;
    HB_GOTO(put_aside(own));
    HB_GOTO(merge(own, request->variable));
    HB_GOTO(hb_console_finish()); /* of the server, to its own stdout */
    st = put(request->fd);
    if (st != HB_OK) {
        const hb_error reason = *hb_last_error();
        (void)!put(own->fd);
        hb_set_error(&reason);
        goto done;
    }
    environ = own->variables;
    own->mask = umask((mode_t)request->head.mask);
    own->inside = true;
    hb_console_begin();
    return HB_OK;
done:
    forget(own);
    return st;
}

hb_status hb_surroundings_leave(hb_surroundings *own)
{
    if (!own->inside) {
        return HB_OK;
    }
    const hb_status st = put(own->fd);
    environ = own->environment;
    (void)umask(own->mask);
    forget(own);
    hb_console_begin();
    return st;
}
