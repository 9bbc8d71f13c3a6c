/* Derived columns: made of columns of a table, each cell of cells of its row: bins of numbers, parts of dates, ages,
 * comparisons, differences. A column with few values costs little to compute with. Rank-local. */
#ifndef HB_TABLE_DERIVATION_H
#define HB_TABLE_DERIVATION_H

#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/modarith.h"
#include "schema.h"

typedef enum hb_derived_kind {
    HB_DERIVED_BIN, /* a label of the bin that holds a number, date or time */
    HB_DERIVED_YEAR,
    HB_DERIVED_QUARTER, /* 1 to 4 */
    HB_DERIVED_MONTH,   /* 1 to 12 */
    HB_DERIVED_WEEKDAY, /* labels Monday to Sunday */
    HB_DERIVED_HOUR,    /* 0 to 23, of times */
    HB_DERIVED_AGE,     /* full years between two days */
    HB_DERIVED_DAYS,    /* whole days between two dates or times, below 0 where the second is the earlier one */
    HB_DERIVED_COMPARISON,
    HB_DERIVED_DIFFERENCE, /* of numbers, dates or times */
    HB_DERIVED_SUM         /* of numbers */
} hb_derived_kind;

/* The orders for which a comparison is true: any of these bits. */
enum { HB_DERIVED_LESS = 1, HB_DERIVED_EQUAL = 2, HB_DERIVED_GREATER = 4 };
enum { HB_DERIVED_SOURCES = 2, HB_MOST_DERIVED_BINS = 1024 };

/* A column as an option says it; all texts are owned. */
typedef struct hb_derivation {
    char *text; /* as it was written */
    char *name;
    hb_derived_kind kind;
    char *source[HB_DERIVED_SOURCES]; /* names of columns; the second is NULL where a constant stands there */
    char **constant;                  /* [constants] texts of bins, a date, the right of a comparison */
    uint64_t constants;
    unsigned comparison;
    bool quoted; /* the right of a comparison is in quotes, and no date, time or truth value: a label */
} hb_derivation;

/* Returns whether a column is made of one of that name. */
static inline bool hb_derivation_reads(const hb_derivation *of, const char *name)
{
    return strcmp(of->source[0], name) == 0 || (of->source[1] != NULL && strcmp(of->source[1], name) == 0);
}

/* In their order; each may be made of those before it. */
typedef struct hb_derivations {
    hb_derivation *item; /* [count]; owned */
    size_t count;
} hb_derivations;

/* Returns which of the first `before` columns has that name; `before`: none has. */
static inline size_t hb_derivations_find(const hb_derivations *derived, size_t before, const char *name)
{
    size_t i = 0;
    while (i < before && strcmp(derived->item[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Marks the columns too that marked ones are made of. needed: [count]. */
static inline void hb_derivations_need(const hb_derivations *derived, bool *needed)
{
    for (size_t i = derived->count; i-- > 0;) {
        for (size_t j = 0; j < i && needed[i]; j++) {
            needed[j] = needed[j] || hb_derivation_reads(&derived->item[i], derived->item[j].name);
        }
    }
}

/* Returns whether a column holds numbers whose range no option says: it is that of the rows. */
static inline bool hb_derivation_computes(const hb_derivation *of)
{
    return of->kind == HB_DERIVED_DAYS || of->kind == HB_DERIVED_DIFFERENCE || of->kind == HB_DERIVED_SUM;
}

/* Parses NAME=FUNCTION(COLUMN, ..), NAME=COLUMN OPERATOR VALUE and NAME=COLUMN - COLUMN. The caller clears *out, also
 * after a failure. HB_EUSAGE with the fault; HB_ENOMEM. */
hb_status hb_derivations_parse(const char *const *texts, size_t count, hb_derivations *out);
void hb_derivations_clear(hb_derivations *derivations);

/* A number of a cell: of tables of integers `integer`, of tables of reals `number`; cells of derived columns have both.
 */
typedef struct hb_derived_cell {
    hb_i128 integer;
    double number;
    bool missing;
    bool between; /* of constants: a value above this number and below the next one that a cell can have */
} hb_derived_cell;

/* Returns the number of a cell that is not missing, from its words. */
static inline hb_derived_cell hb_derived_cell_of(const hb_column *column, const uint64_t *word)
{
    const hb_i128 most = (hb_i128)(~(hb_u128)0 >> 1);
    hb_derived_cell cell = {.missing = false};
    if (column->cells == HB_CELL_REAL) {
        cell.number = hb_real_of(word[0]);
    } else if (column->cells == HB_CELL_WIDE) {
        const hb_u128 number = word[0] | (hb_u128)word[1] << 64;
        /* No constant is as large as that, and differences with it are refused. */
        cell.integer = !column->is_signed && number > (hb_u128)most ? most : (hb_i128)number;
    } else {
        cell.integer = column->is_signed ? (hb_i128)(int64_t)word[0] : (hb_i128)word[0];
    }
    return cell;
}

/* The numbers from `least` to `most`; from: without that bound there is no least number; to: likewise. */
typedef struct hb_derived_bin {
    hb_derived_cell least, most;
    bool from, to;
    bool below; /* `most` is not in it */
} hb_derived_bin;

/* Finds the least and the greatest number of the first source, both missing where it has none; failures of reading. */
typedef struct hb_derived_extremes {
    hb_status (*find)(void *context, hb_derived_cell ends[2]);
    void *context;
} hb_derived_extremes;

/* How a derived column is made of columns whose meaning is known. */
typedef struct hb_derived_rule hb_derived_rule;
struct hb_derived_rule {
    /* Makes a cell of the cells of its row. Missing cells make missing cells. Returns NULL, or the fault of the
     * row's cells. */
    const char *(*make)(const hb_derived_rule *rule, const hb_derived_cell *const *from, hb_derived_cell *to);
    const hb_derivation *of; /* borrowed */
    hb_column column;        /* without name and mask; the rule's owner owns its meaning */
    bool real;               /* sources have `number` */
    hb_derived_cell constant;
    uint64_t times[HB_DERIVED_SOURCES];  /* factors that bring two integers to one scale; of one the factor is 1 */
    int64_t per_day[HB_DERIVED_SOURCES]; /* units of a day in which dates and times of the sources count */
    hb_derived_bin *bin;                 /* [bins]; owned. NULL: bins of one width */
    uint64_t bins, rest;                 /* rest: the bin of all other numbers, `bins`: there is none */
    hb_i128 width, first; /* bin i holds the `width` numbers from (first + i) width on; of days: their units
                                          */
};

/* Makes the rule for sources `from` [2], the second NULL as in the derivation. alike: NULL, or the meaning that the
 * column has in a dataset, whose bins of one width are taken; else they are found between the extremes. HB_EUSAGE for
 * columns without such numbers, and constants that these do not have; HB_EDATA for too many bins; HB_ENOMEM. The caller
 * clears *rule, also after a failure. */
hb_status hb_derived_rule_make(hb_derived_rule *rule, const hb_derivation *of, const hb_column *const *from,
                               const hb_meaning *alike, const hb_derived_extremes *extremes);
static inline void hb_derived_rule_clear(hb_derived_rule *rule)
{
    hb_meaning_clear(&rule->column.meaning);
    free(rule->bin);
    rule->bin = NULL;
}

#endif
