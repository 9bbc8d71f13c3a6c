/* Parameters of any small degree and any primes, which hb_params_open refuses: for comparison with slow definitions. */
#ifndef HB_TESTS_SMALL_PARAMS_H
#define HB_TESTS_SMALL_PARAMS_H

#include <string.h>

#include "base/prime.h"
#include "bfv/behz.h"
#include "bfv/params_private.h"
#include "cpu/engine.h"
#include "scheme/params.h"

/* primes: [limbs], = 1 mod 2n. Free with small_params_close. */
static inline hb_params *small_params(uint32_t log_n, const uint64_t *primes, uint32_t limbs, uint64_t plain)
{
    hb_params_spec spec = {.n = (size_t)1 << log_n, .key_limbs = limbs, .bfv.plain = plain};
    const hb_params_facts facts = {.insecure = true};
    hb_params *p;
    memcpy(spec.primes, primes, limbs * sizeof *primes);
    assert_int_equal(hb_bfv_params_make(&spec, &facts, &p), HB_OK);
    assert_int_equal(hb_seed_start(), HB_OK);
    return p;
}

static inline void small_params_close(hb_params *p)
{
    hb_params_close(p);
}

#endif
