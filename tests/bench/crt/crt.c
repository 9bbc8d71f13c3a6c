#include "crt.h"

#include <inttypes.h>
#include <string.h>

#include "base/modarith.h"
#include "base/prime.h"

const char *hb_crt_name(hb_crt_method method)
{
    static const char *const names[HB_CRT_METHODS] = {[HB_CRT_SPLIT_NATIVE] = "CRT, %",
                                                      [HB_CRT_SPLIT_BARRETT] = "CRT, Barrett",
                                                      [HB_CRT_CLASSIC_DIVIDE] = "classic, MP mod",
                                                      [HB_CRT_CLASSIC_SUBTRACT] = "classic, MP sub",
                                                      [HB_CRT_GARNER_NATIVE] = "Garner, %",
                                                      [HB_CRT_GARNER_BARRETT] = "Garner, Barrett",
                                                      [HB_CRT_OUR_DIGITS] = "ours",
                                                      [HB_CRT_OUR_CONVERSION] = "ours, base conversion",
                                                      [HB_CRT_OUR_FLOOR] = "ours, RNS floor"};
    return names[method];
}

uint32_t hb_crt_word_bits(const hb_design_case *c)
{
    return c->bits <= HB_CRT_SHORT_BITS ? 32 : 64;
}

uint32_t hb_crt_words(const hb_design_case *c)
{
    const uint32_t word_bits = hb_crt_word_bits(c);
    return (c->moduli * c->bits + word_bits - 1) / word_bits;
}

double hb_crt_bytes(hb_crt_method method, const hb_design_case *c)
{
    const double coefficients = (double)c->count * (double)((size_t)1 << c->log_n);
    const uint32_t targets = c->moduli + HB_CRT_TARGETS;
    switch (method) {
    case HB_CRT_OUR_DIGITS:
        return coefficients * 8 * (2 * c->moduli);
    case HB_CRT_OUR_CONVERSION:
        return coefficients * 8 * (c->moduli + targets);
    case HB_CRT_OUR_FLOOR: /* targets are read, too */
        return coefficients * 8 * (c->moduli + 2 * targets);
    default:
        return coefficients * (hb_crt_word_bits(c) / 8) * (c->moduli + hb_crt_words(c));
    }
}

hb_status hb_crt_time(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds)
{
    if (c->moduli < 2 || c->moduli > HB_CRT_MOST || c->bits > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_EUNAVAILABLE,
                       "CRT of %" PRIu32 " primes of %" PRIu32 " bits: there are methods for 2 to %d "
                       "primes of at most %d bits",
                       c->moduli, c->bits, HB_CRT_MOST, HB_PRIME_MAX_BITS);
    }
    if (method >= HB_CRT_OUR_DIGITS) {
        return hb_crt_time_ours(run, method, c, seconds);
    }
    return hb_crt_word_bits(c) == 32 ? hb_crt_time_short(run, method, c, seconds)
                                     : hb_crt_time_long(run, method, c, seconds);
}

static hb_status add(hb_crt_base *base, uint64_t prime)
{
    const uint32_t at = base->ring.count;
    return hb_ring_add_modulus(&base->ring, prime, &base->ids[at]);
}

static bool is_of_case(const hb_design_case *c, uint64_t prime)
{
    for (uint32_t i = 0; i < c->moduli; i++) {
        if (c->primes[i] == prime) {
            return true;
        }
    }
    return false;
}

hb_status hb_crt_base_init(hb_crt_base *base, const hb_design_case *c, uint32_t more)
{
    uint64_t others[HB_RING_MAX_MODULI];
    memset(base, 0, sizeof *base);
    HB_TRY(hb_ring_init(&base->ring, c->log_n));
    for (uint32_t i = 0; i < c->moduli; i++) {
        HB_TRY(add(base, c->primes[i]));
    }
    HB_ASSERT(c->moduli + more <= HB_RING_MAX_MODULI);
    HB_TRY(hb_find_primes((uint64_t)2 << c->log_n, c->bits, c->moduli + more, others)); /* at least `more` are new */
    for (uint32_t i = 0; base->ring.count < c->moduli + more; i++) {
        if (!is_of_case(c, others[i])) {
            HB_TRY(add(base, others[i]));
        }
    }
    HB_TRY(hb_basis_init(&base->basis, &base->ring, base->ids, c->moduli));
    return hb_garner_init(&base->garner, &base->basis);
}

void hb_crt_base_clear(hb_crt_base *base)
{
    hb_garner_clear(&base->garner);
}
