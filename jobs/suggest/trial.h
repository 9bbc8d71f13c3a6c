/* Trials of an expression under candidate parameters, and the requirements on these, for suggest.c. */
#ifndef HB_SUGGEST_TRIAL_H
#define HB_SUGGEST_TRIAL_H

#include "lang/compile/compile.h"
#include "lang/program/range.h"
#include "suggest.h"
#include "tables.h"

/* The state that all trials of a request share. */
typedef struct hb_trials {
    const hb_suggest_request *request; /* borrowed */
    const struct hb_search *search;    /* of the request's scheme (search.h) */
    char **reads, **assigns;           /* names, NULL-terminated */
    uint32_t read_count, assign_count;
    hb_range *ranges;
    uint32_t range_count;
    hb_ranged_table *tables; /* [read_count] */
    uint64_t weights; /* bit i: name i is a plain table of weights (W @ x), or of numbers that are looked up ... */
    /* ... and bit i: name i is encrypted weights, each row of which applies to all rows of others. */
    uint64_t encrypted_weights;
    uint64_t rows;
    hb_schema *schemas;   /* [read_count] */
    hb_interval *columns; /* of all their columns: the ranges, where each column has its own */
    hb_operand *operands; /* [operand_count] the read operands, and the declared ranges of assigned names */
    uint32_t operand_count;
    char deepest[80];    /* the result that asks for the parameters, "" before it is known, and ... */
    uint32_t deepest_at; /* ... its character in the expression, from 1 */
    bool several;        /* there are other results */
    double told;         /* time of the last message about trials (hb_now) ... */
    uint32_t tried;      /* ... and the number of trials so far */
    hb_bfv_requirements bfv;
    hb_ckks_requirements ckks;
    hb_compile_cache *cache;
} hb_trials;

/* Finds names, ranges, and the values of the tables that parameters must hold. The caller clears it, also after a
 * failure. */
hb_status hb_trials_init(hb_trials *trials, const hb_suggest_request *request, const struct hb_search *search);
void hb_trials_clear(hb_trials *trials);

/* Compiles the expression under these parameters; *out is zero before, the caller clears it in any case. HB_ECONFIG,
 * HB_EDATA, HB_EUSAGE when the parameters do not suffice. Functions have the requested precision; so must results,
 * except with `measure`, which only asks for their needs. */
hb_status hb_trial(hb_trials *trials, const hb_params_spec *spec, bool measure, hb_suggestion *out);

/* results.c: finds the ranges of results under parameters that few expressions exhaust, secure or not, and notes the
 * interval that holds them and the constants: an expression that is wrong by itself fails here. */
hb_status hb_trials_find_results(hb_trials *trials);

/* columns.c: the number and names of the columns of an expression's names, before there are tables.
 *
 * Fills those schemas [count], of the names that the expression reads, that have no columns yet. It sets columns, named
 * and column; the caller sets the rest, and clears the schemas, also after a failure. A name has the columns that the
 * expression picks from it, by name or by number, and the number that `counts` gives ("x=4,q=4"; NULL: none); without
 * either, one. HB_EUSAGE for a malformed list, for names that are not read, for fewer columns than are picked, and
 * where rowsum adds columns whose number is unknown. Bit i of *weights says that reads[i] stands before an @: its
 * factor has as many columns. */
hb_status hb_columns_find(const char *expression, char *const *reads, uint32_t count, const char *counts,
                          hb_schema *schemas, uint64_t *weights);
/* Returns HB_EUSAGE where the expression picks a column of `read` by number, among names from which --columns leaves
 * some out: it is unknown which numbers are meant. schema: of the columns that are read. */
hb_status hb_columns_refuse_numbers(const char *expression, const char *read, const hb_schema *schema);
/* Sets tables[i].selected of the trials, whose files are found, to the columns to read, in the form of --columns:
 * age,"odd name". They are those that the expression picks by name, and that ranges name. It stays NULL where the name
 * stands for its whole table, or columns are picked by number. A column whose missing cells leave rows out
 * (--missing kg=drop) is read as well. Where some table reads it for the expression, the option is about that table
 * alone, and the others' columns of that name stay unread. Where none does, it is about the rows of all tables that
 * have it, HB_EUSAGE where none has it. Other treatments of missing cells say nothing of a column that is not read. */
hb_status hb_columns_select(hb_trials *s);

#endif
