/* Slots to coefficients and back, coefficients to residues and back (ring/real_arith.h has the arithmetic of one
 * number). wide_real.c does the same for double-doubles. Rows of reals are words whose bits are doubles. */
#include "base/bits.h"
#include "cpu_private.h"
#include "ring/real_ops.h"

/* A double in memory of words. */
typedef double __attribute__((may_alias)) real;

/* N/2 complex numbers: parts in rows of their own. */
typedef struct slots {
    real *re, *im;
} slots;

static slots slots_of(const hb_engine *e, hb_batch a, size_t c)
{
    real *row = (real *)(void *)hb_cpu_row(e, a, c, 0);
    return (slots){row, row + e->ring->n / 2};
}

/* A butterfly either way; which one is a constant where this becomes part of a loop. */
HB_CLONED_INLINE void join(hb_complex *a, hb_complex *b, hb_complex w, bool to_slots)
{
    if (to_slots) {
        hb_butterfly_to_slots(a, b, w);
    } else {
        hb_butterfly_to_coefficients(a, b, w);
    }
}

/* The butterflies of one block of 2h numbers, of one stage. */
HB_CLONED_INLINE void join_block(slots x, size_t h, const double *re, const double *im, bool to_slots)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < h; j++) {
        hb_complex a = {x.re[j], x.im[j]}, b = {x.re[j + h], x.im[j + h]};
        join(&a, &b, (hb_complex){re[j], im[j]}, to_slots);
        x.re[j] = a.re;
        x.im[j] = a.im;
        x.re[j + h] = b.re;
        x.im[j + h] = b.im;
    }
}

/* All blocks of stage h, of n numbers; twiddles begin at word h of either part. */
HB_CLONED_INLINE void stage(slots x, size_t n, size_t h, const double *twiddles, bool to_slots)
{
    const double *re = twiddles + h, *im = twiddles + n + h;
    for (size_t first = 0; first < n; first += 2 * h) {
        join_block((slots){x.re + first, x.im + first}, h, re, im, to_slots);
    }
}

HB_CLONES static void stage_to_coefficients(slots x, size_t n, size_t h, const double *twiddles)
{
    stage(x, n, h, twiddles, false);
}

HB_CLONES static void stage_to_slots(slots x, size_t n, size_t h, const double *twiddles)
{
    stage(x, n, h, twiddles, true);
}

/* The stages that join less than 8 numbers, together with the reversal of bits, go through tiles: number e of several
 * blocks of neighbours, which are neighbours in reversed order, so that vectors lie across blocks and memory is read
 * and written in whole lines. */
enum { TILE = 8 };
typedef struct tile {
    double re[TILE][TILE], im[TILE][TILE]; /* [number of a block][block] */
} tile;

/* How the tiles of a transform of n numbers lie: 2^log_block numbers a block, `width` blocks a tile; both are TILE but
 * for the smallest transforms. */
typedef struct tiling {
    uint32_t log_n, log_block, width;
} tiling;

/* Moves one tile, of blocks first .. first + width - 1 in reversed order, between the sides of slots and coefficients;
 * words for the coefficients are multiplied. */
HB_CLONED_INLINE void load_from_slots(tile *t, slots x, tiling g, uint32_t first)
{
    const uint32_t log_blocks = g.log_n - g.log_block, reversed = hb_bit_reverse(first, log_blocks);
    for (uint32_t i = 0; i < g.width; i++) {
        const size_t at = (size_t)(reversed | hb_bit_reverse(i, log_blocks)) << g.log_block;
        for (uint32_t e = 0; e < 1U << g.log_block; e++) {
            t->re[e][i] = x.re[at + e];
            t->im[e][i] = x.im[at + e];
        }
    }
}

HB_CLONED_INLINE void store_to_slots(const tile *t, slots x, tiling g, uint32_t first)
{
    const uint32_t log_blocks = g.log_n - g.log_block, reversed = hb_bit_reverse(first, log_blocks);
    for (uint32_t i = 0; i < g.width; i++) {
        const size_t at = (size_t)(reversed | hb_bit_reverse(i, log_blocks)) << g.log_block;
        for (uint32_t e = 0; e < 1U << g.log_block; e++) {
            x.re[at + e] = t->re[e][i];
            x.im[at + e] = t->im[e][i];
        }
    }
}

HB_CLONED_INLINE void load_from_coefficients(tile *t, slots x, tiling g, uint32_t first)
{
    for (uint32_t e = 0; e < 1U << g.log_block; e++) {
        const size_t at = ((size_t)hb_bit_reverse(e, g.log_block) << (g.log_n - g.log_block)) + first;
        for (uint32_t i = 0; i < g.width; i++) {
            t->re[e][i] = x.re[at + i];
            t->im[e][i] = x.im[at + i];
        }
    }
}

HB_CLONED_INLINE void store_to_coefficients(const tile *t, slots x, tiling g, uint32_t first, double factor)
{
    for (uint32_t e = 0; e < 1U << g.log_block; e++) {
        const size_t at = ((size_t)hb_bit_reverse(e, g.log_block) << (g.log_n - g.log_block)) + first;
        for (uint32_t i = 0; i < g.width; i++) {
            x.re[at + i] = t->re[e][i] * factor;
            x.im[at + i] = t->im[e][i] * factor;
        }
    }
}

/* Joins numbers a and b of all blocks of a tile. */
HB_CLONED_INLINE void tile_butterflies(tile *t, tiling g, uint32_t a, uint32_t b, hb_complex w, bool to_slots)
{
    for (uint32_t i = 0; i < g.width; i++) {
        hb_complex u = {t->re[a][i], t->im[a][i]}, v = {t->re[b][i], t->im[b][i]};
        join(&u, &v, w, to_slots);
        t->re[a][i] = u.re;
        t->im[a][i] = u.im;
        t->re[b][i] = v.re;
        t->im[b][i] = v.im;
    }
}

/* One stage of a tile. */
HB_CLONED_INLINE void tile_stage(tile *t, tiling g, uint32_t h, const double *twiddles, bool to_slots)
{
    const double *re = twiddles + h, *im = re + ((size_t)1 << g.log_n);
    for (uint32_t e = 0; e < 1U << g.log_block; e++) {
        if ((e & h) == 0) {
            tile_butterflies(t, g, e, e + h, (hb_complex){re[e & (h - 1)], im[e & (h - 1)]}, to_slots);
        }
    }
}

HB_CLONED_INLINE void tiles_to_coefficients(slots r, slots x, tiling g, const double *twiddles)
{
    const double factor = 1 / (double)(1U << g.log_n);
    for (uint32_t first = 0; first < 1U << (g.log_n - g.log_block); first += g.width) {
        tile t;
        load_from_slots(&t, x, g, first);
        for (uint32_t h = 1U << g.log_block >> 1; h > 0; h /= 2) {
            tile_stage(&t, g, h, twiddles, false);
        }
        store_to_coefficients(&t, r, g, first, factor);
    }
}

HB_CLONED_INLINE void tiles_to_slots(slots r, slots x, tiling g, const double *twiddles)
{
    for (uint32_t first = 0; first < 1U << (g.log_n - g.log_block); first += g.width) {
        tile t;
        load_from_coefficients(&t, x, g, first);
        for (uint32_t h = 1; h < 1U << g.log_block; h *= 2) {
            tile_stage(&t, g, h, twiddles, true);
        }
        store_to_slots(&t, r, g, first);
    }
}

/* Returns the tiling of a transform. */
static tiling tiling_of(uint32_t log_n)
{
    const uint32_t log_block = log_n < 3 ? log_n : 3, blocks = 1U << (log_n - log_block);
    return (tiling){log_n, log_block, blocks < TILE ? blocks : TILE};
}

/* Does all tiles; the usual tiling is made of constants, for which the compiler finds vectors. r and x are apart. */
HB_CLONES static void last_stages(slots r, slots x, uint32_t log_n, const double *twiddles)
{
    const tiling g = tiling_of(log_n);
    if (g.log_block == 3 && g.width == TILE) {
        tiles_to_coefficients(r, x, (tiling){log_n, 3, TILE}, twiddles);
    } else {
        tiles_to_coefficients(r, x, g, twiddles);
    }
}

HB_CLONES static void first_stages(slots r, slots x, uint32_t log_n, const double *twiddles)
{
    const tiling g = tiling_of(log_n);
    if (g.log_block == 3 && g.width == TILE) {
        tiles_to_slots(r, x, (tiling){log_n, 3, TILE}, twiddles);
    } else {
        tiles_to_slots(r, x, g, twiddles);
    }
}

/* Takes the slots to their numbers in the transform, and back. */
static void gather_slots(slots x, slots from, size_t n, const uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t j = order[i] / 2;
        x.re[i] = from.re[j];
        x.im[i] = order[i] % 2 != 0 ? -from.im[j] : from.im[j];
    }
}

static void scatter_slots(slots to, slots x, size_t n, const uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t j = order[i] / 2;
        to.re[j] = x.re[i];
        to.im[j] = order[i] % 2 != 0 ? -x.im[i] : x.im[i];
    }
}

/* Returns rows of the engine's own for N/2 numbers. */
static slots work_of(hb_engine *e)
{
    real *row = (real *)(void *)hb_cpu(e)->scratch[0];
    return (slots){row, row + e->ring->n / 2};
}

static hb_status slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const size_t n = e->ring->n / 2;
    const slots x = work_of(e);
    if (tables->wide) {
        return hb_cpu_wide_to_coefficients(e, r, a, tables);
    }
    for (size_t c = 0; c < r.count; c++) {
        const slots from = slots_of(e, a, c);
        if (tables->order != NULL) {
            gather_slots(x, from, n, tables->order);
        } else {
            memcpy(x.re, from.re, e->ring->n * sizeof *x.re);
        }
        for (size_t h = n / 2; h >= TILE; h /= 2) {
            stage_to_coefficients(x, n, h, tables->twiddles);
        }
        last_stages(slots_of(e, r, c), x, e->ring->log_n - 1, tables->twiddles);
    }
    return HB_OK;
}

static hb_status coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const size_t n = e->ring->n / 2;
    if (tables->wide) {
        return hb_cpu_wide_to_slots(e, r, a, tables);
    }
    for (size_t c = 0; c < r.count; c++) {
        const slots to = slots_of(e, r, c), x = tables->order != NULL ? work_of(e) : to;
        first_stages(x, slots_of(e, a, c), e->ring->log_n - 1, tables->twiddles);
        for (size_t h = TILE; h < n; h *= 2) {
            stage_to_slots(x, n, h, tables->twiddles);
        }
        if (tables->order != NULL) {
            scatter_slots(to, x, n, tables->order);
        }
    }
    return HB_OK;
}

/* Returns x where it is held, else 0: by a mask, as compilers may make a branch of a choice, and values are secret. */
static inline real kept(real x, bool held)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0 - (uint64_t)held;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Makes integers of a row of coefficients, and returns how many it refuses. */
HB_CLONES static uint64_t round_row(real *x, const real *a, size_t n, double scale)
{
    uint64_t refused = 0;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        const double integer = rint(a[j] * scale);
        const bool held = hb_real_holds(integer);
        x[j] = kept(integer, held);
        refused += !held;
    }
    return refused;
}

/* Remembers the first coefficient of a row of which some are refused, if it is the first of all. A function of its own:
 * this branch on values, whether there is one that is refused, is known (tests/constant_time). */
static __attribute__((noinline)) void note_refused(uint64_t refused, const real *row, double scale, uint64_t place,
                                                   uint64_t *first)
{
    if (refused == 0) {
        return;
    }
    while (hb_real_holds(rint(*row * scale))) {
        row++;
        place++;
    }
    *first = place < *first ? place : *first;
}

HB_CLONES static void residues_f64(uint64_t *r, const real *x, size_t n, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_real_residue_f64(x[j], &m);
    }
}

static void residues_integer(uint64_t *r, const real *x, size_t n, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_real_residue(x[j], &m);
    }
}

static hb_status round_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding)
{
    const size_t n = e->ring->n;
    const double scale = rounding->scale.value.high;
    real *integers = (real *)(void *)hb_cpu(e)->scratch[0];
    if (rounding->scale.wide) {
        return hb_cpu_wide_round(e, r, a, rounding);
    }
    for (size_t c = 0; c < r.count; c++) {
        const real *row = (const real *)(const void *)hb_cpu_row(e, a, c, 0);
        note_refused(round_row(integers, row, n, scale), row, scale, (rounding->first + c) * n, rounding->refused);
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *m = hb_cpu_modulus(e, r, l);
            (hb_real_takes_f64(m) ? residues_f64 : residues_integer)(hb_cpu_row(e, r, c, l), integers, n, m);
        }
    }
    return HB_OK;
}

/* The weights of the sums of products that make digits: d_i = a_i / P_i - sum over k < i of d_k (P_k / P_i) mod q_i. */
typedef struct digit_weights {
    uint64_t of[HB_COMPOSITION_LIMBS][HB_COMPOSITION_LIMBS];
} digit_weights;

static void make_weights(const hb_engine *e, digit_weights *w, const hb_composition *c)
{
    for (uint32_t i = 1; i < c->limbs; i++) {
        const hb_modulus *q = &e->ring->moduli[c->ids[i]];
        uint64_t weight = hb_mod_negate(c->inverse[i], q); /* - P_k / P_i, P_0 = 1 */
        for (uint32_t k = 0; k < i; k++) {
            w->of[i][k] = weight;
            weight = hb_mod_mul(weight, e->ring->moduli[c->ids[k]].value, q);
        }
        w->of[i][i] = c->inverse[i];
    }
}

/* Makes the digits of some coefficients: rows[i] has limb i, and is then the row of digit i, which of digit 0 are the
 * residues; others are in the engine's block. */
static void make_digits(hb_engine *e, const uint64_t **rows, size_t n, const digit_weights *w, const hb_composition *c)
{
    for (uint32_t i = 1; i < c->limbs; i++) {
        uint64_t *digit = hb_cpu(e)->block + i * HB_CPU_BLOCK_ROW;
        hb_cpu_terms terms = {.count = i + 1};
        memcpy(terms.a, rows, terms.count * sizeof *rows);
        memcpy(terms.weights, w->of[i], terms.count * sizeof *w->of[i]);
        hb_cpu_sum(digit, &terms, n, &e->ring->moduli[c->ids[i]], hb_cpu_all_f64(e->ring, c->ids, i + 1));
        rows[i] = digit;
    }
}

/* Composes the integers of some coefficients, and makes reals of them; `low` has the low parts of wide ones. */
static void compose_digits(real *r, real *low, const uint64_t *const *digits, size_t n, const hb_composition *c,
                           const hb_real_scale *scale)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t x[HB_REAL_WORDS] = {digits[0][j]};
        for (uint32_t l = 1; l < c->limbs; l++) {
            hb_compose_digit(x, digits[l][j], c, l);
        }
        if (scale->wide) {
            const hb_dd z = hb_dd_multiply(hb_compose_centred_wide(x, c), scale->inverse);
            r[j] = z.high;
            low[j] = z.low;
        } else {
            r[j] = hb_compose_centred(x, c) / scale->value.high;
        }
    }
}

static hb_status compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                               const hb_real_scale *scale)
{
    const hb_composition k = *composition;
    const size_t n = e->ring->n, step = n < HB_CPU_BLOCK ? n : HB_CPU_BLOCK;
    digit_weights weights;
    make_weights(e, &weights, &k);
    for (size_t c = 0; c < a.count; c++) {
        real *to = slots_of(e, r, scale->wide ? 2 * c : c).re, *low = scale->wide ? slots_of(e, r, 2 * c + 1).re : to;
        for (size_t first = 0; first < n; first += step) {
            const uint64_t *rows[HB_COMPOSITION_LIMBS];
            for (uint32_t l = 0; l < k.limbs; l++) {
                rows[l] = hb_cpu_row(e, a, c, l) + first;
            }
            make_digits(e, rows, step, &weights, &k);
            compose_digits(to + first, low + first, rows, step, &k, scale);
        }
    }
    return HB_OK;
}

const hb_real_ops hb_cpu_real_ops = {
    .slots_to_coefficients = slots_to_coefficients,
    .coefficients_to_slots = coefficients_to_slots,
    .round_reals = round_reals,
    .compose_reals = compose_reals,
};
