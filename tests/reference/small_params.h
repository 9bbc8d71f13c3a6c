/* Parameters of any small degree and any primes, which hb_params_open refuses: for comparison with slow definitions. */
#ifndef HB_TESTS_SMALL_PARAMS_H
#define HB_TESTS_SMALL_PARAMS_H

#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "bfv/behz.h"
#include "bfv/params_private.h"
#include "cpu/engine.h"

static inline void small_auxiliary(hb_params *p)
{
    uint64_t candidates[2 * HB_MAX_LIMBS];
    const uint32_t limbs = 1 + hb_behz_auxiliary_limbs(hb_natural_bits(&p->levels[p->data_limbs].basis.product),
                                                       p->ring.moduli[p->plain_id].bits, p->ring.log_n, p->data_limbs,
                                                       HB_BEHZ_MOST_SIZE, 49);
    assert_int_equal(hb_find_primes(2 * p->spec.n, 49, limbs + p->key_limbs, candidates), HB_OK);
    for (uint32_t i = 0; p->auxiliary_limbs < limbs; i++) {
        bool used = candidates[i] == p->spec.plain;
        for (uint32_t l = 0; l < p->key_limbs; l++) {
            used = used || candidates[i] == p->spec.primes[l];
        }
        if (!used) {
            uint16_t *id = &p->auxiliary_ids[p->auxiliary_limbs++];
            assert_int_equal(hb_ring_add_modulus(&p->ring, candidates[i], id), HB_OK);
        }
    }
}

/* primes: [limbs], = 1 mod 2n. Free with small_params_close. */
static inline hb_params *small_params(uint32_t log_n, const uint64_t *primes, uint32_t limbs, uint64_t plain)
{
    hb_params *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->spec = (hb_params_spec){.n = (size_t)1 << log_n, .key_limbs = limbs, .plain = plain, .insecure = true};
    memcpy(p->spec.primes, primes, limbs * sizeof *primes);
    p->key_limbs = limbs;
    uint64_t longest[2];
    assert_int_equal(hb_ring_init(&p->ring, log_n), HB_OK);
    for (uint32_t i = 0; i < limbs; i++) {
        assert_int_equal(hb_ring_add_modulus(&p->ring, primes[i], &p->ids[i]), HB_OK);
    }
    assert_int_equal(hb_ring_add_modulus(&p->ring, plain, &p->plain_id), HB_OK);
    assert_int_equal(hb_find_primes(2 * p->spec.n, 61, 2, longest), HB_OK);
    assert_int_equal(hb_ring_add_modulus(&p->ring, longest[1], &p->gamma_id), HB_OK);
    p->plain_gamma_ids[0] = p->plain_id;
    p->plain_gamma_ids[1] = p->gamma_id;
    p->levels = calloc((size_t)limbs + 1, sizeof *p->levels);
    assert_non_null(p->levels);
    for (uint32_t k = 1; k <= limbs; k++) {
        assert_int_equal(hb_level_init(&p->levels[k], p, k), HB_OK);
    }
    p->data_limbs = limbs > 1 && p->levels[limbs - 1].basis.limbs != 0 ? limbs - 1 : limbs;
    small_auxiliary(p);
    if (p->data_limbs < p->key_limbs) {
        assert_int_equal(hb_product_base_init(&p->product_base, &p->ring, p->ids, p->data_limbs, p->auxiliary_ids,
                                              p->auxiliary_limbs),
                         HB_OK);
    }
    assert_int_equal(hb_params_divide(p, 1), HB_OK);
    assert_int_equal(hb_seed_start(), HB_OK);
    return p;
}

static inline void small_params_close(hb_params *p)
{
    hb_params_close(p);
}

#endif
