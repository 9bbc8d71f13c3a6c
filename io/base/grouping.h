/* Totals that are shown as a table of one row a group: a dataset has one row, and in it the same columns for every
 * group, one group after another; what they stand for is worked out once they are decrypted. */
#ifndef HB_IO_BASE_GROUPING_H
#define HB_IO_BASE_GROUPING_H

#include "schema.h"

/* How a column of the table follows from columns of its group. */
typedef enum hb_grouped_kind {
    HB_GROUPED_VALUE,    /* part 0, or how many rows were added up */
    HB_GROUPED_MEAN,     /* part 0, a sum, divided by part 1, a count; nothing where that is 0 */
    HB_GROUPED_VARIANCE, /* of a sample: (part 0, the sum of squares, less part 1^2 / part 2) / (part 2 - 1), of part 1
                            the sum and part 2 the count; nothing where that is below 2 */
    HB_GROUPED_KINDS
} hb_grouped_kind;

enum { HB_GROUPED_PARTS = 3 };
/* In the place of a part: it is no column, but the number of rows that were added up. */
#define HB_GROUPED_ROWS UINT64_MAX

/* One column of the table. */
typedef struct hb_grouped_column {
    char *name; /* owned */
    hb_grouped_kind kind;
    /* Columns of a group, from 0; from the number of these on its counts; or HB_GROUPED_ROWS. 0 of those that it has
     * not. */
    uint64_t part[HB_GROUPED_PARTS];
} hb_grouped_column;

/* What the columns of a schema of one row stand for. hb_grouping_alloc makes one, hb_grouping_free frees it. */
struct hb_grouping {
    hb_schema keys;   /* rows: groups; columns: keys of a group, each with a name, integers. No columns: one group */
    uint64_t *values; /* [groups][keys] words of the columns' signs; owned */
    uint64_t rows;    /* that were added up */
    uint64_t parts;   /* columns of a group: group g has columns g * parts .. of the schema */
    /* Not 0: at most so many rows were fetched (fetched.h), and there are no groups. `keys` has one row, of what stands
     * for nothing, and its columns are those of the rows, with their ranges. Parts are the sums 0 .. fetched of the
     * first column, then 0 .. fetched - 1 of each other one, and `columns` is 0. */
    uint64_t fetched;
    uint64_t modulus; /* the prime that sums of fetched rows are residues of; else 0 */
    uint64_t counted; /* counts that each group has beside its columns: of rows, by plain tables, which all may know */
    uint64_t *counts; /* [groups][counted], owned */
    uint64_t columns; /* that are shown of a group, behind its keys */
    hb_grouped_column *column; /* [columns], owned */
};

/* Makes a grouping with its arrays, zeroed; names are the caller's to set. HB_ENOMEM. */
hb_status hb_grouping_alloc(uint64_t groups, uint64_t keys, uint64_t columns, hb_grouping **out);
/* Gives each group so many counts, zeroed; it has none before. HB_ENOMEM. */
hb_status hb_grouping_alloc_counts(hb_grouping *grouping, uint64_t counted);
/* Makes a deep copy; NULL of NULL. HB_ENOMEM. */
hb_status hb_grouping_copy(const hb_grouping *from, hb_grouping **out);
void hb_grouping_free(hb_grouping *grouping); /* NULL allowed. */

/* Returns HB_EDATA, with `path`, unless the schema has one row of as many columns as its grouping says, parts are
 * columns, and every column has a name. */
hb_status hb_grouping_check(const hb_schema *schema, const char *path);
/* Makes the schema of the table that is shown of a schema with a grouping: keys, then columns, of which means and
 * variances are reals; of fetched rows, of as many as there may be. HB_ENOMEM. */
hb_status hb_grouping_schema(const hb_schema *from, hb_schema *to);
/* Works out the table from the one row of the dataset, words [columns of the schema]: shown [groups][keys and columns],
 * and how many rows it has. Of integers, means and variances are the doubles nearest to what they are exactly. What
 * there is nothing of is not a number. HB_EDATA where more rows were selected than were to be fetched, or sums are
 * those of no rows; HB_ENOMEM. */
hb_status hb_grouping_show(const hb_schema *from, const uint64_t *words, uint64_t *shown, uint64_t *rows);

#endif
