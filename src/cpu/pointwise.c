/* Operations on polynomials over one basis. Sums need no FP64 path: they vectorise as integers. */
#include "cpu_private.h"
#include "ring/switch_arith.h"

/* A row kernel of two operands; r may be either of them. */
typedef void row_kernel(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *modulus);

/* Runs a kernel on every row of a batch. A b of one polynomial serves all. */
static hb_status for_each_row(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, row_kernel *kernel)
{
    for (size_t c = 0; c < r.count; c++) {
        size_t of_b = b.count == 1 ? 0 : c;
        for (uint32_t l = 0; l < r.limbs; l++) {
            kernel(hb_cpu_row(e, r, c, l), hb_cpu_row(e, a, c, l), hb_cpu_row(e, b, of_b, l), e->ring->n,
                   hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

/* Row kernels: the modulus is a local, as the compiler must assume that stores could change the target of a pointer. */
HB_CLONES static void add_row(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *modulus)
{
    const uint64_t m = modulus->value;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_correct(a[j] + b[j], m);
    }
}

void hb_cpu_add_row(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *m)
{
    add_row(r, a, b, n, m);
}

HB_CLONES static void sub_row(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *modulus)
{
    const uint64_t m = modulus->value;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_correct(a[j] + m - b[j], m);
    }
}

HB_CLONES static void negate_row(uint64_t *r, const uint64_t *a, const uint64_t *unused, size_t n,
                                 const hb_modulus *modulus)
{
    (void)unused;
    const uint64_t m = modulus->value;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_correct(m - a[j], m);
    }
}

HB_CLONES static void mul_row_f64(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n,
                                  const hb_modulus *modulus)
{
    const hb_modulus m = *modulus; /* a local: the stores below do not change it */
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_f64_mod_mul(a[j], b[j], &m);
    }
}

void hb_cpu_mul_row(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *modulus)
{
    /* The integer products below are spelled out in vectors; FP64 loops the compiler vectorises by itself. */
    if (modulus->f64) {
        mul_row_f64(r, a, b, n, modulus);
        return;
    }
    /* On the integer path a product is a sum of one product. */
    const hb_cpu_terms pair = {.count = 1, .pairs = true, .a = {a}, .b = {b}};
    hb_cpu_sum(r, &pair, n, modulus, false);
}

HB_CLONES static void scale_row_f64(uint64_t *r, const uint64_t *a, uint64_t factor, size_t n,
                                    const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_f64_mod_mul(a[j], factor, &m);
    }
}

void hb_cpu_scale_row(uint64_t *r, const uint64_t *a, uint64_t factor, size_t n, const hb_modulus *modulus)
{
    if (modulus->f64) {
        scale_row_f64(r, a, factor, n, modulus);
        return;
    }
    hb_cpu_kernels_at(0)->scale(r, a, factor, n, modulus);
}

/* The entries of the group, which ring/ring_ops.h describes. */
static hb_status add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return for_each_row(e, r, a, b, add_row);
}

static hb_status sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return for_each_row(e, r, a, b, sub_row);
}

static hb_status negate(hb_engine *e, hb_batch r, hb_batch a)
{
    return for_each_row(e, r, a, a, negate_row);
}

static hb_status mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return for_each_row(e, r, a, b, hb_cpu_mul_row);
}

static hb_status scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            hb_cpu_scale_row(hb_cpu_row(e, r, c, l), hb_cpu_row(e, a, c, l), factors[l], e->ring->n,
                             hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

/* r is not a: words change places. */
static hb_status permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    const size_t n = e->ring->n;
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            uint64_t *to = hb_cpu_row(e, r, c, l);
            const uint64_t *from = hb_cpu_row(e, a, c, l);
            for (size_t j = 0; j < n; j++) {
                to[j] = from[map[j]];
            }
        }
    }
    return HB_OK;
}

/* a(X^element) in coefficient form, gathered: coefficient j of the result comes from one place of a
 * (ring/switch_arith.h). */
HB_CLONES static void galois_row(uint64_t *restrict r, const uint64_t *restrict a, uint32_t n, uint32_t inverse,
                                 uint64_t m)
{
    /* Reads are scattered, writes in order; restrict lets the compiler gather. */
    for (uint32_t j = 0; j < n; j++) {
        const uint32_t from = hb_galois_from(j, inverse, n);
        r[j] = hb_galois_sign(a[from & (n - 1)], from, n, m);
    }
}

static hb_status galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    const uint32_t n = (uint32_t)e->ring->n, inverse = hb_galois_inverse(element, n);
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            galois_row(hb_cpu_row(e, r, c, l), hb_cpu_row(e, a, c, l), n, inverse, hb_cpu_modulus(e, r, l)->value);
        }
    }
    return HB_OK;
}

static hb_status copy(hb_engine *e, hb_batch r, hb_batch a)
{
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            /* memmove, as a row may be copied onto itself. */
            memmove(hb_cpu_row(e, r, c, l), hb_cpu_row(e, a, c, l), hb_cpu_words(e, r) * sizeof *r.data);
        }
    }
    return HB_OK;
}

static hb_status clear(hb_engine *e, hb_batch r)
{
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            memset(hb_cpu_row(e, r, c, l), 0, hb_cpu_words(e, r) * sizeof *r.data);
        }
    }
    return HB_OK;
}

HB_CLONES static uint64_t zeros_of(const uint64_t *a, size_t n)
{
    uint64_t count = 0;
    for (size_t j = 0; j < n; j++) {
        count += a[j] == 0;
    }
    return count;
}

static hb_status count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    *zeros = 0;
    for (size_t c = 0; c < a.count; c++) {
        for (uint32_t l = 0; l < a.limbs; l++) {
            *zeros += zeros_of(hb_cpu_row(e, a, c, l), e->ring->n);
        }
    }
    return HB_OK;
}

const hb_ring_ops hb_cpu_ring_ops = {
    .copy = copy,
    .clear = clear,
    .add = add,
    .sub = sub,
    .negate = negate,
    .mul = mul,
    .scale = scale,
    .permute = permute,
    .galois = galois,
    .count_zeros = count_zeros,
};
