/* What a job says: results on stdout (rank 0), log and progress on stderr. Each line is one write(2). Never keys, seeds
 * or plaintext values. All that is printed passes here, and is escaped here (escape.h): paths, names of columns and
 * expressions are what others chose. */
#ifndef HB_CLI_CONSOLE_H
#define HB_CLI_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "mpi/group/group.h"

/* Back to the start of a terminal's line, and erase it: a log line takes the place of the progress shown there. */
#define HB_CONSOLE_ERASE "\r\033[K"

/* A result line on stdout, rank 0 only. Not with --json. */
void hb_console_result(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a text to be copied, as a command for a shell: its line breaks and backslashes stay. */
void hb_console_copy(const hb_group *group, const hb_common *common, const char *text);
/* Once, after the last result: HB_EIO when any of them did not reach stdout (a full disk, a closed pipe, no stdout). */
hb_status hb_console_finish(void);
/* A log line on stderr, rank 0 only, silent with --quiet. */
void hb_console_log(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A log line that --quiet does not silence. */
void hb_console_warn(const hb_group *group, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Warns of parameters of `bits` bits that --insecure let pass. */
void hb_console_warn_insecure(const hb_group *group, uint32_t bits);
/* "hebatch COMMAND: TEXT" of the last error; with --verbose its file:line. Printed by rank 0 only, by a rank whose
 * group is broken, as no other can tell its reason, or by every process when group is NULL. */
void hb_console_error(const hb_group *group, const hb_common *common, const char *command);

/* "1.50 GiB", "12.3 M", "4.20 s" or "1:02:03"; "1 row", "2 rows"; "1 row x 3 columns": into `text`, returned. */
typedef struct hb_human {
    char text[64];
} hb_human;
hb_human hb_human_bytes(double bytes);
hb_human hb_human_count(double count);
hb_human hb_human_seconds(double seconds);
hb_human hb_human_things(uint64_t count, const char *thing); /* whose plural takes an s */
hb_human hb_human_table(uint64_t rows, uint64_t columns);

/* What a job counts while it runs: "encrypted 3/12 ciphertexts". */
typedef struct hb_tally {
    const char *verb, *thing; /* "encrypted", "ciphertext" */
    uint64_t bytes;           /* read or written for each, for the rate */
} hb_tally;

/* What a line of progress says. */
typedef struct hb_progress_state {
    hb_tally tally;
    uint64_t done, total; /* things of the job, of all ranks that were heard of */
    double seconds;
    int ranks, heard, slowest; /* slowest: the rank that has done least */
    bool last;                 /* the whole is done */
} hb_progress_state;
/* Any number of columns for no terminal. */
#define HB_PROGRESS_ALL 4096
/* Of at most `columns` characters: what matters less is left out first. The things done stay, cut where even they are
 * too long. Into `line`, of `size` bytes. */
void hb_progress_format(char *line, size_t size, const hb_progress_state *state, size_t columns);

/* Progress over all ranks, shown by rank 0: one line redrawn on a terminal, never wider than that is; elsewhere a line
 * every `common->progress` seconds. */
typedef struct hb_progress {
    hb_group *group;
    const hb_common *common;
    hb_tally tally;
    uint64_t total;   /* things of the job */
    uint64_t members; /* ranks that do the same ones together: 1 unless the caller changes it */
    uint64_t done;    /* of this rank */
    uint64_t posted;  /* of them, those that rank 0 was told of */
    double started, last_shown, last_posted;
    bool terminal;
} hb_progress;
void hb_progress_begin(hb_progress *progress, hb_group *group, const hb_common *common, hb_tally tally, uint64_t total);
/* From the thread that owns the group, at every unit; cheap. */
void hb_progress_add(hb_progress *progress, uint64_t things);
/* Rank 0: a line now, also with --quiet: somebody asked. */
void hb_progress_tell(hb_progress *progress);
/* Success on every rank: the last line, with the averages of the whole job. Nothing to do after a failure. */
void hb_progress_end(hb_progress *progress);

#endif
