#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape.h"
#include "log_file.h"

void hb_streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            _Exit((int)HB_EIO);
        }
    }
}

void hb_streams_line(const char *prefix, const char *text)
{
    char line[HB_LINE_BYTES], erased[64];
    snprintf(erased, sizeof erased, "%s%s", isatty(STDERR_FILENO) == 1 ? HB_STREAMS_ERASE : "", prefix);
    /* With one call: then lines of several ranks never mix in one pipe. */
    const size_t length = hb_escape_line(line, sizeof line, erased, text);
    while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR) {
    }
}

void hb_streams_log(bool seen, const char *prefix, const char *format, va_list args)
{
    char text[HB_LINE_BYTES];
    if (!seen && !hb_log_is_open()) {
        return;
    }
    vsnprintf(text, sizeof text, format, args);
    if (seen) {
        hb_streams_line(prefix, text);
    }
    hb_log_line(text);
}

static void write_error(bool seen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_error(bool seen, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hb_streams_log(seen, "hebatch", format, args);
    va_end(args);
}

void hb_streams_failure(bool seen, const hb_common *common, const char *command, const char *text)
{
    const hb_error *error = hb_last_error();
    const char *blank = command[0] != '\0' ? " " : "";
    write_error(seen, "%s%s: %s", blank, command, text);
    if (seen) {
        hb_streams_pass_on(error);
    }
    if (common->verbose > 0 && error->where[0] != '\0') { /* on a line of its own: a text may end with a command */
        write_error(seen, "%s%s: this arose at %s", blank, command, error->where);
    }
}

void hb_streams_pass_on(const hb_error *error)
{
    const char *word = getenv(HB_STREAMS_ERROR_FD);
    const int fd = word != NULL ? (int)strtol(word, NULL, 10) : -1;
    struct stat info;
    if (fd > STDERR_FILENO && fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode)) {
        (void)!write(fd, error, sizeof *error); /* at once: it is shorter than what pipes take whole */
    }
}
