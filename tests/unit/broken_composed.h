/* Operations that the CPU engine leaves to the front end, composed of others as there. */
#ifndef HB_TESTS_BROKEN_COMPOSED_H
#define HB_TESTS_BROKEN_COMPOSED_H

#include <stdlib.h>

#include "ring/galois.h"
#include "unit/broken_calls.h"

static hb_status real_intt_of(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    HB_TRY(real->ring->copy(e, r, a));
    return real->ntt->intt(e, r, factors);
}

/* r = the automorphism of x, [count][limbs], on the host. */
static hb_status real_automorphism(hb_engine *e, hb_batch r, hb_batch x, uint32_t element)
{
    const size_t n = e->ring->n;
    uint32_t *map = malloc(n * sizeof *map);
    if (map == NULL) {
        return refused();
    }
    hb_galois_map(map, n, element);
    for (size_t i = 0; i < x.count * x.limbs * n; i++) {
        const size_t c = i / n / x.limbs, row = i / n % x.limbs * n;
        r.data[c * r.stride + row + i % n] = x.data[c * x.stride + row + map[i % n]];
    }
    free(map);
    return HB_OK;
}

static hb_status real_ntt_quotient(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch x,
                                   const uint64_t *factors, uint32_t element)
{
    HB_TRY(real->ntt->ntt(e, x));
    HB_TRY(real->ring->sub(e, x, a, x));
    HB_TRY(real->ring->scale(e, x, x, factors));
    const hb_batch with = hb_batch_slice(x, 0, b.data != NULL ? b.count : 0);
    HB_TRY(real->ring->add(e, with, with, b));
    return element != 1 ? real_automorphism(e, r, x, element) : real->ring->copy(e, r, x);
}

static hb_status real_ntt_except(hb_engine *e, hb_batch x, uint32_t group, const hb_limb_range *done)
{
    for (size_t c = 0; c < x.count; c++) {
        const hb_limb_range own = done[c % group];
        for (uint32_t l = 0; l < x.limbs; l++) {
            if (l < own.first || l >= own.first + own.limbs) {
                HB_TRY(real->ntt->ntt(e, hb_batch_limbs(e, hb_batch_slice(x, c, 1), l, 1)));
            }
        }
    }
    return HB_OK;
}

/* Composed as by the front end, of an engine that has no such operation. */
static hb_status real_gadget_products(hb_engine *e, hb_batch r, const hb_gadget_operands *x)
{
    const size_t count = r.count / 2, d = x->digits.count / count;
    for (size_t j = 0; x->own.data != NULL && j < d; j++) {
        hb_batch digit = hb_batch_slice(x->digits, j, count);
        digit.stride *= d;
        HB_TRY(real->ring->copy(e, hb_batch_limbs(e, digit, x->ranges[j].first, x->ranges[j].limbs),
                                hb_batch_limbs(e, x->own, x->ranges[j].first, x->ranges[j].limbs)));
    }
    HB_TRY(real->products->key_products(e, r, x->digits, x->key, 2, 2));
    for (uint32_t i = 0; x->plus[0].data != NULL && i < 2; i++) {
        const hb_batch to = hb_batch_limbs(e, hb_batch_slice(r, i * count, count), 0, x->plus[i].limbs);
        HB_TRY(real->ring->scale(e, x->scratch, x->plus[i], x->factors));
        HB_TRY(real->ring->add(e, to, to, x->scratch));
    }
    return HB_OK;
}

#endif
