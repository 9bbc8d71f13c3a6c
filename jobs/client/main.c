/* hebatch-client: takes the words of hebatch, hands jobs over to a server, and leaves all else to the hebatch beside
 * it. It needs the C library alone, so a job that a server runs starts in a millisecond or two. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/stop.h"
#include "cli/streams.h"
#include "client.h"
#include "hebatch_build_id.h"

static hb_status without_server(const char *command)
{
    return HB_FAIL(
        HB_EUNAVAILABLE,
        "no server is named, by --server FOLDER or HEBATCH_SERVER, and hebatch-client runs no job by itself: "
        "hebatch %s does",
        command);
}

static bool is_this_program(const char *path)
{
    struct stat own, other;
    return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
           own.st_ino == other.st_ino;
}

/* Becomes the hebatch that stands in the folder of this program. Returns only where that cannot be. */
static hb_status become_hebatch(char **words)
{
    static const char name[] = "hebatch";
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    if (length <= 0 || (size_t)length >= sizeof path - sizeof name) {
        return HB_FAIL(HB_EUNAVAILABLE, "cannot find the folder of this program, in which hebatch should be");
    }
    path[length] = '\0';
    memcpy(strrchr(path, '/') + 1, name, sizeof name); /* a path of the system's is absolute */
    if (is_this_program(path)) {                       /* which would start itself for ever */
        return HB_FAIL(HB_EUNAVAILABLE, "%s is hebatch-client itself, not the program that does what no server does",
                       path);
    }
    words[0] = path;
    (void)execv(path, words);
    return HB_FAIL(HB_EUNAVAILABLE, "%s, which does what no server does, cannot be started: %s", path, strerror(errno));
}

int main(int argc, char **argv)
{
    const double began = hb_now(); /* the system knows it to a hundredth alone, and the loader took far less */
    hb_common common;
    hb_status st;
    hb_streams_open();
    const bool help = hb_options_peek(argc, argv, &common);
    const char *command = argc > 1 ? argv[1] : "";
    const bool served = hb_command_is_served(command);
    if (argc < 1 || !served || (help && common.server == NULL)) {
        st = argc < 1 ? HB_FAIL(HB_EUSAGE, "no command given") : become_hebatch(argv);
    } else {
        hb_stop_catch_early();
        if (hb_client_run(command, HEBATCH_BUILD_ID, began, argv, &common, &st)) {
            return (int)st;
        }
        st = without_server(command);
    }
    hb_streams_failure(true, &common, served ? command : "", hb_last_error()->text);
    return (int)st;
}
