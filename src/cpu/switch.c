/* Products of ciphertexts, and the steps of key switching. */
#include "cpu_private.h"
#include "ring/switch_arith.h"

/* --- sums of products of ciphertexts and of multiples
 *
 * They are made a block of words at a time: products first, then the terms that join them, while that block is in a
 * near cache. */

/* One component of a ciphertext, at limb l and words first .. first + n. */
typedef struct part {
    const hb_tensor_sum_operands *x;
    size_t count, c, first, n; /* ciphertexts; this one */
    uint32_t k, l;
    const hb_modulus *m;
} part;

static const uint64_t *row_of(const hb_engine *e, const part *p, hb_batch a, uint32_t component)
{
    return hb_cpu_row(e, a, component * p->count + p->c, p->l) + p->first;
}

/* Makes component k of the products: the sum over i + j = k of all a_i b_j. */
static void add_products(const hb_engine *e, const part *p, uint64_t *to)
{
    hb_cpu_terms pairs = {.pairs = true};
    for (uint32_t t = 0; t < p->x->products; t++) {
        for (uint32_t i = p->k == 2 ? 1 : 0; i <= p->k && i < 2; i++) {
            pairs.a[pairs.count] = row_of(e, p, p->x->a[t], i);
            pairs.b[pairs.count++] = row_of(e, p, p->x->b[t], p->k - i);
        }
    }
    hb_cpu_sum(to, &pairs, p->n, p->m, p->m->f64 != 0);
}

/* Adds multiples and the number to the products, which stand there. */
static void add_multiples(const hb_engine *e, const part *p, uint64_t *to)
{
    const hb_tensor_sum_operands *x = p->x;
    hb_cpu_terms terms = {.start = p->k == 0 && x->number != NULL ? x->number[p->l] : 0};
    if (x->products > 0) {
        terms.a[terms.count] = to;
        terms.weights[terms.count++] = x->twice ? 2 % p->m->value : 1;
    }
    for (uint32_t t = 0; t < x->multiples && p->k < 2; t++) {
        terms.a[terms.count] = row_of(e, p, x->c[t], p->k);
        terms.weights[terms.count++] = x->weights[t][p->l];
    }
    if (terms.count > 1 || x->products == 0 || terms.start != 0 || x->twice) {
        hb_cpu_sum(to, &terms, p->n, p->m, p->m->f64 != 0);
    }
}

static hb_status cpu_tensor_sum(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x)
{
    const uint32_t size = x->products > 0 ? 3 : 2;
    part p = {.x = x, .count = r.count / size};
    for (p.l = 0; p.l < r.limbs; p.l++) {
        p.m = hb_cpu_modulus(e, r, p.l);
        for (p.c = 0; p.c < p.count; p.c++) {
            for (p.first = 0; p.first < e->ring->n; p.first += p.n) {
                const size_t left = e->ring->n - p.first;
                p.n = left < HB_CPU_BLOCK ? left : HB_CPU_BLOCK;
                for (p.k = 0; p.k < size; p.k++) {
                    uint64_t *to = hb_cpu_row(e, r, p.k * p.count + p.c, p.l) + p.first;
                    if (x->products > 0) {
                        add_products(e, &p, to);
                    }
                    add_multiples(e, &p, to);
                }
            }
        }
    }
    return HB_OK;
}

/* --- switching of keys, and other products */

#define DIGIT_WORDS ((size_t)1 << 21) /* of digits modulo one prime: with the key's, less than a third-level cache */

/* Ciphertexts that are multiplied: polynomials of some components. */
typedef struct factor {
    hb_batch all;
    uint32_t size; /* components */
    size_t count;  /* ciphertexts */
} factor;

static factor factor_of(hb_batch all, uint32_t size)
{
    return (factor){all, size, all.count / size};
}

/* Makes component k of the product of ciphertext c of a and ciphertext of_b of b: the sum over i + j = k of a_i b_j. */
static void tensor_component(hb_engine *e, hb_batch r, const factor *a, const factor *b, size_t c, uint32_t k)
{
    const size_t of_b = b->count == 1 ? 0 : c;
    for (uint32_t l = 0; l < r.limbs; l++) {
        /* Sums of products are reduced once, at their end. */
        hb_cpu_terms pairs = {.pairs = true};
        for (uint32_t i = k < b->size ? 0 : k - b->size + 1; i <= k && i < a->size; i++) {
            pairs.a[pairs.count] = hb_cpu_row(e, a->all, i * a->count + c, l);
            pairs.b[pairs.count++] = hb_cpu_row(e, b->all, (k - i) * b->count + of_b, l);
        }
        const hb_modulus *m = hb_cpu_modulus(e, r, l);
        hb_cpu_sum(hb_cpu_row(e, r, k * a->count + c, l), &pairs, e->ring->n, m, m->f64 != 0);
    }
}

static hb_status tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    const factor first = factor_of(a, a_size), second = factor_of(b, b_size);
    for (size_t c = 0; c < first.count; c++) {
        for (uint32_t k = 0; k < a_size + b_size - 1; k++) {
            tensor_component(e, r, &first, &second, c, k);
        }
    }
    return HB_OK;
}

typedef struct inner_products {
    hb_batch r, digits, key;
    uint32_t outputs, row;
    size_t first, count; /* the ciphertexts of r that digits are of */
} inner_products;

/* Where the limb of r that is made stands in the digits and in the key. */
typedef struct limb_of {
    uint32_t r, digits, key;
} limb_of;

/* Makes a block of inner products of a limb. A block at a time, for which the rows of the key and of a ciphertext's
 * digits stay in the caches: the key's for the whole batch, the digits' for all outputs. */
static void key_products_block(hb_engine *e, const inner_products *x, limb_of l, size_t first)
{
    const size_t count = x->r.count / x->outputs, left = e->ring->n - first;
    const hb_modulus *m = hb_cpu_modulus(e, x->r, l.r);
    hb_cpu_terms pairs = {.count = (uint32_t)(x->digits.count / x->count), .pairs = true};
    for (size_t c = 0; c < x->count; c++) {
        for (uint32_t i = 0; i < pairs.count; i++) {
            /* Digits of one ciphertext serve all outputs while they are in the cache. */
            pairs.a[i] = hb_cpu_row(e, x->digits, c * pairs.count + i, l.digits) + first;
        }
        for (size_t k = 0; k < x->outputs; k++) {
            for (uint32_t i = 0; i < pairs.count; i++) {
                pairs.b[i] = hb_cpu_row(e, x->key, x->row * i + k, l.key) + first;
            }
            hb_cpu_sum(hb_cpu_row(e, x->r, k * count + x->first + c, l.r) + first, &pairs,
                       left < HB_CPU_BLOCK ? left : HB_CPU_BLOCK, m, m->f64 != 0);
        }
    }
}

static void key_products_limb(hb_engine *e, const inner_products *x, limb_of l)
{
    for (size_t first = 0; first < e->ring->n; first += HB_CPU_BLOCK) {
        key_products_block(e, x, l, first);
    }
}

/* Returns where limb l of r stands in the key, at `from` or behind: the key may have more limbs than r, and both
 * ascend. */
static uint32_t limb_of_key(hb_batch key, hb_batch r, uint32_t l, uint32_t from)
{
    while (key.ids[from] != r.ids[l]) {
        from++;
    }
    return from;
}

static hb_status key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row)
{
    const inner_products x = {r, digits, key, outputs, row, 0, r.count / outputs};
    for (uint32_t l = 0, of_key = 0; r.count > 0 && l < r.limbs; l++) {
        of_key = limb_of_key(key, r, l, of_key);
        key_products_limb(e, &x, (limb_of){l, l, of_key});
    }
    return HB_OK;
}

/* The digits modulo one prime, of as many ciphertexts as a cache of the processor holds, are made and multiplied before
 * the next ones take their place: all of them together are half as large as the key, and would be written to memory and
 * read back. */
static hb_status digit_products(hb_engine *e, hb_batch r, const hb_digit_operands *x)
{
    const size_t digits = x->a.limbs, fit = DIGIT_WORDS / (digits * e->ring->n), together = fit > 0 ? fit : 1;
    for (uint32_t l = 0, of_key = 0; r.count > 0 && l < r.limbs; l++) {
        of_key = limb_of_key(x->key, r, l, of_key);
        hb_batch here = hb_batch_limbs(e, x->digits, 0, 1);
        here.ids = &r.ids[l];
        for (size_t c = 0; c < x->a.count; c += together) {
            const size_t count = x->a.count - c < together ? x->a.count - c : together;
            const hb_batch known = x->known.data != NULL ? hb_batch_slice(x->known, c, count) : x->known;
            here = hb_batch_slice(here, 0, count * digits);
            HB_TRY(hb_cpu_ntt_ops.ntt_decompose_known(e, here, hb_batch_slice(x->a, c, count), known));
            const inner_products products = {r, here, x->key, x->outputs, x->row, c, count};
            key_products_limb(e, &products, (limb_of){l, 0, of_key});
        }
    }
    return HB_OK;
}

/* Two ways to bring a row of integers in [0, q) to [0, m); hb_digit_way_of chooses by q and m. */
HB_CLONES static void correct_row(uint64_t *r, const uint64_t *a, size_t n, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_correct(a[j], m);
    }
}

HB_CLONES static void reduce_row_f64(uint64_t *r, const uint64_t *a, size_t n, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_digit_f64(a[j], &m);
    }
}

void hb_cpu_reduce_row(uint64_t *r, const uint64_t *a, size_t n, const hb_modulus *from, const hb_modulus *m)
{
    /* The way depends on the moduli only, not on words. */
    switch (hb_digit_way_of(from, m)) {
    case HB_DIGIT_COPY:
        memmove(r, a, n * sizeof *r);
        break;
    case HB_DIGIT_CORRECT:
        correct_row(r, a, n, m->value);
        break;
    case HB_DIGIT_F64:
        reduce_row_f64(r, a, n, m);
        break;
    case HB_DIGIT_REDUCE:
        /* The scale kernel takes any words: times 1 it reduces. */
        hb_cpu_kernels_at(0)->scale(r, a, 1, n, m);
    }
}

static hb_status decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    for (size_t c = 0; c < r.count; c++) {
        /* Polynomial c of r is digit c % a.limbs of polynomial c / a.limbs. */
        const uint32_t i = (uint32_t)(c % a.limbs);
        for (uint32_t l = 0; l < r.limbs; l++) {
            hb_cpu_reduce_row(hb_cpu_row(e, r, c, l), hb_cpu_row(e, a, c / a.limbs, i), e->ring->n,
                              hb_cpu_modulus(e, a, i), hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

const hb_product_ops hb_cpu_product_ops = {
    .tensor = tensor,
    .decompose = decompose,
    .key_products = key_products,
    .combine = hb_cpu_combine,
    .digit_products = digit_products,
    .tensor_sum = cpu_tensor_sum,
    .rotation_sums = hb_cpu_rotation_sums,
};
