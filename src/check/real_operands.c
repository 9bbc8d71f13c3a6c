/* Operands of reals (check_private.h). */
#include <math.h>

#include "check_private.h"

void hb_check_fill_reals(const hb_check_area *a, uint64_t *words, uint64_t *state)
{
    for (size_t i = 0; i < a->words; i++) {
        const uint64_t w = hb_check_random(state);
        words[i] = hb_real_word(w % 16 == 0 ? (w & 16 ? -1 : 1) : (double)(int64_t)w * 0x1p-63);
    }
}

void hb_check_fill_borders(const hb_check_area *a, uint64_t *words, uint64_t *state)
{
    static const double borders[] = {0.5,
                                     1.5,
                                     2.5,
                                     0x1.fffffffffffffp-2,
                                     0x1.fffffffffffffp+50,
                                     0x1p51,
                                     0x1p52,
                                     0x1p53,
                                     0x1p60,
                                     0x1.fffffffffffffp+61,
                                     0x1p62,
                                     0,
                                     0x1p63,
                                     1,
                                     INFINITY,
                                     NAN};
    enum { BORDERS = sizeof borders / sizeof *borders };
    for (size_t i = 0; i < a->words; i++) {
        const uint64_t w = hb_check_random(state);
        const double odd = (double)(w >> (12 + w % 32)) + 0.5, x = w & 64 ? borders[(w >> 8) % BORDERS] : odd;
        words[i] = hb_real_word(w & 128 ? -x : x);
    }
}

void hb_check_fill_wide_borders(const hb_check_area *a, uint64_t *words, uint64_t *state)
{
    static const double highs[] = {0.5,
                                   1.5,
                                   2.5,
                                   0x1p52,
                                   0x1.0000000000001p+53,
                                   0x1.8p54,
                                   0x1p60,
                                   0x1.0000000000001p+106,
                                   0x1.fffffffffffffp+124,
                                   0x1p125,
                                   0,
                                   0x1p126,
                                   1,
                                   INFINITY,
                                   NAN};
    static const double lows[] = {0, 0x1p-54, -0x1p-54, 0x1p-56};
    for (size_t c = 0; c < a->count; c += 2) {
        uint64_t *high = words + a->head + c * a->stride, *low = high + a->stride;
        for (size_t j = 0; j < a->n; j++) {
            const uint64_t w = hb_check_random(state);
            const double odd = (double)(w >> 11) * (w & 32 ? 0x1p-3 : 0x1p50);
            const double x = w & 64 ? highs[(w >> 8) % (sizeof highs / sizeof *highs)] : odd;
            /* For a power of two half of the last bit below is not nearest; NaN and infinity have no low part. */
            const double y = x < 0x1p127 && x > 0 ? x * lows[w >> 20 & 3] : 0;
            high[j] = hb_real_word(w & 128 ? -x : x);
            low[j] = hb_real_word(w & 256 ? -y : y);
        }
    }
}
