/* Ranges of reals as they become public. */
#ifndef HB_BATCH_PUBLIC_RANGE_H
#define HB_BATCH_PUBLIC_RANGE_H

/* Moves *low and *high, the least and the most of some values, finite and *low <= *high, outwards: each to a power of
 * two, or to 0, so that neither value becomes public: 16 .. 128 of 20 and 90. *low < *high afterwards. */
void hb_public_range(double *low, double *high);

#endif
