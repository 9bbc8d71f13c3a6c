/* Command lines as tables: one row is one option. getopt_long's tables, the help text and the environment variables
 * come from the same rows. Rank-local. */
#ifndef HB_CLI_OPTIONS_H
#define HB_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "common.h"

/* The value of a number that is not given, where 0 is a possible value. */
#define HB_NOT_GIVEN UINT64_MAX

/* The texts of an option that may be given more than once, borrowed from argv. */
enum { HB_TEXTS_MOST = 256 };
typedef struct hb_texts {
    const char *text[HB_TEXTS_MOST];
    uint32_t count;
} hb_texts;

/* The kind of an option, which fixes the type that `value` points to. */
typedef enum hb_option_kind {
    HB_OPTION_FLAG,    /* bool *: set to true */
    HB_OPTION_COUNT,   /* int *: increased each time it is given */
    HB_OPTION_TEXT,    /* const char **: borrowed from argv */
    HB_OPTION_SEED,    /* the same; it makes randomness repeatable, and no wrong name is taken for it */
    HB_OPTION_TEXTS,   /* hb_texts *: gets one more text each time */
    HB_OPTION_NUMBER,  /* uint64_t *: decimal or 0x, overflow and HB_NOT_GIVEN refused */
    HB_OPTION_ABOVE_0, /* uint64_t *: the same, but 0 is refused, as it means not given */
    HB_OPTION_SIZE,    /* hb_size * (parse.h): bytes with K, M, G, T, or a percentage */
    HB_OPTION_DURATION /* double *: seconds; 90, 90s, 15m, 2h, 2:00:00 */
} hb_option_kind;

/* One row. Texts are literals. */
typedef struct hb_option {
    const char *name; /* long name without dashes */
    char letter;      /* short form or 0 */
    hb_option_kind kind;
    void *value;          /* written when the option is given; holds the default before */
    const char *argument; /* the value's name in the help, NULL for flags */
    const char *help;
} hb_option;

/* The arguments of a command: its own options, and from `least` to `most` operands. Borrowed. */
typedef struct hb_usage {
    const hb_command *command;
    const hb_option *options; /* [option_count] */
    size_t option_count;
    size_t least, most;
    size_t replaceable; /* this many words after argv[0] come from a file: later words may give their options again */
} hb_usage;

/* The results of parsing, besides the values of the rows. */
typedef struct hb_parsed {
    hb_common common;
    bool help; /* the help was asked for, and printed */
    size_t operand_count;
    char **operands; /* borrowed */
} hb_parsed;

/* Parses options, anywhere on the line, into the rows' values and the common options; positionals end up in operands[0
 * .. operand_count), at the front of argv.
 *
 * The environment variable HEBATCH_<NAME> (dashes as underscores) replaces an option that is not given, except --help,
 * --force and --insecure...: an option that lowers security or replaces files must be visible where it is used.
 *
 * Returns HB_EUSAGE for an unknown option (with the nearest spelling), a missing or malformed argument, an option with
 * one argument given twice, too few operands or too many. For --help it prints the help on rank 0 and sets
 * parsed->help: the command then returns HB_OK at once. */
hb_status hb_options_parse(const hb_usage *usage, const hb_group *group, int argc, char **argv, hb_parsed *parsed);

/* Reads the common options alone, as far as possible, for callers that must print before the real parse or after it
 * failed. Returns whether help is asked for. Reports nothing; the last error stays. */
bool hb_options_peek(int argc, char **argv, hb_common *common);

#endif
