/* Slots to coefficients and back, coefficients to residues and back (ring/real_arith.h says what happens to one
 * number). Rows of reals are words whose bits are doubles. */
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

/* The butterflies of one block of 2h numbers, of one stage. h is a constant where the loop is short. */
HB_CLONED_INLINE void block_to_coefficients(slots x, size_t h, const double *re, const double *im)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < h; j++) {
        hb_complex a = {x.re[j], x.im[j]}, b = {x.re[j + h], x.im[j + h]};
        hb_butterfly_to_coefficients(&a, &b, (hb_complex){re[j], im[j]});
        x.re[j] = a.re;
        x.im[j] = a.im;
        x.re[j + h] = b.re;
        x.im[j + h] = b.im;
    }
}

HB_CLONED_INLINE void block_to_slots(slots x, size_t h, const double *re, const double *im)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < h; j++) {
        hb_complex a = {x.re[j], x.im[j]}, b = {x.re[j + h], x.im[j + h]};
        hb_butterfly_to_slots(&a, &b, (hb_complex){re[j], im[j]});
        x.re[j] = a.re;
        x.im[j] = a.im;
        x.re[j + h] = b.re;
        x.im[j + h] = b.im;
    }
}

/* All blocks of stage h, of n numbers; twiddles begin at word h of either part. */
HB_CLONES static void stage_to_coefficients(slots x, size_t n, size_t h, const double *twiddles)
{
    const double *re = twiddles + h, *im = twiddles + n + h;
    for (size_t first = 0; first < n; first += 2 * h) {
        block_to_coefficients((slots){x.re + first, x.im + first}, h, re, im);
    }
}

HB_CLONES static void stage_to_slots(slots x, size_t n, size_t h, const double *twiddles)
{
    const double *re = twiddles + h, *im = twiddles + n + h;
    for (size_t first = 0; first < n; first += 2 * h) {
        block_to_slots((slots){x.re + first, x.im + first}, h, re, im);
    }
}

/* Puts every number in the place with its bits reversed. */
static void reverse_bits(slots x, uint32_t log_n)
{
    for (uint32_t i = 0; i < 1U << log_n; i++) {
        const uint32_t j = hb_bit_reverse(i, log_n);
        if (i < j) {
            const double re = x.re[i], im = x.im[i];
            x.re[i] = x.re[j];
            x.im[i] = x.im[j];
            x.re[j] = re;
            x.im[j] = im;
        }
    }
}

/* Multiplies a row by a power of two. */
HB_CLONES static void scale_reals(real *x, size_t n, double factor)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        x[j] *= factor;
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

static hb_status slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const size_t n = e->ring->n / 2;
    for (size_t c = 0; c < r.count; c++) {
        const slots x = slots_of(e, r, c), from = slots_of(e, a, c);
        if (tables->order != NULL) {
            gather_slots(x, from, n, tables->order);
        } else {
            memcpy(x.re, from.re, e->ring->n * sizeof *x.re);
        }
        for (size_t h = n / 2; h > 0; h /= 2) {
            stage_to_coefficients(x, n, h, tables->twiddles);
        }
        reverse_bits(x, e->ring->log_n - 1);
        scale_reals(x.re, e->ring->n, 1 / (double)n);
    }
    return HB_OK;
}

static hb_status coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const size_t n = e->ring->n / 2;
    for (size_t c = 0; c < r.count; c++) {
        const slots x = slots_of(e, a, c), to = slots_of(e, r, c);
        reverse_bits(x, e->ring->log_n - 1);
        for (size_t h = 1; h < n; h *= 2) {
            stage_to_slots(x, n, h, tables->twiddles);
        }
        if (tables->order != NULL) {
            scatter_slots(to, x, n, tables->order);
        } else {
            memcpy(to.re, x.re, e->ring->n * sizeof *x.re);
        }
    }
    return HB_OK;
}

/* Makes integers of a row of coefficients, and returns how many it refuses. */
HB_CLONES static uint64_t round_row(real *x, const real *a, size_t n, double scale)
{
    uint64_t refused = 0;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        const double integer = rint(a[j] * scale);
        const bool held = hb_real_holds(integer);
        x[j] = held ? integer : 0;
        refused += !held;
    }
    return refused;
}

/* Returns the first coefficient that is refused; there is one. */
static size_t first_refused(const real *a, double scale)
{
    size_t j = 0;
    while (hb_real_holds(rint(a[j] * scale))) {
        j++;
    }
    return j;
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
    real *integers = (real *)(void *)hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        const real *row = (const real *)(const void *)hb_cpu_row(e, a, c, 0);
        if (round_row(integers, row, n, rounding->scale) > 0) {
            const uint64_t place = (rounding->first + c) * n + first_refused(row, rounding->scale);
            *rounding->refused = place < *rounding->refused ? place : *rounding->refused;
        }
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *m = hb_cpu_modulus(e, r, l);
            (hb_real_takes_f64(m) ? residues_f64 : residues_integer)(hb_cpu_row(e, r, c, l), integers, n, m);
        }
    }
    return HB_OK;
}

static hb_status compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition, double scale)
{
    const hb_composition k = *composition;
    for (size_t c = 0; c < r.count; c++) {
        const uint64_t *limbs[HB_COMPOSITION_LIMBS];
        real *row = slots_of(e, r, c).re;
        for (uint32_t l = 0; l < k.limbs; l++) {
            limbs[l] = hb_cpu_row(e, a, c, l);
        }
        for (size_t j = 0; j < e->ring->n; j++) {
            uint64_t x[HB_REAL_WORDS] = {limbs[0][j]};
            for (uint32_t l = 1; l < k.limbs; l++) {
                hb_compose_term(x, limbs[l][j], &k, l, hb_cpu_modulus(e, a, l));
            }
            row[j] = hb_compose_centred(x, &k) / scale;
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
