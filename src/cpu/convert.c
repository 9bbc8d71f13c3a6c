/* Changing the basis: base conversion, and division by the last prime (ring/convert_arith.h). A conversion goes by
 * blocks of HB_CPU_BLOCK coefficients, so that the sources of a block stay in a near cache for all targets. */
#include "cpu_private.h"
#include "ring/convert_arith.h"

/* Adds y weight to k modulo 2^32. k and weight are below 2^32; of y the low half counts. */
HB_CLONES static void add_binary_row(uint64_t *k, const uint64_t *y, uint64_t weight, size_t n)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        k[j] = (uint32_t)(k[j] + (uint64_t)(uint32_t)y[j] * weight);
    }
}

/* Makes the overflow word k' of convert_arith.h from k in [0, m). */
HB_CLONES static void shift_overflow_row(uint64_t *k, size_t n, uint64_t half, uint64_t m)
{
    for (size_t j = 0; j < n; j++) {
        k[j] = hb_overflow_shifted(k[j], half, m);
    }
}

/* Adds y / q to a sum of fractions, whose nearest integer is the overflow. */
HB_CLONES static void add_fraction_row(double *sum, const uint64_t *y, double inverse, size_t n)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        sum[j] += hb_f64_from_word(y[j]) * inverse;
    }
}

HB_CLONES static void nearest_row(uint64_t *k, const double *sum, size_t n)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        k[j] = hb_f64_to_word(sum[j]);
    }
}

/* Add the share of a source in an overflow of centred sources, in units of 2^-32. */
HB_CLONES static void add_centred_row(uint64_t *sum, const uint64_t *y, uint64_t q, size_t n)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        sum[j] += hb_overflow_centred(y[j], q);
    }
}

HB_CLONES static void add_rounded_row(uint64_t *sum, const uint64_t *y, uint64_t q, uint64_t weight, size_t n)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        sum[j] += hb_overflow_rounded(y[j], q, weight);
    }
}

HB_CLONES static void fixed_row(uint64_t *k, size_t n, uint64_t half)
{
    for (size_t j = 0; j < n; j++) {
        k[j] = hb_overflow_of_fixed(k[j], half);
    }
}

/* Returns m of a modular overflow, and in *modulus the ring's modulus, NULL where m is 2^32. */
static uint64_t overflow_modulus(const hb_engine *e, const hb_overflow *v, const hb_modulus **modulus)
{
    *modulus = v->kind == HB_OVERFLOW_BINARY ? NULL : &e->ring->moduli[v->id];
    return *modulus == NULL ? HB_OVERFLOW_WORD : (*modulus)->value;
}

/* One block of coefficients of one polynomial on its way through a conversion. */
typedef struct block {
    const hb_base_conversion *conversion;
    size_t n;
    hb_cpu_terms y; /* the y_i, then k' if there is an overflow */
    bool f64;       /* all of them are below 2^50 */
} block;

/* Points b->y at the sources of the block, scaled into the engine's block where the scale is not 1. */
static void take_sources(hb_engine *e, block *b, hb_batch a, size_t c, size_t first)
{
    const hb_base_conversion *conversion = b->conversion;
    uint64_t *scaled = hb_cpu(e)->block;
    b->f64 = hb_cpu_all_f64(e->ring, a.ids, a.limbs);
    for (uint32_t i = 0; i < a.limbs; i++, scaled += HB_CPU_BLOCK_ROW) {
        const uint64_t *row = hb_cpu_row(e, a, c, i) + first;
        /* A row that is not scaled is read where it stands. */
        const bool as_it_is = conversion->scale == NULL || conversion->scale[i] == 1;
        if (!as_it_is) {
            hb_cpu_scale_row(scaled, row, conversion->scale[i], b->n, hb_cpu_modulus(e, a, i));
        }
        b->y.a[b->y.count++] = as_it_is ? row : scaled;
    }
}

/* Makes the overflow as the nearest integer to the sum of y_i / q_i. The order of additions may differ from a GPU's:
 * ring/basis.h keeps the sum away from ties. */
static void take_nearest(uint64_t *k, const block *b)
{
    double sum[HB_CPU_BLOCK] = {0};
    for (uint32_t i = 0; i < b->y.count; i++) {
        add_fraction_row(sum, b->y.a[i], b->conversion->overflow->inverses[i], b->n);
    }
    nearest_row(k, sum, b->n);
}

/* Makes the overflow word of a modular or binary overflow from a sum of the sources with its own weights. */
static void take_modular(hb_engine *e, uint64_t *k, block *b)
{
    const hb_overflow *v = b->conversion->overflow;
    const hb_modulus *modulus;
    const uint64_t m = overflow_modulus(e, v, &modulus);
    if (modulus == NULL) {
        memset(k, 0, b->n * sizeof *k);
        for (uint32_t i = 0; i < b->y.count; i++) {
            add_binary_row(k, b->y.a[i], v->weights[i], b->n);
        }
    } else {
        memcpy(b->y.weights, v->weights, b->y.count * sizeof *v->weights);
        /* The overflow word is a source of the targets: it must be narrow, too. */
        b->f64 = b->f64 && modulus->f64 != 0;
        hb_cpu_sum(k, &b->y, b->n, modulus, b->f64);
    }
    shift_overflow_row(k, b->n, v->half, m);
}

/* Makes the overflow of centred sources from a sum of integers, which is the same in any order. */
static void take_fixed(const hb_engine *e, uint64_t *k, const block *b)
{
    const hb_overflow *v = b->conversion->overflow;
    const bool rounded = v->kind == HB_OVERFLOW_ROUNDED;
    memset(k, 0, b->n * sizeof *k);
    for (uint32_t i = 0; i < b->y.count; i++) {
        const uint64_t q = e->ring->moduli[b->conversion->from_ids[i]].value;
        if (rounded) {
            add_rounded_row(k, b->y.a[i], q, v->weights[i], b->n);
        } else {
            add_centred_row(k, b->y.a[i], q, b->n);
        }
    }
    fixed_row(k, b->n, rounded ? v->half : HB_OVERFLOW_WORD / 2);
}

/* Makes the overflow, in the row behind those of scaled sources, and puts it behind the sources as one more of them. */
static void take_overflow(hb_engine *e, block *b)
{
    uint64_t *k = hb_cpu(e)->block + HB_MAX_LIMBS * HB_CPU_BLOCK_ROW;
    if (hb_overflow_is_modular(b->conversion->overflow)) {
        take_modular(e, k, b);
    } else if (b->conversion->overflow->kind == HB_OVERFLOW_NEAREST) {
        take_nearest(k, b);
    } else {
        take_fixed(e, k, b);
    }
    b->y.a[b->y.count++] = k;
}

/* Makes target o of the block, modulo p, as one sum of products into `to`. */
static void make_target(hb_engine *e, const block *b, uint64_t *to, uint32_t o, const hb_modulus *p)
{
    const hb_base_conversion *c = b->conversion;
    const hb_overflow *v = c->overflow;
    hb_cpu_terms terms = b->y;
    memcpy(terms.weights, c->matrix + (size_t)o * c->from_limbs, c->from_limbs * sizeof *c->matrix);
    if (v != NULL) {
        /* The overflow stands behind the sources. */
        terms.weights[c->from_limbs] = v->factors[o];
        if (hb_overflow_is_modular(v)) {
            const hb_modulus *modulus;
            const uint64_t m = overflow_modulus(e, v, &modulus);
            terms.start = hb_overflow_start(v->half, m, v->factors[o], p);
        }
    }
    /* Kept limbs stand in r: a row of the sum may be its result. */
    if (c->keep != NULL) {
        terms.a[terms.count] = to;
        terms.weights[terms.count++] = c->keep[o];
    }
    /* One reduction for everything that makes this word. */
    hb_cpu_sum(to, &terms, b->n, p, b->f64 && p->f64 != 0);
}

static hb_status base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    const size_t n = hb_cpu_words(e, r);
    for (size_t c = 0; c < r.count; c++) {
        for (size_t first = 0; first < n; first += HB_CPU_BLOCK) {
            /* r and a do not overlap, so targets may be written before other blocks are read. */
            block b = {.conversion = conversion, .n = n - first < HB_CPU_BLOCK ? n - first : HB_CPU_BLOCK};
            take_sources(e, &b, a, c, first);
            if (conversion->overflow != NULL) {
                take_overflow(e, &b);
            }
            for (uint32_t o = 0; o < r.limbs; o++) {
                make_target(e, &b, hb_cpu_row(e, r, c, o) + first, o, hb_cpu_modulus(e, r, o));
            }
        }
    }
    return HB_OK;
}

/* l = (a + half) mod p for the last limb: the remainder of the rounded division. */
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

/* Makes (a + half - l) / p mod m as a sum of products with 1/p. */
static void divide_row_integer(uint64_t *r, const uint64_t *a, const uint64_t *l, size_t n, uint64_t half,
                               uint64_t inverse_p, const hb_modulus *m)
{
    const hb_cpu_terms terms = {.count = 2,
                                .start = hb_mod_mul(half, inverse_p, m),
                                .a = {a, l},
                                .weights = {inverse_p, hb_mod_negate(inverse_p, m)}};
    hb_cpu_sum(r, &terms, n, m, false);
}

/* Divides limb i of polynomial c of a into a row that may be its own. l holds the remainders of polynomial c. */
static void divide_row(const hb_engine *e, uint64_t *to, hb_batch a, size_t c, uint32_t i, const uint64_t *l,
                       const hb_drop_last *constants)
{
    const hb_modulus *m = hb_cpu_modulus(e, a, i);
    const bool f64 = m->f64 && e->ring->moduli[constants->last_id].f64;
    (f64 ? divide_row_f64 : divide_row_integer)(to, hb_cpu_row(e, a, c, i), l, e->ring->n, constants->half,
                                                constants->inverse[i], m);
}

/* Divides polynomial by polynomial: the remainders are made once for all of its limbs. */
static hb_status divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                              const hb_drop_last *constants)
{
    uint64_t *l = hb_cpu(e)->scratch[0], *quotient = hb_cpu(e)->scratch[1];
    const uint64_t p = e->ring->moduli[constants->last_id].value;
    for (size_t c = 0; c < r.count; c++) {
        /* b may be r: its row is added after the quotient has been made apart. */
        const bool plus = b.data != NULL && c < b.count;
        remainder_row(l, hb_cpu_row(e, last, c, 0), e->ring->n, constants->half, p);
        for (uint32_t i = 0; i < r.limbs; i++) {
            uint64_t *to = hb_cpu_row(e, r, c, i);
            divide_row(e, plus ? quotient : to, a, c, i, l, constants);
            if (plus) {
                hb_cpu_add_row(to, hb_cpu_row(e, b, c, i), quotient, e->ring->n, hb_cpu_modulus(e, r, i));
            }
        }
    }
    return HB_OK;
}

const hb_rns_ops hb_cpu_rns_ops = {
    .base_convert = base_convert,
    .divide_round = divide_round,
};
