/* Leading zeros of numbers, as in 007: numbers do not keep them, and ids that differ only by them become equal. */
#ifndef HB_IO_TABLE_LEADING_ZEROS_H
#define HB_IO_TABLE_LEADING_ZEROS_H

#include <stdbool.h>
#include <stdint.h>

/* The leading zeros of a column's integers; unused where the column's meaning is declared. */
typedef struct hb_leading_zeros {
    uint64_t count;       /* numbers that begin with a zero that is not their only digit */
    uint32_t most, least; /* most digits of such a number; least digits of any number. 0: no such number */
} hb_leading_zeros;

/* Adds a number of that many digits; 0: it has other signs. Called for every cell of a table: most change nothing. */
static inline void hb_leading_zeros_add(hb_leading_zeros *zeros, uint32_t digits, bool padded)
{
    const bool less = digits - 1 < zeros->least - 1; /* 0, which means no number, becomes the largest value here */
    if (padded || less) {
        zeros->count += padded;
        zeros->most = padded && digits > zeros->most ? digits : zeros->most;
        zeros->least = less ? digits : zeros->least;
    }
}

static inline void hb_leading_zeros_join(hb_leading_zeros *all, const hb_leading_zeros *of)
{
    all->count += of->count;
    all->most = of->most > all->most ? of->most : all->most;
    all->least = of->least > 0 && (all->least == 0 || of->least < all->least) ? of->least : all->least;
}

/* Returns whether two different texts may be the same number. They are not where every number has at least as many
 * digits as those with leading zeros. */
static inline bool hb_leading_zeros_mixes(const hb_leading_zeros *zeros)
{
    return zeros->count > 0 && zeros->least < zeros->most;
}

#endif
