#include "console.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outward.h"
#include "escape.h"
#include "log_file.h"
#include "run.h"
#include "streams.h"

void hb_console_note(const char *format, ...)
{
    char text[HB_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hb_log_line(text);
}

/* Prints a text and a line break; `lines` keeps its own line breaks. A failure to write stays in stdout's error flag
 * until hb_console_finish. */
static void print_result(const char *text, bool lines)
{
    while (*text != '\0') {
        char piece[HB_ESCAPED_MOST];
        const size_t bytes = hb_escape_next(&text, lines, piece);
        fwrite(piece, 1, bytes, stdout);
    }
    putchar('\n');
}

void hb_console_result(const hb_group *group, const hb_common *common, const char *format, ...)
{
    if (group->rank != 0 || common->json) {
        return;
    }
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (common->piped) {
        if (!common->quiet) {
            hb_streams_log(true, "hebatch: ", format, args);
        }
        va_end(args);
        return;
    }
    const int bytes = vasprintf(&text, format, args);
    va_end(args);
    /* A missing line would shift the lines that a script counts. */
    if (bytes < 0) {
        print_result("(no memory to show this line)", false);
        return;
    }
    print_result(text, false);
    free(text);
}

void hb_console_copy(const hb_group *group, const hb_common *common, const char *text)
{
    if (group->rank == 0 && !common->json) {
        print_result(text, true);
    }
}

void hb_console_begin(void)
{
    __fpurge(stdout);
    clearerr(stdout);
    (void)setvbuf(stdout, NULL, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF, BUFSIZ);
}

hb_status hb_console_finish(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return HB_OK;
    }
    return HB_FAIL(HB_EIO, "cannot write to standard output: %s",
                   errno != 0 ? strerror(errno) : "an earlier write failed");
}

void hb_console_log(const hb_group *group, const hb_common *common, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hb_streams_log(group->rank == 0 && !common->quiet, "hebatch: ", format, args);
    va_end(args);
}

void hb_console_show(const char *format, ...)
{
    char text[HB_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hb_streams_line("hebatch: ", text);
}

void hb_console_tell(const hb_group *group, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hb_streams_log(group == NULL || group->rank == 0, "hebatch: ", format, args);
    va_end(args);
}

void hb_console_warn(const hb_group *group, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int bytes = vasprintf(&text, format, args);
    va_end(args);
    if (bytes < 0) {
        hb_console_tell(group, "%s", "(no memory to show this warning)");
        return;
    }
    hb_console_tell(group, "%s", text);
    hb_run *run = group != NULL ? hb_run_of(group) : NULL;
    if (run != NULL && run->warnings < HB_RUN_MOST_WARNINGS) {
        run->warning[run->warnings++] = text;
    } else {
        free(text);
    }
}

void hb_console_warn_insecure(const hb_group *group, uint32_t bits)
{
    hb_console_warn(group, "INSECURE PARAMETERS: %" PRIu32 " BITS, ABOVE THE SECURITY TABLE", bits);
}

void hb_console_error(const hb_group *group, const hb_common *common, const char *command)
{
    /* A rank that is gone explains why the group broke, better than the failed call that noticed it. */
    if (group != NULL && group->broken && hb_stop_tell_gone()) {
        return;
    }
    /* Rank 0 has the reason of all ranks, as they have agreed. */
    const bool seen = group == NULL || group->rank == 0 || group->broken;
    const hb_error *error = hb_last_error();
    const char *text = error->text[0] != '\0' ? error->text : "failed without a reason";
    char named[sizeof error->text + 32]; /* a broken group has not said whose reason it is */
    if (group != NULL && group->broken && group->size > 1 && strncmp(text, "rank ", 5) != 0) {
        snprintf(named, sizeof named, "rank %d: %s", group->rank, text);
        text = named;
    }
    hb_streams_failure(seen, common, command, text);
}

void hb_console_residue(const hb_group *group, const hb_common *common, uint32_t residue, uint32_t residues)
{
    if (residues > 1) {
        hb_console_log(group, common, "residue      %" PRIu32 " of %" PRIu32, residue + 1, residues);
    }
}

static hb_human scaled(double value, double step, const char *const *units)
{
    hb_human human;
    size_t unit = 0;
    /* 999.5 is told as 1000 when it is rounded. */
    while (value >= 999.5 && units[unit + 1] != NULL) {
        value /= step;
        unit++;
    }
    snprintf(human.text, sizeof human.text, "%.*f%s", unit == 0 ? 0 : hb_human_digits(value), value, units[unit]);
    return human;
}

hb_human hb_human_bytes(double bytes)
{
    static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", NULL};
    return scaled(bytes, 1024, units);
}

hb_human hb_human_count(double count)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P", NULL};
    return scaled(count, 1000, units);
}

hb_human hb_human_things(uint64_t count, const char *thing)
{
    const size_t length = strlen(thing);
    const bool latin = length > 3 && strcmp(thing + length - 3, "rix") == 0;
    const char *ending = count == 1 ? "" : latin ? "ces" : "s";
    hb_human human;
    snprintf(human.text, sizeof human.text, "%" PRIu64 " %.*s%s", count, (int)(length - (latin && count != 1)), thing,
             ending);
    return human;
}

hb_human hb_human_bits(double bits, bool real, const char *some, const char *none)
{
    enum { MOST_MISSING = 64 }; /* more say nothing */
    const double least = real ? 0 : 1, missing = hb_decimal_up(least - bits, real ? 1 : 0);
    hb_human human;
    if (bits >= least) {
        snprintf(human.text, sizeof human.text, "%.*f %s", real ? 1 : 0, hb_decimal_down(bits, real ? 1 : 0), some);
    } else if (!(missing < MOST_MISSING)) {
        snprintf(human.text, sizeof human.text, "%s", none);
    } else if (real) {
        snprintf(human.text, sizeof human.text, "%s (errors up to 2^%.1f)", none, missing);
    } else {
        snprintf(human.text, sizeof human.text, "%s (%.0f too few)", none, missing);
    }
    return human;
}

hb_human hb_human_step(hb_board_step step)
{
    hb_human human;
    if (step.done == 0) {
        snprintf(human.text, sizeof human.text, "%s", step.name);
    } else {
        snprintf(human.text, sizeof human.text, "%s %" PRIu32 " of %" PRIu32, step.name, step.done, step.of);
    }
    return human;
}

hb_human hb_human_table(uint64_t rows, uint64_t columns)
{
    hb_human human;
    snprintf(human.text, sizeof human.text, "%" PRIu64 " row%s x %" PRIu64 " column%s", rows, rows == 1 ? "" : "s",
             columns, columns == 1 ? "" : "s");
    return human;
}

hb_human hb_human_seconds(double seconds)
{
    hb_human human;
    if (seconds < 60) {
        snprintf(human.text, sizeof human.text, "%.*f s", seconds < 10 ? 2 : 1, seconds);
    } else if (seconds < 1e9) {
        unsigned long whole = (unsigned long)(seconds + 0.5);
        snprintf(human.text, sizeof human.text, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(human.text, sizeof human.text, "unknown");
    }
    return human;
}

hb_human hb_human_about(double seconds)
{
    const double minute = 60, hour = 60 * minute, day = 24 * hour;
    hb_human human;
    if (seconds < 1.5) {
        snprintf(human.text, sizeof human.text, "1 second");
    } else if (seconds < 1.5 * minute) {
        snprintf(human.text, sizeof human.text, "%.0f seconds", seconds);
    } else if (seconds < 1.5 * hour) {
        snprintf(human.text, sizeof human.text, "%.0f minutes", seconds / minute);
    } else if (seconds < 1.5 * day) {
        snprintf(human.text, sizeof human.text, "%.1f hours", seconds / hour);
    } else if (seconds < 1e9) {
        snprintf(human.text, sizeof human.text, "%.1f days", seconds / day);
    } else {
        snprintf(human.text, sizeof human.text, "unknown time");
    }
    return human;
}
