#include "params_suggest.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "params_trial.h"
#include "prime.h"

/* *found: these parameters do; *out is theirs then, and whatever it was before is cleared. Reasons why they do not are
 * expected; running out of memory is not. */
static hb_status try_spec(hb_trials *s, const hb_params_spec *spec, hb_suggestion *out, bool *found)
{
    hb_suggestion trial = {0};
    const hb_status st = hb_trial(s, spec, &trial);
    *found = st == HB_OK;
    if (*found) {
        hb_suggestion_clear(out);
        *out = trial;
        return HB_OK;
    }
    hb_suggestion_clear(&trial);
    return st == HB_ECONFIG || st == HB_EDATA || st == HB_EUSAGE ? HB_OK : st;
}

/* The preset of that degree, if there is one. */
static hb_status try_preset(hb_trials *s, size_t n, hb_suggestion *out, bool *found)
{
    const char *name;
    for (size_t i = 0; !*found && (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params_spec spec;
        HB_TRY(hb_params_preset(name, &spec));
        if (spec.n != n) {
            continue;
        }
        spec.security = s->wish->security;
        bool given = false;
        if (spec.plain >= s->plain_least) {
            HB_TRY(try_spec(s, &spec, out, found));
        }
        if (!*found && (spec.plain = hb_trials_plain(s, &spec)) != 0) {
            given = true;
            HB_TRY(try_spec(s, &spec, out, found));
        }
        if (*found) {
            out->preset = true;
            out->named = name;
            out->plain_given = given;
        }
    }
    return HB_OK;
}

/* `limbs` primes of together about `total` bits, as even as possible, the longest last. */
static hb_status try_chain(hb_trials *s, size_t n, uint32_t limbs, uint32_t total, hb_suggestion *out, bool *found)
{
    uint32_t bits[HB_MAX_LIMBS];
    hb_params_spec spec = {.n = n, .key_limbs = limbs, .security = s->wish->security};
    *found = false;
    for (uint32_t i = 0; i < limbs; i++) {
        bits[i] = total / limbs + (i >= limbs - total % limbs);
    }
    if (bits[0] < 2 || hb_create_primes(n, bits, limbs, spec.primes) != HB_OK) {
        return HB_OK; /* no such primes */
    }
    spec.plain = hb_trials_plain(s, &spec);
    return spec.plain == 0 ? HB_OK : try_spec(s, &spec, out, found);
}

/* A chain of its own: as few primes as possible, then as few bits. */
static hb_status try_chains(hb_trials *s, size_t n, hb_suggestion *out, bool *found)
{
    const uint32_t limit = hb_security_limit(s->wish->security, n);
    const uint32_t shortest = (uint32_t)__builtin_ctzll(n) + 2; /* a prime = 1 mod 2N has so many bits or more */
    for (uint32_t limbs = 1; !*found && limbs <= HB_MAX_LIMBS && limbs * shortest <= limit; limbs++) {
        uint32_t high = limit < limbs * HB_PRIME_MAX_BITS ? limit : limbs * HB_PRIME_MAX_BITS;
        HB_TRY(try_chain(s, n, limbs, high, out, found));
        for (uint32_t low = limbs * shortest; *found && low < high;) { /* `high` does */
            const uint32_t middle = (low + high) / 2;
            bool enough;
            HB_TRY(try_chain(s, n, limbs, middle, out, &enough));
            if (enough) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }
    return HB_OK;
}

hb_status hb_params_suggest(hb_suggestion *suggestion, const hb_suggest_wish *wish)
{
    hb_trials s = {0};
    bool found = false;
    hb_status st;
    *suggestion = (hb_suggestion){0};
    HB_GOTO(hb_trials_init(&s, wish));
    for (size_t n = (size_t)1 << HB_MIN_LOG_N; !found && n <= (size_t)1 << HB_RING_MAX_LOG_N; n *= 2) {
        HB_GOTO(try_preset(&s, n, suggestion, &found));
        HB_GOTO(found ? HB_OK : try_chains(&s, n, suggestion, &found));
    }
    if (!found) {
        st = HB_FAIL(HB_EDATA, "no parameters of %" PRIu32 " bits of security hold this: t needs %.0f bits%s",
                     wish->security.level, ceil(log2((double)s.plain_least)),
                     wish->trust == HB_NOISE_WORST ? "; --noise expected asks for less than the proven bound" : "");
    }
done:
    hb_trials_clear(&s);
    return st;
}

void hb_suggestion_clear(hb_suggestion *suggestion)
{
    hb_program_clear(&suggestion->program);
    hb_params_close(suggestion->params);
    memset(suggestion, 0, sizeof *suggestion);
}
