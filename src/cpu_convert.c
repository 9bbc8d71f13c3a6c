/* Changing the basis: sums of products over limbs, base conversion, and division by the last prime. */
#include "convert_arith.h"
#include "cpu_private.h"

#define BLOCK 512 /* coefficients whose accumulators stay in the first-level cache */

/* acc += a w mod m. a < 2^50 of any modulus, w < m < 2^50: a w / m < 2^50, so the product is within 3m/4; acc is
 * at most (m + 1) / 2 before and after, the sum below 2m < 2^51 in between. */
HB_CLONES static void accumulate_f64(double *acc, const uint64_t *a, uint64_t weight, size_t n,
                                     const hb_modulus *modulus)
{
    const double m = modulus->f64_value, inverse = modulus->f64_inverse, w = hb_f64_from_word(weight);
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        acc[j] = hb_f64_reduce(acc[j] + hb_f64_mul(hb_f64_from_word(a[j]), w, m, inverse), m, inverse);
    }
}

HB_CLONES static void store_f64(uint64_t *r, const double *acc, size_t n, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_f64_residue(acc[j], m);
    }
}

static void dot_f64(uint64_t *r, const uint64_t *a, size_t n, const uint64_t *weights, uint32_t terms,
                    const hb_modulus *m)
{
    double acc[BLOCK];
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        for (size_t j = 0; j < count; j++) {
            acc[j] = 0;
        }
        for (uint32_t i = 0; i < terms; i++) {
            accumulate_f64(acc, a + i * n + first, weights[i], count, m);
        }
        store_f64(r + first, acc, count, m->value);
    }
}

void hb_cpu_dot(uint64_t *r, const uint64_t *a, size_t n, const uint64_t *weights, uint32_t terms, const hb_modulus *m,
                bool f64)
{
    if (f64) {
        dot_f64(r, a, n, weights, terms, m);
        return;
    }
    for (size_t j = 0; j < n; j++) {
        hb_u128 sum = 0; /* at most 64 products below 2^122: less than 2^128 */
        for (uint32_t i = 0; i < terms; i++) {
            sum += (hb_u128)a[i * n + j] * weights[i];
        }
        r[j] = hb_mod_reduce_wide(sum, m);
    }
}

hb_status hb_cpu_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    const bool from_f64 = hb_cpu_all_f64(e->ring, a.ids, a.limbs);
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t o = 0; o < r.limbs; o++) {
            const hb_modulus *m = hb_cpu_modulus(e, r, o);
            hb_cpu_dot(hb_cpu_row(e, r, c, o), hb_cpu_row(e, a, c, 0), e->ring->n,
                       conversion->matrix + (size_t)o * a.limbs, a.limbs, m, from_f64 && m->f64);
        }
    }
    return HB_OK;
}

HB_CLONES static void remainder_row(uint64_t *l, const uint64_t *a, size_t n, uint64_t half, uint64_t p)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        l[j] = hb_divide_remainder(a[j], half, p);
    }
}

HB_CLONES static void divide_row_f64(uint64_t *r, const uint64_t *a, const uint64_t *l, size_t n, uint64_t half,
                                     uint64_t inverse_p, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_divide_exact_f64(a[j], l[j], half, inverse_p, &m);
    }
}

static void divide_row_integer(uint64_t *r, const uint64_t *a, const uint64_t *l, size_t n, uint64_t half,
                               uint64_t inverse_p, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    const uint64_t half_mod = hb_mod_reduce(half, &m), quotient = hb_shoup_quotient(inverse_p, m.value);
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_divide_exact(a[j], l[j], half_mod, inverse_p, quotient, &m);
    }
}

hb_status hb_cpu_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    const size_t n = e->ring->n;
    const hb_modulus *p = &e->ring->moduli[constants->last_id];
    uint64_t *l = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        remainder_row(l, hb_cpu_row(e, a, c, r.limbs), n, constants->half, p->value);
        for (uint32_t i = 0; i < r.limbs; i++) {
            const hb_modulus *m = hb_cpu_modulus(e, r, i);
            bool f64 = m->f64 && p->f64;
            (f64 ? divide_row_f64 : divide_row_integer)(hb_cpu_row(e, r, c, i), hb_cpu_row(e, a, c, i), l, n,
                                                        constants->half, constants->inverse[i], m);
        }
    }
    return HB_OK;
}
