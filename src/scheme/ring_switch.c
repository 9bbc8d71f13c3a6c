#include "ring_switch.h"

#include <inttypes.h>
#include <string.h>

#include "rlwe/params_build.h"

/* Returns the literal of degree n with the first primes of the chain, none of which is special. */
static hb_params_spec shorter(const hb_params_spec *spec, size_t n, uint32_t limbs)
{
    hb_params_spec smaller = *spec;
    smaller.n = n;
    smaller.key_limbs = smaller.special_limbs = limbs;
    smaller.digit_limbs = 1;
    smaller.bootstrapping = (hb_bootstrapping_spec){.eval_mod = HB_EVAL_MOD_NONE};
    smaller.insecure = false;
    memset(smaller.primes + limbs, 0, (HB_MAX_LIMBS - limbs) * sizeof *smaller.primes);
    return smaller;
}

static uint32_t bits_of(const hb_params_spec *spec, uint32_t limbs)
{
    const hb_natural product = hb_params_primes_product(spec, 0, limbs);
    return hb_natural_bits(&product);
}

static hb_status check_kind(const hb_params *params, size_t n)
{
    const hb_params_spec *spec = &params->spec;
    if (!hb_ring_switch_degree(spec->n, n)) {
        return HB_FAIL(HB_ECONFIG, "a smaller ring of N = %zu: N is a power of two from %zu to %zu, below that of %zu",
                       n, (size_t)1 << HB_MIN_LOG_N, spec->n / 2, spec->n);
    }
    if (hb_spec_owners(spec) > 1) {
        return HB_FAIL(HB_ECONFIG, "a smaller ring: joint keys have none, as no one has their secret");
    }
    return spec->scheme != HB_CKKS || !spec->ckks.like_seal
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "a smaller ring: parameters like Microsoft SEAL's have none, as their scales "
                                     "depend on the whole chain");
}

hb_status hb_ring_switch_spec(const hb_params *params, size_t n, hb_params_spec *smaller)
{
    const hb_params_spec *spec = &params->spec;
    const uint32_t own = hb_params_level_limbs(params);
    HB_TRY(check_kind(params, n));
    HB_TRY(hb_params_require_switching(params));
    const uint32_t most = hb_security_limit(spec->security, n);
    uint32_t limbs = 0;
    while (limbs + own <= params->fresh_limbs && bits_of(spec, limbs + own) <= most) {
        limbs += own;
    }
    *smaller = shorter(spec, n, limbs);
    return limbs > 0 ? HB_OK
                     : HB_FAIL(HB_ECONFIG,
                               "a smaller ring of N = %zu: %s allows %" PRIu32 " bits for %" PRIu32
                               "-bit security (%s), and the lowest level has %" PRIu32
                               ": take a larger N, or a chain with a shorter first prime",
                               n, hb_security_source(spec->security, n), most, spec->security.level,
                               hb_security_model(spec->security), bits_of(spec, own));
}

bool hb_ring_switch_fits(const hb_params *params, const hb_params_spec *smaller)
{
    const hb_params_spec *spec = &params->spec;
    const uint32_t limbs = smaller->key_limbs;
    const bool alike = smaller->scheme == spec->scheme && hb_ring_switch_degree(spec->n, smaller->n) &&
                       !smaller->insecure && limbs > 0 && limbs <= params->fresh_limbs &&
                       limbs % hb_params_level_limbs(params) == 0 && hb_params_can_switch(params) &&
                       hb_spec_owners(spec) == 1 && hb_spec_owners(smaller) == 1 &&
                       (spec->scheme != HB_CKKS || !spec->ckks.like_seal);
    if (!alike) {
        return false;
    }
    const hb_params_spec same = shorter(spec, smaller->n, limbs);
    return hb_params_same(&same, smaller);
}

void hb_ring_switch_secret(int8_t *to, size_t to_n, const int8_t *ternary, size_t n)
{
    memset(to, 0, to_n);
    for (size_t j = 0; j < n; j++) {
        to[j * (to_n / n)] = ternary[j];
    }
}

hb_status hb_ring_switch_embed(hb_engine *engine, hb_batch to, const uint64_t *words, size_t n, void *host)
{
    const size_t to_n = engine->ring->n, apart = to_n / n, bytes = hb_ring_switch_host_bytes(engine, to);
    uint64_t *at = host;
    if (bytes == 0) {
        return HB_OK;
    }
    HB_ASSERT(to.count * to.stride * sizeof(uint64_t) == bytes);
    memset(host, 0, bytes);
    for (size_t p = 0; p < to.count * to.limbs; p++) {
        if (hb_limb_here(engine, to.ids[p % to.limbs])) {
            for (size_t j = 0; j < n; j++) {
                at[j * apart] = words[p * n + j];
            }
            at += to_n;
        }
    }
    HB_TRY(hb_upload(engine, to.data, host, bytes));
    return hb_finish(engine);
}
