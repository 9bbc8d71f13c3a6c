/* The standard streams of a program, and its lines on stderr: for programs without ranks, too. Each line is one
 * write(2), escaped (escape.h). Nothing here is collective. */
#ifndef HB_CLI_STREAMS_H
#define HB_CLI_STREAMS_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/status.h"
#include "common.h"

/* Returns to the start of a terminal's line and erases it: a log line replaces the progress shown there. */
#define HB_STREAMS_ERASE "\r\033[K"
/* A program that starts this one and wants its failure as data, an hb_error, names the end of a pipe to write it to in
 * this variable: "4". */
#define HB_STREAMS_ERROR_FD "HEBATCH_ERROR_FD"

/* A caller that closed stdin, stdout or stderr gets /dev/null in their place: else the next file that is opened, a
 * table or a key, would get the log's lines. Stdout only for reading: a result that should go there is a failure. Ends
 * the process with HB_EIO where that cannot be done. The first call of a program. */
void hb_streams_open(void);
/* Writes a line to stderr, behind the prefix. */
void hb_streams_line(const char *prefix, const char *text);
/* Writes it to stderr, where it is to be `seen`, and to the log file, where one is open (log_file.h). */
void hb_streams_log(bool seen, const char *prefix, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Writes "hebatch COMMAND: TEXT" in the same way, with --verbose also file and line of the last error, which it passes
 * on where the text was seen. `command` may be "". */
void hb_streams_failure(bool seen, const hb_common *common, const char *command, const char *text);
/* Writes a failure to the pipe of HB_STREAMS_ERROR_FD; nothing where there is none. */
void hb_streams_pass_on(const hb_error *error);

#endif
