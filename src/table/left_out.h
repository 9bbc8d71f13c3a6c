/* The rows that were left out when a table was read, because a cell was missing. Rows of two tables belong together by
 * their positions, so two tables may only be paired where the same rows were left out. */
#ifndef HB_TABLE_LEFT_OUT_H
#define HB_TABLE_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { HB_LEFT_OUT_SUMS = 2 };

/* Zeroed: no row. Two different sets of equally many rows have equal sums with probability about 2^-100, unless an
 * attacker chose them to collide. The sums of concatenated tables follow from those of each. Public: anyone can test a
 * guess of the rows. */
typedef struct hb_left_out {
    uint64_t rows; /* number of rows left out */
    /* [i]: the sum of b_i^r mod 2^61 - 1 over these rows, r counted from 0 among all rows of the table, those left out
     * included; b_0 = 3^38, b_1 = 5^26. */
    uint64_t sum[HB_LEFT_OUT_SUMS];
} hb_left_out;

/* Adds row `row`, which must not be in it yet. */
void hb_left_out_add(hb_left_out *to, uint64_t row);
/* Extends it from a table of `total` rows, those left out included, to that table followed by another. */
void hb_left_out_join(hb_left_out *to, uint64_t total, const hb_left_out *next);
/* Returns whether the same rows were left out of both. */
static inline bool hb_left_out_same(const hb_left_out *a, const hb_left_out *b)
{
    bool same = a->rows == b->rows;
    for (int i = 0; i < HB_LEFT_OUT_SUMS; i++) {
        same = same && a->sum[i] == b->sum[i];
    }
    return same;
}
/* Returns whether a file may contain this, for a table that keeps `kept` rows: no sums for no rows, sums below the
 * modulus, and at most INT64_MAX rows together, which JSON can say. */
bool hb_left_out_is_possible(const hb_left_out *of, uint64_t kept);
/* Writes "3 of 12 rows were left out, as cells of theirs are missing"; `kept` rows were kept. For none: "no row was
 * left out". */
#define HB_LEFT_OUT_TEXT 128
void hb_left_out_text(char text[HB_LEFT_OUT_TEXT], const hb_left_out *of, uint64_t kept);
/* A table for a message: its name, its rows, and those left out. A view. */
typedef struct hb_left_out_of {
    const char *name;
    uint64_t kept;
    const hb_left_out *left_out;
} hb_left_out_of;
/* Returns HB_EDATA, with a remedy, unless rows of both belong together. */
hb_status hb_left_out_require_same(hb_left_out_of a, hb_left_out_of b);

#endif
