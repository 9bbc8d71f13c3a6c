/* Sums of products of rows, reduced once at their end, compiled once per instruction set.
 *
 * A sum is held in columns, each of them a sum of partial products: low + middle 2^s + high 2^(2s), of words split at
 * bit s; or low + high 2^52 where there are instructions for the halves of 52-bit products.
 *
 * Narrow words, below 2^50: s = 26, partial products are below 2^52, and thousands of them fit a column. Up to 16 terms
 * and what a sum begins with are below 2^104, so that low + middle 2^26, carried, is below 2^52 and so is high: FP64
 * reduces these (base/modarith.h). Of a modulus above 2^4 all quotients stay below 2^51.
 *
 * Other words, below 2^61: s = 31, partial products are below 2^62, 2^61 and 2^60. After four terms, with less than
 * 2^31 before them, low is below 4 (2^31 - 1)^2 + 2^31 < 2^64, and middle, with what low carries over, below 8 (2^31
 * - 1) (2^30 - 1) + 2^31 + 2^33 < 2^64: then both are carried. high is below 2^64 as long as the whole sum is below
 * 2^126: of m < 2^b, 2^(65 - b) terms of which one factor is below m. For the end, low + middle 2^31 is below 2^62,
 * and high times 2^62 mod m by Shoup's multiplication below 4m < 2^63: together a word. */
#include "cpu_private.h"
#include "vectors_f64.h"
#include "vectors_shoup.h"

#define FEW 4 /* terms that are added before columns are carried */
/* Terms of narrow words before a reduction (see above). */
#define NARROW_TERMS 16u

#if defined(__AVX512IFMA__)
#define HAS_52_BITS true
#else
#define HAS_52_BITS false
#endif

/* A sum in columns, in every lane. */
typedef struct columns {
    hb_words low, middle, high;
} columns;

/* A word split at bit s; whole in both where there are 52-bit products. */
typedef struct pieces {
    hb_words low, high;
} pieces;

HB_CLONED_INLINE pieces split(hb_words x, const bool narrow)
{
    const uint32_t s = narrow ? 26 : 31;
    const uint64_t mask = (UINT64_C(1) << s) - 1;
    return narrow && HAS_52_BITS ? (pieces){x, x} : (pieces){x & mask, x >> s};
}

/* Adds the product of two words to a sum. Nothing is carried here: the columns have room, as said at the top. */
HB_CLONED_INLINE void add_product(columns *sum, pieces a, pieces b, const bool narrow)
{
#if defined(__AVX512IFMA__)
    if (narrow) {
        sum->low = (hb_words)_mm512_madd52lo_epu64((__m512i)sum->low, (__m512i)a.low, (__m512i)b.low);
        sum->high = (hb_words)_mm512_madd52hi_epu64((__m512i)sum->high, (__m512i)a.low, (__m512i)b.low);
        return;
    }
#else
    (void)narrow;
#endif
    sum->low += hb_vector_mul_halves(a.low, b.low);
    sum->middle += hb_vector_mul_halves(a.low, b.high) + hb_vector_mul_halves(a.high, b.low);
    sum->high += hb_vector_mul_halves(a.high, b.high);
}

/* Carries what is beyond the width of a column to the next one. */
HB_CLONED_INLINE void carry(columns *sum, const bool narrow)
{
    const uint32_t s = narrow ? (HAS_52_BITS ? 52 : 26) : 31;
    const uint64_t mask = (UINT64_C(1) << s) - 1;
    if (narrow && HAS_52_BITS) {
        sum->high += sum->low >> s;
        sum->low &= mask;
        return;
    }
    sum->middle += sum->low >> s;
    sum->low &= mask;
    sum->high += sum->middle >> s;
    sum->middle &= mask;
}

/* Returns a sum of one word. */
HB_CLONED_INLINE columns columns_of(hb_words x, const bool narrow)
{
    columns sum = {x, {0}, {0}};
    carry(&sum, narrow);
    return sum;
}

/* What sums are reduced by: narrow ones by m and 2^52 mod m, balanced; others by m, 2^62 mod m, and 1 as a factor,
 * whose quotient reduces any word. */
typedef struct reducer {
    hb_vector_prime prime;
    hb_doubles narrow_above;
    hb_vector_factor above, one;
} reducer;

static reducer reducer_of(const hb_modulus *m)
{
    const uint64_t narrow_above = hb_mod_reduce(UINT64_C(1) << 52, m), above = hb_mod_reduce(UINT64_C(1) << 62, m);
    return (reducer){hb_vector_prime_of(m), hb_vector_all_f64(hb_f64_balanced(narrow_above, m->value)),
                     hb_vector_factor_of(hb_vector_all(above), hb_vector_all(hb_shoup_quotient(above, m->value))),
                     hb_vector_factor_of(hb_vector_all(1), hb_vector_all(m->barrett_hi))};
}

/* Returns the canonical residue of a narrow sum, low + high 2^52 after the carry, by one FP64 product and a
 * reduction. */
HB_CLONED_INLINE hb_words reduced_narrow(columns sum, const reducer *by)
{
    carry(&sum, true);
    const hb_words low = HAS_52_BITS ? sum.low : sum.low | sum.middle << 26;
    const hb_doubles above = hb_vector_f64_mul(hb_vector_f64_from_word(sum.high), by->narrow_above, by->prime);
    return hb_vector_f64_residue(hb_vector_f64_reduce(above + hb_vector_f64_from_word(low), by->prime), by->prime);
}

/* Returns the canonical residue of a sum. */
HB_CLONED_INLINE hb_words reduced(columns sum, const reducer *by, const bool narrow)
{
    if (narrow) {
        return reduced_narrow(sum, by);
    }
    carry(&sum, false);
    const hb_words m = by->prime.word, low = sum.low | sum.middle << 31;
    const hb_words x = hb_vector_product(sum.high, by->above, m) + low;
    return hb_vector_canonical(x - hb_vector_quotient(x, by->one) * m, m);
}

/* Load and store a sum; the middle column is left out where there is none. */
HB_CLONED_INLINE columns get(const columns *from, const bool narrow)
{
    return narrow && HAS_52_BITS ? (columns){from->low, {0}, from->high} : *from;
}

HB_CLONED_INLINE void put(columns *to, columns sum, const bool narrow)
{
    to->low = sum.low;
    to->high = sum.high;
    if (!narrow || !HAS_52_BITS) {
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
    const reducer *by;
} range;

/* Adds `count` terms, from number i on. `block` holds the columns in a first-level cache, unless these terms are the
 * `first`. All flags are constants of the calls, so each call becomes a loop of its own. */
HB_CLONED_INLINE void add_terms(range x, columns *block, uint32_t i, const uint32_t count, const bool first,
                                const step then, const sum_kind kind)
{
    const bool narrow = kind.narrow;
    /* Weights stay in registers for the whole block. */
    pieces weights[FEW];
    HB_UNROLLED
    for (uint32_t k = 0; k < FEW; k++) {
        weights[k] = split(hb_vector_all(kind.pairs || k >= count ? 0 : x.terms->weights[i + k]), narrow);
    }
    const columns start = columns_of(hb_vector_all(x.terms->start), narrow);
    const size_t end = x.j + x.n;
    for (size_t j = x.j; j < end; j += HB_LANES, block++) {
        columns sum = first ? start : get(block, narrow);
        HB_UNROLLED
        for (uint32_t k = 0; k < count; k++) {
            const pieces a = split(hb_vector_load(x.terms->a[i + k] + j), narrow);
            const pieces b = kind.pairs ? split(hb_vector_load(x.terms->b[i + k] + j), narrow) : weights[k];
            add_product(&sum, a, b, narrow);
        }
        /* Wide columns have room for four terms only. */
        if (!narrow) {
            carry(&sum, narrow);
        }
        if (then == FINISH) {
            /* r may be one of the rows: its words at j have been loaded, and no later term reads them, as these are the
             * last. */
            hb_vector_store(x.r + j, reduced(sum, x.by, narrow));
        } else {
            put(block, then == REDUCE ? columns_of(reduced(sum, x.by, narrow), narrow) : sum, narrow);
        }
    }
}

/* Adds the last terms, FEW or fewer, and finishes. The count becomes a constant, for which loops unroll. */
HB_CLONED_INLINE void finish(range x, columns *block, uint32_t i, const bool first, const sum_kind kind)
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
 * rows are read at a time: those that lie a power of two apart compete for the same lines of a cache. */
HB_CLONED_INLINE void sum_block(range x, uint32_t at_once, const sum_kind kind)
{
    columns block[HB_CPU_BLOCK / HB_LANES];
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
    const reducer by = reducer_of(m);
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
