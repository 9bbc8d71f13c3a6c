/* Integers of HDF5 that are read as doubles. */
#include <math.h>

#include "base/cell.h"
#include "table_private.h"

/* A NaN that no arithmetic makes, as those of gaps. */
static const uint64_t unheld = 0x7ff8b16000000053;

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
    const uint64_t flip = (uint64_t)is_signed << 63;
    return (a ^ flip) < (b ^ flip);
}

uint64_t hb_h5_real_of(uint64_t word, bool is_signed, const hb_h5_gaps *gaps)
{
    for (uint32_t i = 0; i < gaps->count; i++) {
        if (word == gaps->word[i]) {
            return HB_H5_FILLED;
        }
    }
    if (((gaps->bounds & HB_GAPS_BELOW) != 0 && is_less(word, gaps->least, is_signed)) ||
        ((gaps->bounds & HB_GAPS_ABOVE) != 0 && is_less(gaps->most, word, is_signed))) {
        return HB_H5_OUTSIDE;
    }
    const double value = is_signed ? (double)(int64_t)word : (double)word;
    const double end = is_signed ? 0x1p63 : 0x1p64; /* to which the largest integers are rounded */
    const bool held = value < end && (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) == word;
    return held ? hb_real_word(value) : unheld;
}

bool hb_h5_is_unheld(uint64_t word)
{
    return word == unheld;
}
