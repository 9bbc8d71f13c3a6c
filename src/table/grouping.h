/* Totals that are shown as a table with one row a group. The dataset has one row, with the same columns for every
 * group, one group after another; the table's cells are computed once the totals are decrypted. */
#ifndef HB_TABLE_GROUPING_H
#define HB_TABLE_GROUPING_H

#include "epilogue.h"
#include "schema.h"

/* One column of the table. */
typedef struct hb_grouped_column {
    char *name;                  /* owned */
    const hb_epilogue *epilogue; /* how it is computed from the parts; NULL, from a file: unknown */
    /* Columns of a group, from 0; above these, its counts; or HB_GROUPED_ROWS. Unused parts are 0. */
    uint64_t part[HB_GROUPED_PARTS];
} hb_grouped_column;

/* The meaning of the columns of a schema of one row. hb_grouping_alloc makes one, hb_grouping_free frees it. */
struct hb_grouping {
    hb_schema keys;   /* rows: groups; columns: keys of a group, each with a name, integers. No columns: one group */
    uint64_t *values; /* [groups][keys] words of the columns' signs; owned */
    uint64_t rows;    /* that were added up */
    uint64_t parts;   /* columns of a group: group g has columns g * parts .. of the schema */
    /* Not 0: at most this many rows were fetched, and there are no groups. `keys` then has one row, without meaning,
     * and its columns are those of the rows; `columns` is 0. Integers (fetched.h): parts are the sums 0 .. fetched of
     * the first column, then 0 .. fetched - 1 of each other one, and columns have ranges. Where there is a count it is
     * how many rows there are, in the place of the first part. Reals (iblt.h): parts are the sums of cells. */
    uint64_t fetched;
    uint64_t modulus; /* the prime modulus of the sums of fetched rows of integers; else 0 */
    uint64_t cells;   /* of a way, of fetched rows of reals; else 0 */
    uint64_t unit;    /* of their counts and digits (iblt.h); else 0 */
    /* The error that these sums may have, at least 0. No file says it: whoever decrypts knows it, and sets it. It is
     * INFINITY in a grouping that was allocated. */
    double error;
    /* Numbers of each group beside its columns, which are no secret: counts of rows of plain tables, and words of
     * doubles, as hb_epilogue_public takes them. */
    uint64_t counted;
    uint64_t *counts;          /* [groups][counted], owned */
    uint64_t columns;          /* shown columns of a group, after its keys */
    hb_grouped_column *column; /* [columns], owned */
};

/* Returns a part of a group that is no column: one of its counts, or HB_GROUPED_ROWS. */
static inline uint64_t hb_grouping_known(const hb_grouping *grouping, uint64_t group, uint64_t part)
{
    return part == HB_GROUPED_ROWS ? grouping->rows
                                   : grouping->counts[group * grouping->counted + part - grouping->parts];
}

/* Makes a grouping with its arrays, zeroed, whose columns are shown as they are; the caller sets the names.
 * HB_ENOMEM. */
hb_status hb_grouping_alloc(uint64_t groups, uint64_t keys, uint64_t columns, hb_grouping **out);
/* Gives each group this many counts, zeroed; it has none before. HB_ENOMEM. */
hb_status hb_grouping_alloc_counts(hb_grouping *grouping, uint64_t counted);
/* Makes a deep copy; NULL of NULL. HB_ENOMEM. */
hb_status hb_grouping_copy(const hb_grouping *from, hb_grouping **out);
void hb_grouping_free(hb_grouping *grouping); /* NULL allowed. */

/* Returns HB_EDATA, with `path`, unless the schema has one row of as many columns as its grouping says, parts are
 * columns, and every column has a name. */
hb_status hb_grouping_check(const hb_schema *schema, const char *path);
/* Makes the schema of the table that is shown for a schema with a grouping: keys, then columns, which are reals where
 * they are computed; for fetched rows, with as many rows as there may be. HB_ENOMEM. */
hb_status hb_grouping_schema(const hb_schema *from, hb_schema *to);
/* Computes the table from the dataset's only row, words of all its columns (hb_schema_words), and the table's number of
 * rows: shown [groups][words of the table's columns]. Means and variances of integers, wide ones too, are the doubles
 * nearest to the exact values. A mean or a variance over too few rows is NaN. HB_EDATA where more rows were selected
 * than can be fetched, or no rows have these sums; HB_ENOMEM. */
hb_status hb_grouping_show(const hb_schema *from, const uint64_t *words, uint64_t *shown, uint64_t *rows);

#endif
