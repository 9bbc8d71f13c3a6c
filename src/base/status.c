#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Aligned like the section that linkers put behind it: some versions of mold protect pages from its first byte on, and
 * where nothing else lies in that page the program does not start. */
static _Thread_local _Alignas(64) hb_error last_error;

hb_status hb_fail(hb_status code, const char *file, int line, const char *format, ...)
{
    /* The text is formatted aside: its arguments may point into the old text. */
    hb_error error = {0}; /* all bytes are set: it may be sent to other ranks as it is */
    va_list args;
    va_start(args, format);
    vsnprintf(error.text, sizeof error.text, format, args);
    va_end(args);
    /* The compiler gives whole paths; a user's log has no use for where the program was built. */
    const char *slash = strrchr(file, '/');
    snprintf(error.where, sizeof error.where, "%s:%d", slash ? slash + 1 : file, line);
    last_error = error;
    return code;
}

hb_status hb_advise(hb_status code, hb_advice advice, const char *format, ...)
{
    hb_error error = last_error; /* the arguments may point into the text */
    error.reason = (uint32_t)strlen(error.text);
    error.advice = advice;
    va_list args;
    va_start(args, format);
    vsnprintf(error.text + error.reason, sizeof error.text - error.reason, format, args);
    va_end(args);
    last_error = error;
    return code;
}

const hb_error *hb_last_error(void)
{
    return &last_error;
}

void hb_set_error(const hb_error *error)
{
    /* Callers may pass the result of hb_last_error. */
    if (error != &last_error) {
        last_error = *error;
    }
}

void hb_clear_error(void)
{
    memset(&last_error, 0, sizeof last_error);
}

void hb_broken_invariant(const char *file, int line, const char *condition)
{
    /* No status could be right: the program's own reasoning is wrong. */
    fprintf(stderr, "hebatch: broken invariant at %s:%d: %s\n", file, line, condition);
    abort();
}
