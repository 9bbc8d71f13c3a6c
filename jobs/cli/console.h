/* What a job says: results on stdout, log and progress on stderr, both by rank 0; the log of every rank in a file,
 * where one is asked for. Each line is one write(2). Never keys, seeds or plaintext values. All that is printed passes
 * here, and is escaped here (escape.h): paths, names of columns and expressions are what others chose. Nothing here is
 * collective, unless a line says so. */
#ifndef HB_CLI_CONSOLE_H
#define HB_CLI_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "mpi/group/group.h"

/* Goes back to the start of a terminal's line and erases it: a log line takes the place of the progress shown there. */
#define HB_CONSOLE_ERASE "\r\033[K"

/* Opens a file, behind what it has, or makes it (0644): log lines, warnings and errors go there as well from now on,
 * those of every rank, also with --quiet, with the time (UTC) and the rank. Of several ranks each has PATH.RANK. Closed
 * as the process ends. HB_ECREATE, HB_ENOMEM. */
hb_status hb_console_open(const hb_group *group, const char *path);
/* Writes a line to that file alone; does nothing where there is none. */
void hb_console_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a result line on stdout, on rank 0 only; nothing with --json. A failure shows in hb_console_finish. */
void hb_console_result(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a text that is to be copied, such as a command for a shell, in the same way: its line breaks and backslashes
 * stay. */
void hb_console_copy(const hb_group *group, const hb_common *common, const char *text);
/* Ends the results; called once, after the last of them. Returns HB_EIO when any of them did not reach stdout (a full
 * disk, a closed pipe, no stdout). */
hb_status hb_console_finish(void);
/* Prints a log line on stderr, on rank 0 only; nothing with --quiet. */
void hb_console_log(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a log line that --quiet does not silence. */
void hb_console_warn(const hb_group *group, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Warns of parameters of `bits` bits that --insecure let pass. */
void hb_console_warn_insecure(const hb_group *group, uint32_t bits);
/* Says, as log, which of several residues comes next, counted from 0; nothing where there is one. */
void hb_console_residue(const hb_group *group, const hb_common *common, uint32_t residue, uint32_t residues);
/* Prints "hebatch COMMAND: TEXT" of the last error, with --verbose its file and line. It is printed by rank 0 only; by
 * every rank whose group is broken, as no other can tell its reason; by every process when group is NULL. */
void hb_console_error(const hb_group *group, const hb_common *common, const char *command);

/* A text of its own, for numbers and counts as people read them: "1.50 GiB", "12.3 M", "4.20 s" or "1:02:03"; "1 row",
 * "2 rows"; "1 row x 3 columns". */
typedef struct hb_human {
    char text[64];
} hb_human;
hb_human hb_human_bytes(double bytes);
hb_human hb_human_count(double count);
hb_human hb_human_seconds(double seconds);
hb_human hb_human_things(uint64_t count, const char *thing); /* `thing` takes an s in the plural */
hb_human hb_human_table(uint64_t rows, uint64_t columns);
/* Returns how many digits after the point make three digits in all, after rounding, of a value below 1000. */
int hb_human_digits(double value);

/* What a job counts while it runs, as in "encrypted 3/12 ciphertexts". Texts are borrowed. */
typedef struct hb_tally {
    const char *verb, *thing; /* "encrypted", "ciphertext" */
    uint64_t bytes;           /* read or written for each, for the rate */
} hb_tally;

/* What a line of progress says. */
typedef struct hb_progress_state {
    hb_tally tally;
    uint64_t done, total; /* things done by all ranks that were heard of; things of the job */
    double seconds;
    int ranks, heard, slowest; /* slowest: the rank that has done least */
    bool last;                 /* the whole is done */
} hb_progress_state;
/* Columns for a place that is no terminal: more than any line has. */
#define HB_PROGRESS_ALL 4096
/* Writes a line of progress of at most `columns` characters into `line`, of `size` bytes. What matters less is left out
 * first; the things done stay, cut where even they are too long. */
void hb_progress_format(char *line, size_t size, const hb_progress_state *state, size_t columns);

/* Progress over all ranks, shown by rank 0: one line redrawn on a terminal, never wider than the terminal; elsewhere a
 * line every `common->progress` seconds. It is used by the thread that owns the group. */
typedef struct hb_progress {
    hb_group *group;
    const hb_common *common;
    hb_tally tally;
    uint64_t total;   /* things of the job */
    uint64_t members; /* ranks that do the same things together; 1 unless the caller changes it */
    uint64_t done;    /* of this rank */
    uint64_t posted;  /* how many of them rank 0 was told of */
    double started, last_shown, last_posted;
    bool terminal;
} hb_progress;
/* Begins to count to `total` things of the job, on every rank. Borrows group and common. */
void hb_progress_begin(hb_progress *progress, hb_group *group, const hb_common *common, hb_tally tally, uint64_t total);
/* Adds things that this rank has done, and shows or posts them when it is time. Cheap: called at every unit. */
void hb_progress_add(hb_progress *progress, uint64_t things);
/* Prints a line now on rank 0, also with --quiet: somebody asked. */
void hb_progress_tell(hb_progress *progress);
/* Prints the last line, with the averages of the whole job: after success on every rank. After a failure there is
 * nothing to do. */
void hb_progress_end(hb_progress *progress);

#endif
