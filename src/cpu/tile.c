/* A tile of a product of a matrix with rows: a few outputs at a time, whose sums stay in registers while all rows go
 * by, reduced once where there is room. Compiled once per instruction set. */
#include "columns.h"
#include "cpu_private.h"

#define FEW 4 /* terms of wide words between carries (columns.h) */
/* Vectors of one row that are worked on together, and outputs: what the registers hold. */
#define VECTORS (HB_LANES == 8 ? 2 : 1)
#define TOGETHER (HB_LANES == 8 ? 4 : 2)

_Static_assert(HB_CPU_TILE_WORDS % (HB_LANES * VECTORS) == 0, "strips are whole vectors");
_Static_assert(HB_CPU_TILE_OUTPUTS % TOGETHER == 0, "tiles are whole groups of outputs");

/* Returns the terms that are added before a sum is reduced (columns.h), a multiple of FEW. 2^(104 - 2b) products of
 * narrow words below 2^b are below 2^104, and 2^10 fit the columns. */
static uint32_t terms_at_once(const hb_modulus *m, bool narrow)
{
    if (narrow) {
        return m->bits > 47 ? UINT32_C(1) << (104 - 2 * m->bits) : 1024; /* 2^10 */
    }
    return m->bits > 55 ? UINT32_C(1) << (65 - m->bits) : 1024; /* 2^10 */
}

/* The sums of outputs first .. first + count - 1 for VECTORS vectors of words from j on; count is a constant. */
HB_CLONED_INLINE void sums_of(const hb_cpu_tile *x, uint32_t first, const uint32_t count, size_t j,
                              const hb_reducer *by, uint32_t at_once, const bool narrow)
{
    hb_columns sums[TOGETHER][VECTORS];
    HB_UNROLLED
    for (uint32_t at = 0; at < count * VECTORS; at++) {
        const hb_words there = hb_vector_load(x->sums[first + at / VECTORS] + j + at % VECTORS * HB_LANES);
        sums[at / VECTORS][at % VECTORS] = hb_columns_of(there, narrow);
    }
    const uint32_t step = narrow ? at_once : FEW;
    for (uint32_t i = 0, left = at_once; i < x->terms;) {
        const uint32_t end = x->terms - i < step ? x->terms : i + step;
        for (; i < end; i++) {
            hb_pieces a[VECTORS];
            HB_UNROLLED
            for (uint32_t v = 0; v < VECTORS; v++) {
                a[v] = hb_pieces_of(hb_vector_load(x->rows[i] + j + v * HB_LANES), narrow);
            }
            HB_UNROLLED
            for (uint32_t o = 0; o < count; o++) {
                const hb_pieces weight = hb_pieces_of(hb_vector_all(x->weights[first + o][i]), narrow);
                HB_UNROLLED
                for (uint32_t v = 0; v < VECTORS; v++) {
                    hb_columns_add_product(&sums[o][v], a[v], weight, narrow);
                }
            }
        }
        left = left > step ? left - step : 0;
        HB_UNROLLED
        for (uint32_t at = 0; at < count * VECTORS; at++) {
            hb_columns *sum = &sums[at / VECTORS][at % VECTORS];
            if (left == 0) { /* a reduced sum counts as what a sum begins with */
                *sum = hb_columns_of(hb_columns_reduced(*sum, by, narrow), narrow);
            } else {
                hb_columns_carry(sum, narrow);
            }
        }
        left = left == 0 ? at_once : left;
    }
    HB_UNROLLED
    for (uint32_t at = 0; at < count * VECTORS; at++) {
        const hb_words sum = hb_columns_reduced(sums[at / VECTORS][at % VECTORS], by, narrow);
        hb_vector_store(x->sums[first + at / VECTORS] + j + at % VECTORS * HB_LANES, sum);
    }
}

/* All outputs of a tile; `narrow` is a constant of the calls. */
HB_CLONED_INLINE void tile(const hb_cpu_tile *x, size_t n, const hb_modulus *m, const bool narrow)
{
    const hb_reducer by = hb_reducer_of(m);
    const uint32_t at_once = terms_at_once(m, narrow);
    uint32_t o = 0;
    for (; o + TOGETHER <= x->outputs; o += TOGETHER) {
        for (size_t j = 0; j < n; j += VECTORS * HB_LANES) {
            sums_of(x, o, TOGETHER, j, &by, at_once, narrow);
        }
    }
    for (; o < x->outputs; o++) {
        for (size_t j = 0; j < n; j += VECTORS * HB_LANES) {
            sums_of(x, o, 1, j, &by, at_once, narrow);
        }
    }
}

hb_cpu_tile_kernel HB_BUILT(hb_cpu_tile_sums);

void HB_BUILT(hb_cpu_tile_sums)(const hb_cpu_tile *x, size_t n, const hb_modulus *m, bool narrow)
{
    narrow && m->bits > 4 ? tile(x, n, m, true) : tile(x, n, m, false);
}
