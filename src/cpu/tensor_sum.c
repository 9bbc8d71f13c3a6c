/* Sums of products of ciphertexts and of multiples, a block of words at a time: products first, then what joins them,
 * while that block is in a near cache. */
#include "cpu_private.h"

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

hb_status hb_cpu_tensor_sum(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x)
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
