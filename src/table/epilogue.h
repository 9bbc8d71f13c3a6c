/* Epilogues: how a column of a table of groups is computed from the decrypted columns of its group. Each is one row
 * here. An aggregate of the expression language names its row, which tells the sums that it needs; files have the row's
 * number. */
#ifndef HB_TABLE_EPILOGUE_H
#define HB_TABLE_EPILOGUE_H

#include <stdint.h>

#include "base/wide.h"
#include "schema.h"

/* The most parts that a column is computed from. */
enum { HB_GROUPED_PARTS = 3 };
/* Instead of the number of a column as a part: the number of rows that were added up. */
#define HB_GROUPED_ROWS UINT64_MAX

/* Decrypted totals, words of all columns of a schema of one row with a grouping, and the group to compute. */
typedef struct hb_group_totals {
    const hb_schema *schema;
    const uint64_t *words;
    uint64_t group;
} hb_group_totals;

/* An epilogue. Parts are sums over rows of powers of the values; the power 0 counts the rows, and stands last. An
 * aggregate that makes its own sums may have other parts: columns, two of which may be the ends of a range of columns,
 * and last a number of the group's own (hb_grouping.counts). */
typedef struct hb_epilogue {
    uint8_t number;                   /* in files, so it never changes: the index in the list below */
    const char *name;                 /* of such columns, in the plural */
    uint32_t parts;                   /* up to HB_GROUPED_PARTS */
    uint32_t power[HB_GROUPED_PARTS]; /* [parts] */
    /* Compute a cell from the parts in hb_grouped_column.part; NaN means an empty cell. NULL for columns that are shown
     * as they are. */
    double (*of_integers)(const hb_group_totals *totals, const uint64_t *part);
    double (*of_reals)(const hb_group_totals *totals, const uint64_t *part);
    /* Computes a cell from the parts themselves [parts], integers of values that are stored times `scale`: the double
     * nearest to the exact value. NULL for a row that no aggregate names. */
    double (*of_parts)(const hb_wide *part, uint64_t scale);
} hb_epilogue;

/* All rows, by their numbers; epilogue.c has their formulas. */
#define HB_EPILOGUES(X) X(itself) X(mean) X(variance) X(public)

#define HB_EPILOGUE_DECLARED(name) extern const hb_epilogue hb_epilogue_##name;
HB_EPILOGUES(HB_EPILOGUE_DECLARED)
#undef HB_EPILOGUE_DECLARED

/* Returns the row of that number; NULL: there is none. */
const hb_epilogue *hb_epilogue_of(uint64_t number);
/* Returns whether columns are shown as they are. */
static inline bool hb_epilogue_is_itself(const hb_epilogue *epilogue)
{
    return epilogue->of_integers == NULL;
}

#endif
