/* Widens ranges of reals so that publishing them reveals no value. */
#ifndef HB_BATCH_CELLS_PUBLIC_RANGE_H
#define HB_BATCH_CELLS_PUBLIC_RANGE_H

/* Moves *low and *high, the least and the greatest of some values, finite and *low <= *high, outwards: each to a power
 * of two, or to 0, so that neither value becomes public. For 20 and 90 they become 16 and 128. *low < *high
 * afterwards. */
void hb_public_range(double *low, double *high);

#endif
