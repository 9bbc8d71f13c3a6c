/* The options and operands by which an owner says how a result was computed: those of eval that decide its words; a job
 * file has those of plain tables. Rank-local. */
#ifndef HB_COMMANDS_RECOMPUTE_WORDS_H
#define HB_COMMANDS_RECOMPUTE_WORDS_H

#include "cli/options.h"
#include "cli/words.h"

/* Texts are borrowed; zeroed: none is given. */
typedef struct hb_recompute_words {
    const char *expression; /* or a job file of eval */
    const char *keys, *range, *noise, *compact;
} hb_recompute_words;

enum { HB_RECOMPUTE_OPTIONS = 5 };
/* Fills the rows of these options. */
void hb_recompute_options(hb_option rows[HB_RECOMPUTE_OPTIONS], hb_recompute_words *words);
/* Returns HB_EUSAGE where the line has options that say nothing without an expression, as nothing is computed again.
 * Variables of a shell, which may be for eval, are allowed. */
hb_status hb_recompute_check(const hb_recompute_words *words);
/* Tells operands, all of which are borrowed: NAME=FILE are moved to the front, *bindings of them, and two others are
 * left in their order. HB_EUSAGE unless there are two. */
hb_status hb_recompute_sort_operands(char **operands, size_t count, size_t *bindings);
/* Makes the command line of eval: these options, and NAME=FILE [bindings]. HB_ENOMEM. The caller clears *line, also
 * after a failure. */
hb_status hb_recompute_line(const hb_recompute_words *words, char *const *operands, size_t bindings, hb_words *line);

#endif
