/* Trials of an expression under parameters that might do, and what these must hold, for suggest.c. */
#ifndef HB_SUGGEST_TRIAL_H
#define HB_SUGGEST_TRIAL_H

#include "approx/found.h"
#include "base/interpolations.h"
#include "expression/program/range.h"
#include "suggest.h"
#include "tables.h"

/* What all trials of a request have in common. */
typedef struct hb_trials {
    const hb_suggest_request *request; /* borrowed */
    char **reads, **assigns;           /* names, NULL-terminated */
    uint32_t read_count, assign_count;
    hb_range *ranges;
    uint32_t range_count;
    hb_ranged_table *tables;    /* [read_count] */
    uint64_t weights;           /* bit i: name i is a plain table of weights (W @ x), all others are encrypted ... */
    uint64_t encrypted_weights; /* ... and so are weights of these, each row of which stands in all of others */
    uint64_t rows;
    hb_schema *schemas;   /* [read_count] */
    hb_interval *columns; /* ranges of all of their columns that have their own */
    hb_operand *operands; /* [operand_count] those that are read, and what is believed of assigned names */
    uint32_t operand_count;
    hb_bfv_requirements bfv;
    hb_ckks_requirements ckks;
    hb_approximations *found;          /* of functions, under all parameters */
    hb_interpolations *interpolations; /* of comparisons, likewise */
    hb_kept_matrices *matrices;        /* likewise */
} hb_trials;

/* Names, ranges, and the values of the results, which compiling under a chain that no expression exhausts easily tells:
 * what is wrong with an expression under any parameters fails here. The caller clears it, also after a failure. */
hb_status hb_trials_init(hb_trials *trials, const hb_suggest_request *request);
void hb_trials_clear(hb_trials *trials);

/* Compiles the expression under these parameters; *out is zero before, the caller clears it whatever happens.
 * HB_ECONFIG, HB_EDATA, HB_EUSAGE when they do not do. Functions have the precision that is asked for; so must results,
 * unless it is only asked what they take, `measure`. */
hb_status hb_trial(hb_trials *trials, const hb_params_spec *spec, bool measure, hb_suggestion *out);

/* suggest.c: sets *found to whether these parameters do; *out is theirs then, and whatever it was before is cleared.
 * Reasons why they do not are expected; running out of memory is not. */
hb_status hb_trial_chain(hb_trials *trials, const hb_params_spec *spec, hb_suggestion *out, bool *found);

/* columns.c: how many columns the names of an expression have, and what they are called, where there are no tables yet.
 *
 * Fills those of schemas[0 .. count), of the names that the expression reads, that have no columns yet: columns, named
 * and column are set, the rest is the caller's, who clears them also after a failure. A name has the columns that the
 * expression picks of it, by name or by number, and as many as `counts` says ("x=4,q=4"; NULL: of none); without
 * either, one. HB_EUSAGE for what is no such list, for names that are not read, for fewer columns than are picked, and
 * where rowsum adds up columns of which nobody said how many there are. Of *weights, bit i says that reads[i] stands
 * before an @: what it multiplies has as many columns. */
hb_status hb_columns_find(const char *expression, char *const *reads, uint32_t count, const char *counts,
                          hb_schema *schemas, uint64_t *weights);

#endif
