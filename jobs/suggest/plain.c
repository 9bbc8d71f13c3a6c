/* The plain modulus of a suggestion: what it must hold, and which there is. */
#include <inttypes.h>

#include "base/prime.h"
#include "expression/text/place.h"
#include "trial.h"

uint64_t hb_plain_for(int64_t least, int64_t most, bool is_signed)
{
    if (!is_signed && least >= 0) {
        return (uint64_t)most + 1;
    }
    const uint64_t below = least < 0 ? (uint64_t)0 - (uint64_t)least : 0, above = most > 0 ? (uint64_t)most : 0;
    const uint64_t largest = below > above ? below : above;
    return largest > (uint64_t)INT64_MAX / 2 ? UINT64_MAX : 2 * largest + 1;
}

static bool in_chain(const hb_params_spec *spec, uint64_t prime)
{
    bool found = false;
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        found |= spec->primes[i] == prime;
    }
    return found;
}

/* The largest of exactly so many bits that holds all values. */
static uint64_t plain_of_bits(const hb_trials *s, const hb_params_spec *spec, uint32_t bits)
{
    const uint64_t step = 2 * (uint64_t)spec->n, least = (uint64_t)1 << (bits - 1);
    uint64_t t = (least * 2 - 1) / step * step + 1;
    t -= t > least * 2 - 1 ? step : 0;
    while (t > least && t >= s->plain_least && (!hb_is_prime(t) || in_chain(spec, t))) {
        t -= step < t ? step : t;
    }
    return t > least && t >= s->plain_least ? t : 0;
}

uint64_t hb_trials_plain(const hb_trials *s, const hb_params_spec *spec)
{
    const uint64_t given = s->wish->plain;
    if (given != 0) {
        return (given - 1) % (2 * (uint64_t)spec->n) == 0 && !in_chain(spec, given) ? given : 0;
    }
    if (s->wish->plain_bits != 0) {
        return plain_of_bits(s, spec, s->wish->plain_bits);
    }
    const uint64_t step = 2 * (uint64_t)spec->n, end = (uint64_t)1 << HB_PRIME_MAX_BITS;
    uint64_t t = (s->plain_least / step + (s->plain_least % step > 1)) * step + 1;
    while (t < end && (t == 1 || !hb_is_prime(t) || in_chain(spec, t))) {
        t += step;
    }
    return t < end ? t : 0;
}

hb_status hb_trials_check_plain(const hb_suggest_wish *wish)
{
    const uint64_t least_step = (uint64_t)2 << HB_MIN_LOG_N;
    if (wish->plain != 0 &&
        (wish->plain >> HB_PRIME_MAX_BITS != 0 || !hb_is_prime(wish->plain) || (wish->plain - 1) % least_step != 0)) {
        return HB_FAIL(HB_ECONFIG,
                       "--plain %" PRIu64 " cannot batch for any N: it must be a prime = 1 mod 2N, N from %" PRIu64
                       " up, of at most %d bits; without it the smallest that does is found",
                       wish->plain, least_step / 2, HB_PRIME_MAX_BITS);
    }
    if (wish->plain_bits != 0 && (wish->plain_bits < HB_MIN_LOG_N + 2 || wish->plain_bits > HB_PRIME_MAX_BITS)) {
        return HB_FAIL(HB_ECONFIG, "--plain-bits %" PRIu32 ": a t that batches has %d to %d bits", wish->plain_bits,
                       HB_MIN_LOG_N + 2, HB_PRIME_MAX_BITS);
    }
    return HB_OK;
}

/* What t can be at most; 0: that is not known. */
static uint64_t most_plain(const hb_suggest_wish *wish)
{
    return wish->plain != 0 ? wish->plain : wish->plain_bits != 0 ? ((uint64_t)1 << wish->plain_bits) - 1 : 0;
}

/* One result's values, which t must hold unless they may wrap. */
static hb_status take_result(hb_trials *s, const hb_output *o)
{
    const uint64_t plain = hb_plain_for(o->least, o->most, o->least < 0), most = most_plain(s->wish);
    char where[48], values[64];
    hb_place(where, s->wish->expression, o->at);
    hb_interval_text(values, hb_interval_of(o->least, o->most));
    if (s->wish->wrap) {
        return HB_OK;
    }
    if (plain >> HB_PRIME_MAX_BITS != 0) {
        return HB_FAIL(HB_EDATA, "%s: %.64s can be %s, which no t of 60 bits holds", where, o->name, values);
    }
    if (most != 0 && plain > most) {
        return HB_FAIL(HB_EDATA,
                       "%s: %.64s can be %s, which needs a t of %" PRIu64 " or more; --wrap where that is meant", where,
                       o->name, values, plain);
    }
    s->plain_least = plain > s->plain_least ? plain : s->plain_least;
    return HB_OK;
}

hb_status hb_trials_find_plain(hb_trials *s)
{
    enum { PRIMES = 60 };
    uint32_t bits[PRIMES];
    hb_params_spec spec = {
        .n = (size_t)1 << HB_RING_MAX_LOG_N, .key_limbs = PRIMES, .security = hb_security_default(), .insecure = true};
    const uint64_t most = most_plain(s->wish);
    hb_suggestion trial = {0};
    hb_status st;
    for (uint32_t i = 0; i < PRIMES; i++) {
        bits[i] = HB_PRIME_MAX_BITS;
    }
    HB_GOTO(hb_create_primes(spec.n, bits, PRIMES, spec.primes));
    if (most != 0 && s->plain_least > most) {
        HB_GOTO(HB_FAIL(HB_EDATA, "the values of the tables need a t of %" PRIu64 " or more", s->plain_least));
    }
    spec.bfv.plain = most; /* as expressions have numbers up to t: good enough to find ranges by */
    for (uint32_t i = 0; i < PRIMES && spec.bfv.plain != 0; i++) {
        spec.bfv.plain -= spec.bfv.plain == spec.primes[i];
    }
    spec.bfv.plain = most != 0 ? spec.bfv.plain : hb_trials_plain(s, &spec);
    HB_GOTO(spec.bfv.plain == 0 ? HB_FAIL(HB_EDATA, "--range: values of more than 59 bits fit no t") : HB_OK);
    HB_GOTO(hb_trial(s, &spec, &trial));
    for (uint32_t i = 0; i < trial.program.output_count; i++) {
        HB_GOTO(take_result(s, &trial.program.outputs[i]));
    }
done:
    hb_suggestion_clear(&trial);
    return st;
}
