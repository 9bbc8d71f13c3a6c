/* The log in a file (--log): lines with the time (UTC) and the rank. It never delays a job or makes it fail. */
#ifndef HB_CLI_LOG_FILE_H
#define HB_CLI_LOG_FILE_H

#include <stdbool.h>

#include "mpi/group/group.h"

/* The most bytes of a line: Linux keeps one write of that size together (PIPE_BUF). */
#define HB_LINE_BYTES 4096

/* Opens a file to append to it, or makes it (0644); writes to a pipe or a terminal without waiting for its reader. With
 * several ranks each has PATH.RANK. Called once in a run, before it has other threads; a log that is open waits until
 * this one ends. HB_ECREATE, also for an existing file that is not empty and does not begin like a log: it stays
 * unchanged, unless it is this process's stderr. HB_ENOMEM. */
hb_status hb_log_open(const hb_group *group, const char *path);
/* Returns whether a log file is open. */
bool hb_log_is_open(void);
/* Writes a line, escaped (escape.h). A line that cannot be written now, because the disk is full or the pipe has no
 * reader, is left out: stderr says so once, and the next written line comes after the number of missing lines. Any
 * thread may call it. */
void hb_log_line(const char *text);
/* Closes the log that was opened last, and tells on stderr how many of its lines were left out; nothing where none
 * were, or no log is open. */
void hb_log_end(void);

#endif
