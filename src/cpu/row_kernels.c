/* The row kernels of one instruction set, and all that it has: compiled once per instruction set (kernels.h). */
#include "columns.h"
#include "cpu_private.h"
#include "vectors_shoup.h"

#define FEW 4 /* terms of wide words between carries (columns.h) */

/* --- sums of products of rows, reduced once at their end */

/* Terms of narrow words before a reduction (columns.h). */
#define NARROW_TERMS 16u

/* Load and store a sum; the middle column is left out where there is none. */
HB_CLONED_INLINE hb_columns get(const hb_columns *from, const bool narrow)
{
    return narrow && HB_COLUMNS_OF_52_BITS ? (hb_columns){from->low, {0}, from->high} : *from;
}

HB_CLONED_INLINE void put(hb_columns *to, hb_columns sum, const bool narrow)
{
    to->low = sum.low;
    to->high = sum.high;
    if (!narrow || !HB_COLUMNS_OF_52_BITS) {
        to->middle = sum.middle;
    }
}

/* The next step of a block after some terms: add more terms while there is room; reduce the sums when there is none; or
 * finish them into r. */
typedef enum step { ADD_MORE, REDUCE, FINISH } step;

/* Known when a sum is compiled: terms are products of two rows, or of a row and a weight; operands are narrow. */
typedef struct sum_kind {
    bool pairs, narrow;
} sum_kind;

/* The words that sums are made for: n words of every row, from word j on. */
typedef struct range {
    uint64_t *r;
    const hb_cpu_terms *terms;
    size_t j, n;
    const hb_reducer *by;
} range;

/* Adds `count` terms, from number i on. `block` holds the columns in a first-level cache, unless these terms are the
 * `first`. All flags are constants of the calls, so each call becomes a loop of its own. */
HB_CLONED_INLINE void add_terms(range x, hb_columns *block, uint32_t i, const uint32_t count, const bool first,
                                const step then, const sum_kind kind)
{
    const bool narrow = kind.narrow;
    /* Weights stay in registers for the whole block. */
    hb_pieces weights[FEW];
    HB_UNROLLED
    for (uint32_t k = 0; k < FEW; k++) {
        weights[k] = hb_pieces_of(hb_vector_all(kind.pairs || k >= count ? 0 : x.terms->weights[i + k]), narrow);
    }
    const hb_columns start = hb_columns_of(hb_vector_all(x.terms->start), narrow);
    const size_t end = x.j + x.n;
    for (size_t j = x.j; j < end; j += HB_LANES, block++) {
        hb_columns sum = first ? start : get(block, narrow);
        HB_UNROLLED
        for (uint32_t k = 0; k < count; k++) {
            const hb_pieces a = hb_pieces_of(hb_vector_load(x.terms->a[i + k] + j), narrow);
            const hb_pieces b = kind.pairs ? hb_pieces_of(hb_vector_load(x.terms->b[i + k] + j), narrow) : weights[k];
            hb_columns_add_product(&sum, a, b, narrow);
        }
        /* Wide columns have room for four terms only. */
        if (!narrow) {
            hb_columns_carry(&sum, narrow);
        }
        if (then == FINISH) {
            /* r may be one of the rows: its words at j have been loaded, and no later term reads them, as these are the
             * last. */
            hb_vector_store(x.r + j, hb_columns_reduced(sum, x.by, narrow));
        } else {
            put(block, then == REDUCE ? hb_columns_of(hb_columns_reduced(sum, x.by, narrow), narrow) : sum, narrow);
        }
    }
}

/* Adds the last terms, FEW or fewer, and finishes. The count becomes a constant, for which loops unroll. */
HB_CLONED_INLINE void finish(range x, hb_columns *block, uint32_t i, const bool first, const sum_kind kind)
{
    switch (x.terms->count - i) {
    case 0:
        add_terms(x, block, i, 0, first, FINISH, kind);
        break;
    case 1:
        add_terms(x, block, i, 1, first, FINISH, kind);
        break;
    case 2:
        add_terms(x, block, i, 2, first, FINISH, kind);
        break;
    case 3:
        add_terms(x, block, i, 3, first, FINISH, kind);
        break;
    default:
        add_terms(x, block, i, FEW, first, FINISH, kind);
    }
}

/* Makes the sums of a multiple of HB_LANES of words, at most a block; `block` is room for the columns of x.n words.
 * at_once is how many terms there is room for. Few rows are read at a time: rows that lie a power of two apart compete
 * for the same lines of a cache. */
HB_CLONED_INLINE void sum_block(range x, hb_columns *block, uint32_t at_once, const sum_kind kind)
{
    if (x.terms->count <= FEW) {
        finish(x, block, 0, true, kind);
        return;
    }
    add_terms(x, block, 0, FEW, true, ADD_MORE, kind);
    uint32_t i = FEW;
    for (; i + FEW < x.terms->count; i += FEW) {
        /* No room for more: reduced sums count as the start of a sum. */
        if ((i + FEW) % at_once == 0) {
            add_terms(x, block, i, FEW, false, REDUCE, kind);
        } else {
            add_terms(x, block, i, FEW, false, ADD_MORE, kind);
        }
    }
    finish(x, block, i, false, kind);
}

/* Makes the sums of the words that are left over, fewer than a vector, by copying them into whole vectors. */
HB_CLONED_INLINE void sum_rest(range x, uint32_t at_once, const sum_kind kind)
{
    uint64_t a[HB_CPU_MOST_TERMS][HB_LANES], b[HB_CPU_MOST_TERMS][HB_LANES], sums[HB_LANES];
    hb_cpu_terms rest = *x.terms;
    for (uint32_t i = 0; i < x.terms->count; i++) {
        /* Lanes beyond the row are zeros, whose sums are not stored. */
        memset(a[i], 0, sizeof a[i]);
        memset(b[i], 0, sizeof b[i]);
        memcpy(a[i], x.terms->a[i] + x.j, x.n * sizeof **a);
        rest.a[i] = a[i];
        if (kind.pairs) {
            memcpy(b[i], x.terms->b[i] + x.j, x.n * sizeof **b);
            rest.b[i] = b[i];
        }
    }
    hb_columns block = {0};
    sum_block((range){sums, &rest, 0, HB_LANES, x.by}, &block, at_once, kind);
    memcpy(x.r + x.j, sums, x.n * sizeof *x.r);
}

/* Returns the terms that are added before a sum is reduced: for m < 2^b it is 2^(65 - b), so that the whole stays below
 * 2^126; at least 16, a multiple of FEW, for b <= 61. */
static uint32_t sum_terms_at_once(const hb_modulus *m, bool narrow)
{
    if (narrow) {
        return NARROW_TERMS;
    }
    return m->bits > 58 ? UINT32_C(1) << (65 - m->bits) : 2 * HB_MAX_LIMBS;
}

/* Makes the sums of whole rows, a block of words at a time. */
static inline void sum_rows(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, const sum_kind kind)
{
    const hb_reducer by = hb_reducer_of(m);
    const uint32_t at_once = sum_terms_at_once(m, kind.narrow);
    const size_t whole = n / HB_LANES * HB_LANES;
    for (size_t j = 0; j < whole; j += HB_CPU_BLOCK) {
        hb_columns block[HB_CPU_BLOCK / HB_LANES];
        const size_t words = whole - j < HB_CPU_BLOCK ? whole - j : HB_CPU_BLOCK;
        sum_block((range){r, terms, j, words, &by}, block, at_once, kind);
    }
    if (whole < n) {
        sum_rest((range){r, terms, whole, n - whole, &by}, at_once, kind);
    }
}

static void sum_products(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, bool narrow)
{
    /* Four constant cases, each compiled by itself. */
    narrow = narrow && m->bits > 4;
    if (terms->pairs) {
        narrow ? sum_rows(r, terms, n, m, (sum_kind){true, true}) : sum_rows(r, terms, n, m, (sum_kind){true, false});
    } else {
        narrow ? sum_rows(r, terms, n, m, (sum_kind){false, true}) : sum_rows(r, terms, n, m, (sum_kind){false, false});
    }
}

/* --- a tile of a product of a matrix with rows
 *
 * A few outputs at a time, whose sums stay in registers while all rows go by, reduced once where there is room. */

/* Vectors of one row that are worked on together, and outputs: what the registers hold. */
#define VECTORS (HB_LANES == 8 ? 2 : 1)
#define TOGETHER (HB_LANES == 8 ? 4 : 2)

_Static_assert(HB_CPU_TILE_WORDS % (HB_LANES * VECTORS) == 0, "strips are whole vectors");
_Static_assert(HB_CPU_TILE_OUTPUTS % TOGETHER == 0, "tiles are whole groups of outputs");

/* Returns the terms that are added before a sum is reduced (columns.h), a multiple of FEW. 2^(104 - 2b) products of
 * narrow words below 2^b are below 2^104, and 2^10 fit the columns. */
static uint32_t tile_terms_at_once(const hb_modulus *m, bool narrow)
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
    const uint32_t most = narrow ? at_once : FEW;
    for (uint32_t i = 0, left = at_once; i < x->terms;) {
        const uint32_t end = x->terms - i < most ? x->terms : i + most;
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
        left = left > most ? left - most : 0;
        HB_UNROLLED
        for (uint32_t at = 0; at < count * VECTORS; at++) {
            hb_columns *sum = &sums[at / VECTORS][at % VECTORS];
            if (left == 0) { /* a reduced sum counts as the start of a sum */
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
    const uint32_t at_once = tile_terms_at_once(m, narrow);
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

static void tile_sums(const hb_cpu_tile *x, size_t n, const hb_modulus *m, bool narrow)
{
    narrow && m->bits > 4 ? tile(x, n, m, true) : tile(x, n, m, false);
}

/* --- a row times a number, alone or in butterflies */

static void scale_row(uint64_t *r, const uint64_t *a, uint64_t factor, size_t n, const hb_modulus *modulus)
{
    const uint64_t quotient = hb_shoup_quotient(factor, modulus->value);
    const hb_vector_factor f = hb_vector_factor_of(hb_vector_all(factor), hb_vector_all(quotient));
    const hb_words m = hb_vector_all(modulus->value);
    size_t j = 0;
    for (; j + HB_LANES <= n; j += HB_LANES) {
        hb_vector_store(r + j, hb_vector_canonical(hb_vector_product(hb_vector_load(a + j), f, m), m));
    }
    /* Words that are left over, fewer than a vector. */
    for (; j < n; j++) {
        r[j] = hb_mul_shoup(a[j], factor, quotient, modulus->value);
    }
}

static void butterflies(uint64_t *x, uint64_t *y, uint64_t w, size_t n, const hb_modulus *modulus)
{
    const hb_words m = hb_vector_all(modulus->value);
    const hb_vector_factor f =
        hb_vector_factor_of(hb_vector_all(w), hb_vector_all(hb_shoup_quotient(w, modulus->value)));
    for (size_t j = 0; j + HB_LANES <= n; j += HB_LANES) {
        /* Nothing is kept in range over several stages: only the time counts. */
        const hb_words a = hb_vector_load(x + j), b = hb_vector_product(hb_vector_load(y + j), f, m);
        hb_vector_store(x + j, a + b);
        hb_vector_store(y + j, a + 4 * m - b);
    }
}

/* --- the set */

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

extern const hb_cpu_transform HB_BUILT(hb_cpu_ntt_f64); /* ntt_f64.c */
extern const hb_cpu_transform HB_BUILT(hb_cpu_ntt_u64); /* ntt_u64.c */
extern const hb_cpu_kernels HB_BUILT(hb_cpu_kernels);   /* kernels.c */

const hb_cpu_kernels HB_BUILT(hb_cpu_kernels) = {.name = TEXT(HB_INSTRUCTIONS),
                                                 .lanes = HB_LANES,
                                                 .ntt_f64 = &HB_BUILT(hb_cpu_ntt_f64),
                                                 .ntt_u64 = &HB_BUILT(hb_cpu_ntt_u64),
                                                 .sum = sum_products,
                                                 .tile = tile_sums,
                                                 .scale = scale_row,
                                                 .butterflies = butterflies};
