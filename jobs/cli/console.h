/* The output of a job: results on stdout; log and progress on stderr; both by rank 0. With --log every rank logs to a
 * file. Each line is one write(2). No line contains keys, seeds or, but for hb_console_show, plaintext values. Every
 * text passes through here and is escaped here (escape.h), as paths, column names and expressions come from others.
 * Nothing here is collective, unless a line says so. */
#ifndef HB_CLI_CONSOLE_H
#define HB_CLI_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "mpi/group/group.h"

/* Writes a line to the log file alone (log_file.h), which also gets log lines, warnings and errors of every rank, even
 * with --quiet. Does nothing where there is no log file. */
void hb_console_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a result line on stdout, on rank 0 only; nothing with --json. A failure shows in hb_console_finish. */
void hb_console_result(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a text to copy, such as a shell command, as a result: its line breaks and backslashes stay. */
void hb_console_copy(const hb_group *group, const hb_common *common, const char *text);
/* Begins results on a stdout that is another one than before: forgets what could not be written to that, and writes
 * lines at once where this one is a terminal. */
void hb_console_begin(void);
/* Ends the results; called once, after the last result. Returns HB_EIO when a result did not reach stdout (a full disk,
 * a closed pipe, no stdout). */
hb_status hb_console_finish(void);
/* Prints a log line on stderr, on rank 0 only; nothing with --quiet. */
void hb_console_log(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a line on stderr, never in a log file, by the calling process: for the text of a cell, where the user is its
 * table's owner and asks why it cannot be read. */
void hb_console_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How a plan is printed: as results of a dry run, or as lines of the log. */
typedef void (*hb_speaker)(const hb_group *group, const hb_common *common, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline hb_speaker hb_console_speaker(bool results)
{
    return results ? hb_console_result : hb_console_log;
}
/* Prints a log line that --quiet does not suppress, on rank 0; without a group every calling process prints it. Any
 * thread may call it. */
void hb_console_tell(const hb_group *group, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and keeps the line for reports (run.h). For the thread that owns the group. */
void hb_console_warn(const hb_group *group, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Warns about parameters of `bits` bits that only --insecure permits. */
void hb_console_warn_insecure(const hb_group *group, uint32_t bits);
/* Logs which of several residues comes next, counted from 0; nothing where there is only one. */
void hb_console_residue(const hb_group *group, const hb_common *common, uint32_t residue, uint32_t residues);
/* Prints "hebatch COMMAND: TEXT" with the last error, and with --verbose its file and line. Rank 0 prints it; every
 * rank does if the group is broken, as no other rank can tell its reason; every process does if group is NULL. */
void hb_console_error(const hb_group *group, const hb_common *common, const char *command);

/* A text, by value, for numbers and counts as people read them: "1.50 GiB", "12.3 M", "4.20 s" or "1:02:03"; "1 row",
 * "2 rows"; "1 row x 3 columns". */
typedef struct hb_human {
    char text[64];
} hb_human;
hb_human hb_human_bytes(double bytes);
hb_human hb_human_count(double count);
hb_human hb_human_seconds(double seconds);
hb_human hb_human_about(double seconds); /* an estimate, as people say it: "2 minutes", "1.6 hours" */
hb_human hb_human_things(uint64_t count, const char *thing); /* 1 key, 2 keys; 2 matrices */
hb_human hb_human_table(uint64_t rows, uint64_t columns);
/* Bits of precision of reals, or of the noise budget of integers: "15.1 bits proven" from the words `some`, "15 bits
 * proven". Where none are left it says `none`, and what is missing: "none proven (errors up to 2^3.2)" of reals, whose
 * errors may be small beside values all the same, "none proven (4 too few)" of integers. Bits are rounded down, what is
 * missing up. */
hb_human hb_human_bits(double bits, bool real, const char *some, const char *none);
hb_human hb_human_step(hb_board_step step); /* "EvalMod 5 of 22"; before its first step "EvalMod" */
/* Returns how many digits after the point give three digits in all, after rounding, for a value below 1000. */
static inline int hb_human_digits(double value)
{
    return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

/* The things that a job counts while it runs, as in "encrypted 3/12 ciphertexts". Texts are borrowed. */
typedef struct hb_tally {
    const char *verb, *thing; /* "encrypted", "ciphertext" */
    uint64_t bytes;           /* read or written for each, for the rate */
} hb_tally;

/* Work, in any measure, where things are too few or too unlike to say how far a job is: that of all ranks before the
 * things that are counted, of these, and after them. `began`: how much of it all was done at the time `started`
 * (hb_now), from which on it is timed. */
typedef struct hb_progress_work {
    uint64_t before, own, after, began;
    double started;
} hb_progress_work;
/* The contents of a line of progress. */
typedef struct hb_progress_state {
    hb_tally tally;
    uint64_t done, total;      /* things done by all ranks, as far as known; things of the job */
    hb_progress_work work;     /* own 0: the things are the work */
    uint64_t worked;           /* of it, done by all ranks */
    hb_board_step step;        /* what rank 0 is at, where one thing takes long; no name: nothing to tell */
    double seconds, now;       /* since the things were begun; the time by the clock of `work` */
    int ranks, heard, slowest; /* slowest: the rank that has done least */
    bool last;                 /* the whole job is done */
} hb_progress_state;
/* Columns where there is no terminal: more than any line has. */
#define HB_PROGRESS_ALL 4096
/* Writes a line of progress of at most `columns` characters into `line`, of `size` bytes. Less important parts are left
 * out first. The count of things done stays, cut if even it is too long. */
void hb_progress_format(char *line, size_t size, const hb_progress_state *state, size_t columns);

/* Things that other runs of the same command count: with this one they have one line of progress, and the last of them
 * prints the last line. Zeroed: there is no other run. */
typedef struct hb_progress_others {
    uint64_t before, after; /* done; still to do, as far as known */
    double seconds;         /* that those before took */
} hb_progress_others;

/* Progress of all ranks, shown by rank 0: one line on a terminal, redrawn and never wider than the terminal; elsewhere
 * a line every `common->progress` seconds. Only the thread that owns the group uses it. */
typedef struct hb_progress {
    hb_group *group;
    const hb_common *common;
    hb_tally tally;
    uint64_t total;            /* things of the job */
    hb_progress_others others; /* the caller sets it */
    uint64_t members;          /* ranks that do the same things together; 1 unless the caller sets it */
    bool alone;                /* what this rank does is all; the caller sets it on every rank */
    hb_progress_work work;     /* own 0, unless the caller sets it: the things are the work */
    uint64_t done, worked;     /* of this rank: things, and work */
    uint64_t posted;           /* work that rank 0 was told of */
    double started, last_shown, last_posted;
    bool terminal;
} hb_progress;
/* Begins to count up to `total` things, on every rank. Borrows group and common. */
void hb_progress_begin(hb_progress *progress, hb_group *group, const hb_common *common, hb_tally tally, uint64_t total);
/* Adds things that this rank has done, and shows or posts them when it is time. Cheap: called for every unit. */
void hb_progress_add(hb_progress *progress, uint64_t things);
/* Sets how much this rank has done, of things and of work, shows or posts it when it is time, and prints a line at once
 * where a user asked for it (stop.h), even with --quiet. Cheap: called now and then, also within a unit. */
void hb_progress_set(hb_progress *progress, uint64_t things, uint64_t work);
/* Prints the last line, with the averages of the whole job. Called on every rank after a success; a failure needs no
 * call. */
void hb_progress_end(hb_progress *progress);

#endif
