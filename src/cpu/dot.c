/* Sums of products of rows, reduced once at their end, compiled once per instruction set. */
#include "columns.h"
#include "cpu_private.h"

#define FEW 4 /* terms that are added before columns are carried */
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

/* What becomes of a block after some terms: more are to come and there is room; more are to come but there is no room,
 * so sums are reduced; or they are finished into r. */
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

/* Makes the sums of a multiple of HB_LANES of words, at most a block. at_once is how many terms there is room for. Few
 * rows are read at a time: rows that lie a power of two apart compete for the same lines of a cache. */
HB_CLONED_INLINE void sum_block(range x, uint32_t at_once, const sum_kind kind)
{
    hb_columns block[HB_CPU_BLOCK / HB_LANES];
    if (x.terms->count <= FEW) {
        finish(x, block, 0, true, kind);
        return;
    }
    add_terms(x, block, 0, FEW, true, ADD_MORE, kind);
    uint32_t i = FEW;
    for (; i + FEW < x.terms->count; i += FEW) {
        /* No room for more: reduced sums count as what a sum begins with. */
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
    sum_block((range){sums, &rest, 0, HB_LANES, x.by}, at_once, kind);
    memcpy(x.r + x.j, sums, x.n * sizeof *x.r);
}

/* Returns the terms that are added before a sum is reduced: for m < 2^b it is 2^(65 - b), so that the whole stays below
 * 2^126; at least 16, a multiple of FEW, for b <= 61. */
static uint32_t terms_at_once(const hb_modulus *m, bool narrow)
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
    const uint32_t at_once = terms_at_once(m, kind.narrow);
    const size_t whole = n / HB_LANES * HB_LANES;
    for (size_t j = 0; j < whole; j += HB_CPU_BLOCK) {
        sum_block((range){r, terms, j, whole - j < HB_CPU_BLOCK ? whole - j : HB_CPU_BLOCK, &by}, at_once, kind);
    }
    if (whole < n) {
        sum_rest((range){r, terms, whole, n - whole, &by}, at_once, kind);
    }
}

hb_cpu_sum_kernel HB_BUILT(hb_cpu_sum);

void HB_BUILT(hb_cpu_sum)(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, bool narrow)
{
    /* Four constant cases, each compiled by itself. */
    narrow = narrow && m->bits > 4;
    if (terms->pairs) {
        narrow ? sum_rows(r, terms, n, m, (sum_kind){true, true}) : sum_rows(r, terms, n, m, (sum_kind){true, false});
    } else {
        narrow ? sum_rows(r, terms, n, m, (sum_kind){false, true}) : sum_rows(r, terms, n, m, (sum_kind){false, false});
    }
}
