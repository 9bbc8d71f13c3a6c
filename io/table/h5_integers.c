/* Integers of HDF5 that are read as doubles. */
#include <math.h>

#include "base/cell.h"
#include "table_private.h"

/* A NaN that no arithmetic makes. */
static const uint64_t unheld = 0x7ff8b16000000053;

/* Whether the gaps say of the nearest double that such cells are missing. */
static bool is_gap(const hb_h5_gaps *gaps, double value)
{
    bool gap = ((gaps->bounds & HB_GAPS_BELOW) != 0 && value < hb_real_of(gaps->least)) ||
               ((gaps->bounds & HB_GAPS_ABOVE) != 0 && value > hb_real_of(gaps->most));
    for (uint32_t i = 0; i < gaps->count; i++) {
        gap = gap || value == hb_real_of(gaps->word[i]);
    }
    return gap;
}

uint64_t hb_h5_real_of(uint64_t word, bool is_signed, const hb_h5_gaps *gaps)
{
    const double value = is_signed ? (double)(int64_t)word : (double)word;
    const double end = is_signed ? 0x1p63 : 0x1p64; /* to which the largest integers are rounded */
    const bool held = value < end && (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) == word;
    return held || is_gap(gaps, value) ? hb_real_word(value) : unheld;
}

bool hb_h5_is_unheld(uint64_t word)
{
    return word == unheld;
}
