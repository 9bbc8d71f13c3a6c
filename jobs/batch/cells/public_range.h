/* The ranges that a dataset says of its columns, which are public: of reals they are widened, so that they reveal no
 * value. */
#ifndef HB_BATCH_CELLS_PUBLIC_RANGE_H
#define HB_BATCH_CELLS_PUBLIC_RANGE_H

#include "lang/program/range.h"

/* Returns the public range of a column without a declared one, whose values are from the least to the most of `values`.
 * It is all that its meaning allows (hb_column_domain), if that is known. Else for integers it is `values`. For reals,
 * which are finite, each end moves outwards to a power of two, or to 0, so that neither value becomes public: 20 and 90
 * give 16 and 128, and low < high. values: known, and of reals where the scheme computes with them. */
hb_interval hb_public_measured(const hb_column *column, hb_interval values);
/* Returns the range of a column whose declared range is `said`: the part of it that the meaning allows; unknown where
 * it allows none of it. */
hb_interval hb_public_declared(const hb_column *column, hb_interval said);

/* Gives a column with a mask its fill, the value of missing cells, and makes its range, that of the cells that are
 * there, hold the fill. It is the whole number of the range that is nearest to 0, so that the range of a date stays as
 * narrow as it is. For reals it is so only where the range with 0 is at least twice as wide, because sums then take the
 * errors of the mask times the fill. Else it is 0, as for a range that is unknown. */
void hb_public_fill(hb_column *column, hb_interval *range);

#endif
