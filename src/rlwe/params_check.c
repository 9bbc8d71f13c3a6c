/* The checks of a parameter literal that every scheme makes, in the order of semantics.md 8.1 with the limits of
 * params.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/prime.h"
#include "params_build.h"

static const uint64_t most_value = (1ull << HB_PRIME_MAX_BITS) - 1;

static bool is_degree(size_t n)
{
    return n >= (size_t)1 << HB_MIN_LOG_N && n <= (size_t)1 << HB_RING_MAX_LOG_N && (n & (n - 1)) == 0;
}

bool hb_params_in_chain(const hb_params_spec *spec, uint64_t prime)
{
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        if (spec->primes[i] == prime) {
            return true;
        }
    }
    return false;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

uint64_t hb_params_nearest_prime(const hb_params_spec *spec, uint64_t value, uint64_t step, uint64_t low, uint64_t high)
{
    const uint64_t start = clamp(value, low, high);
    uint64_t down = (start - 1) / step * step + 1, up = down + step; /* down <= start < up */
    while (down >= low || up <= high) {
        const bool below = down >= low && (up > high || start - down <= up - start);
        const uint64_t candidate = below ? down : up;
        if (hb_is_prime(candidate) && !hb_params_in_chain(spec, candidate)) {
            return candidate;
        }
        /* down >= low > 1 is at least step + 1; from below low it does not move again. */
        down -= below ? step : 0;
        up += below ? 0 : step;
    }
    return 0;
}

/* Refuses prime i with the fault and a prime to take instead, from `low` on. There is always a free prime: at most 63
 * are taken. */
static hb_status refuse_prime(const hb_params_spec *spec, uint32_t i, const char *wrong, uint64_t low)
{
    const uint64_t value = spec->primes[i];
    const bool degree = is_degree(spec->n); /* it is checked after the primes */
    const uint64_t nearest = hb_params_nearest_prime(spec, value, degree ? 2 * spec->n : 1, low, most_value);
    return HB_FAIL(HB_ECONFIG, "prime q_%" PRIu32 " = %" PRIu64 " %s; the nearest unused prime%s is %" PRIu64, i, value,
                   wrong, degree ? " = 1 mod 2N" : "", nearest);
}

static hb_status check_primes(const hb_params_spec *spec)
{
    if (spec->key_limbs < 1 || spec->key_limbs > HB_MAX_LIMBS) {
        return HB_FAIL(HB_ECONFIG, "the chain has %" PRIu32 " primes; 1 to %d are allowed", spec->key_limbs,
                       HB_MAX_LIMBS);
    }
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        if (spec->primes[i] < 2 || spec->primes[i] > most_value) {
            return refuse_prime(spec, i, "is not of 2 to 60 bits", 2);
        }
        if (!hb_is_prime(spec->primes[i])) {
            return refuse_prime(spec, i, "is not prime", 2);
        }
    }
    return HB_OK;
}

static hb_status check_degree(size_t n)
{
    if (is_degree(n)) {
        return HB_OK;
    }
    size_t nearest = (size_t)1 << HB_MIN_LOG_N;
    while (n > nearest + nearest / 2 && nearest < (size_t)1 << HB_RING_MAX_LOG_N) {
        nearest *= 2;
    }
    return HB_FAIL(HB_ECONFIG, "the degree N = %zu is not a power of two from 2^%d to 2^%d; the nearest that is: %zu",
                   n, HB_MIN_LOG_N, HB_RING_MAX_LOG_N, nearest);
}

/* Writes advice for a chain of `bits` bits that is too long for its degree. */
static void advise_degree(char *advice, size_t size, uint32_t bits, hb_security security)
{
    size_t longest = 0;
    for (uint32_t log_n = HB_MIN_LOG_N; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        const size_t n = (size_t)1 << log_n;
        const uint32_t limit = hb_security_limit(security, n);
        longest = limit > 0 ? n : longest;
        if (limit >= bits) {
            snprintf(advice, size, "the smallest N that allows it is %zu (%" PRIu32 " bits)", n, limit);
            return;
        }
    }
    snprintf(advice, size, "no N allows it, the most is %" PRIu32 " bits at N = %zu",
             hb_security_limit(security, longest), longest);
}

static hb_status refuse_security(const hb_params_spec *spec, uint32_t bits)
{
    const hb_security security = spec->security;
    const uint32_t limit = hb_security_limit(security, spec->n);
    const hb_security older = {.level = security.level, .quantum = security.quantum};
    char rule[96] = "has no entry", advice[96];
    if (limit > 0) {
        snprintf(rule, sizeof rule, "allows %" PRIu32 " bits", limit);
    }
    advise_degree(advice, sizeof advice, bits, security);
    return HB_FAIL(HB_ECONFIG,
                   "insecure: the chain has %" PRIu32 " bits, and %s %s at N = %zu for %" PRIu32
                   "-bit security (%s); %s (%s--insecure lifts this rule)",
                   bits, hb_security_source(security, spec->n), rule, spec->n, security.level,
                   hb_security_model(security), advice,
                   hb_security_limit(older, spec->n) >= bits ? "--security-table 2018 allows it; " : "");
}

hb_natural hb_params_primes_product(const hb_params_spec *spec, uint32_t first, uint32_t count)
{
    hb_natural product;
    hb_natural_set(&product, 1);
    for (uint32_t i = first; i < first + count; i++) {
        hb_natural_mul_add(&product, spec->primes[i], 0);
    }
    return product;
}

static hb_status check_security(const hb_params_spec *spec, hb_params_facts *facts)
{
    const hb_natural product = hb_params_primes_product(spec, 0, spec->key_limbs);
    HB_TRY(hb_security_check(spec->security));
    const uint32_t bits = hb_natural_bits(&product);
    *facts = (hb_params_facts){.chain_bits = bits, .insecure = bits > hb_security_limit(spec->security, spec->n)};
    return !facts->insecure || spec->insecure ? HB_OK : refuse_security(spec, bits);
}

/* Different primes are coprime. */
static hb_status check_chain(const hb_params_spec *spec)
{
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (spec->primes[i] == spec->primes[j]) {
                return refuse_prime(spec, i, "is in the chain twice", 2);
            }
        }
    }
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        if (spec->primes[i] % (2 * spec->n) != 1) {
            return refuse_prime(spec, i, "is not = 1 mod 2N and so has no NTT", 2);
        }
    }
    return HB_OK;
}

hb_digit_list hb_digit_list_of(const hb_params_spec *spec)
{
    const uint32_t data = hb_spec_data_limbs(spec), most = hb_spec_digit_limbs(spec);
    bool early = hb_spec_switches_first(spec) && hb_spec_special_limbs(spec) > 1;
    /* Primes of our own CKKS are below 2^50; longer ones, of a damaged file, might not fit hb_natural. */
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        early = early && spec->primes[i] >> 50 == 0;
    }
    if (!early) {
        return hb_digit_list_even(data, most);
    }
    hb_digit_list list = {.count = data > 0};
    for (uint32_t i = 1; i < data; i++) {
        const uint32_t first = list.first[list.count - 1], limbs = i - first;
        if (limbs == most || !hb_spec_digit_is_short(spec, first, limbs + 1)) {
            list.first[list.count++] = i;
        }
    }
    list.first[list.count] = data;
    return list;
}

/* Noise of a key is multiplied by a digit and divided by the special primes. */
static hb_status check_digits(const hb_params_spec *spec, uint32_t data)
{
    const hb_digit_list digits = hb_digit_list_of(spec);
    const hb_natural special = hb_params_primes_product(spec, data, spec->key_limbs - data);
    for (uint32_t j = 0; j < digits.count; j++) {
        const uint32_t first = digits.first[j], limbs = digits.first[j + 1] - first;
        const hb_natural digit = hb_params_primes_product(spec, first, limbs);
        if (hb_natural_compare(&digit, &special) > 0) {
            return HB_FAIL(HB_ECONFIG,
                           "the %" PRIu32 " primes of a digit of key switching from q_%" PRIu32 " on have %" PRIu32
                           " bits, the special primes only %" PRIu32
                           ": take digits of fewer primes, or more special ones",
                           limbs, first, hb_natural_bits(&digit), hb_natural_bits(&special));
        }
    }
    return HB_OK;
}

/* Checks several special primes, or primes of a digit. */
static hb_status check_switching(const hb_params_spec *spec)
{
    const uint32_t special = hb_spec_special_limbs(spec);
    if (hb_spec_switches_like_seal(spec) || special == spec->key_limbs) {
        return HB_OK;
    }
    if (special > spec->key_limbs) {
        return HB_FAIL(HB_ECONFIG, "of %" PRIu32 " primes %" PRIu32 " are special; at most %" PRIu32 " can be",
                       spec->key_limbs, special, spec->key_limbs - 1);
    }
    const uint32_t data = spec->key_limbs - special, digit = hb_spec_digit_limbs(spec);
    if (digit > data) {
        return HB_FAIL(HB_ECONFIG,
                       "%" PRIu32 " primes of a digit: there are %" PRIu32 " beside the special ones, so at "
                       "most these",
                       digit, data);
    }
    for (uint32_t i = data; special > 1 && i < spec->key_limbs; i++) {
        if (spec->primes[i] >> 32 == 0) {
            return refuse_prime(spec, i, "is one of several special ones and not above 2^32", (uint64_t)1 << 32);
        }
    }
    return check_digits(spec, data);
}

static hb_status check_secret(const hb_params_spec *spec)
{
    return spec->secret == HB_TERNARY
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "secret keys of distribution %d are not possible; the nearest that is: %d, ternary, as the "
                         "tables of security ask",
                         (int)spec->secret, (int)HB_TERNARY);
}

static hb_status check_owners(const hb_params_spec *spec)
{
    if (spec->joint.owners > HB_MOST_OWNERS) {
        return HB_FAIL(HB_ECONFIG, "keys of %" PRIu32 " owners; 2 to %d may have joint keys", spec->joint.owners,
                       HB_MOST_OWNERS);
    }
    return spec->scheme == HB_BFV || hb_spec_owners(spec) == 1
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "joint keys of CKKS: there are none, as the noise of every owner's part stays in "
                                     "the result; take BFV");
}

hb_status hb_params_check(const hb_params_spec *spec, hb_params_facts *facts)
{
    HB_TRY(check_secret(spec));
    HB_TRY(check_owners(spec));
    HB_TRY(check_primes(spec));
    HB_TRY(check_degree(spec->n));
    HB_TRY(check_security(spec, facts));
    HB_TRY(check_chain(spec));
    return check_switching(spec);
}
