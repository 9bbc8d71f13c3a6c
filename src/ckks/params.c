#include "params.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "bootstrapping/chain.h"
#include "presets.h"
#include "rlwe/params_build.h"

_Static_assert(HB_MAX_LIMBS + 2 <= HB_RING_MAX_MODULI, "a chain and two moduli beside it must fit a ring");

/* The prime for checks of the engines' operations on plaintexts of other schemes: any one shorter than the common
 * one. */
enum { CHECK_BITS = 40 };

static void begin_digest(hb_digest_state *state, const hb_params_spec *spec)
{
    hb_digest_begin(state, ""); /* no person: plain BLAKE2b */
    hb_digest_add_u64(state, HB_CKKS_SCHEME_TYPE);
    hb_digest_add_u64(state, spec->n);
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        hb_digest_add_u64(state, spec->primes[i]);
    }
    hb_digest_add_u64(state, 0); /* SEAL's plain modulus */
}

void hb_ckks_parms_id(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec)
{
    hb_digest_state state;
    begin_digest(&state, spec);
    hb_digest_end(&state, digest);
}

void hb_ckks_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec)
{
    hb_digest_state state;
    begin_digest(&state, spec);
    hb_digest_add_u64(&state, spec->ckks.scale_bits);
    hb_digest_add_u64(&state, spec->ckks.like_seal);
    hb_digest_add_u64(&state, hb_spec_special_limbs(spec));
    hb_digest_add_u64(&state, hb_spec_digit_limbs(spec));
    if (hb_spec_level_limbs(spec) > 1) {
        hb_digest_add_u64(&state, hb_spec_level_limbs(spec));
    }
    if (hb_spec_can_bootstrap(spec)) { /* four words: no other literal has as many */
        const hb_bootstrapping_spec *b = &spec->bootstrapping;
        hb_digest_add_u64(&state, b->eval_mod);
        hb_digest_add_u64(&state, b->stc_levels);
        hb_digest_add_u64(&state, b->cts_levels);
        hb_digest_add_u64(&state, b->sparse_weight);
    }
    hb_digest_end(&state, digest);
}

bool hb_ckks_params_same(const hb_params_spec *a, const hb_params_spec *b)
{
    return a->scheme == b->scheme && a->n == b->n && a->ckks.scale_bits == b->ckks.scale_bits &&
           a->ckks.like_seal == b->ckks.like_seal && a->secret == b->secret && a->key_limbs == b->key_limbs &&
           hb_spec_level_limbs(a) == hb_spec_level_limbs(b) && hb_spec_special_limbs(a) == hb_spec_special_limbs(b) &&
           hb_spec_digit_limbs(a) == hb_spec_digit_limbs(b) &&
           hb_bootstrapping_same(&a->bootstrapping, &b->bootstrapping) &&
           memcmp(a->primes, b->primes, a->key_limbs * sizeof a->primes[0]) == 0;
}

hb_exact_scale hb_ckks_scale(const hb_params *params, uint32_t limbs)
{
    const uint32_t own = hb_params_level_limbs(params);
    HB_ASSERT(limbs >= own && limbs <= params->fresh_limbs && limbs % own == 0);
    return hb_ckks_of(params)->scales[limbs / own - 1];
}

hb_exact_scale hb_ckks_divisor(const hb_params_spec *spec, uint32_t limbs)
{
    const uint32_t own = hb_spec_level_limbs(spec);
    HB_ASSERT(limbs >= own && own <= HB_CKKS_MOST_LEVEL_PRIMES);
    hb_exact_scale product = hb_exact_scale_of(1);
    for (uint32_t i = limbs - own; i < limbs; i++) { /* two of 61 bits at most: exact */
        product = hb_exact_scale_multiply(product, hb_exact_scale_of(spec->primes[i]));
    }
    return product;
}

bool hb_ckks_is_wide(const hb_params_spec *spec)
{
    return hb_spec_level_limbs(spec) > 1;
}

uint32_t hb_ckks_generator(const hb_params_spec *spec)
{
    return spec->ckks.like_seal ? 3 : 5;
}

/* Returns the primes on which ciphertexts live: all that are not special, or all where none would be left. */
static uint32_t data_limbs(const hb_params_spec *spec)
{
    const uint32_t data = hb_spec_data_limbs(spec);
    return data > 0 ? data : spec->key_limbs;
}

uint32_t hb_ckks_levels(const hb_params_spec *spec)
{
    const uint32_t all = data_limbs(spec) / hb_spec_level_limbs(spec),
                   own = hb_bootstrapping_own_levels(&spec->bootstrapping);
    return all > own ? all - own : 1;
}

/* Returns log2 of the largest scale that leaves values some room at a level like SEAL's. */
static double room_bits(const hb_params_spec *spec, uint32_t level)
{
    double bits = -4;
    for (uint32_t i = 0; i <= level; i++) {
        bits += log2((double)spec->primes[i]);
    }
    return bits;
}

/* Returns SEAL's scale of a product of two ciphertexts of that scale, divided by q. */
static double rescaled(double scale, uint64_t q)
{
    return scale * scale / (double)q;
}

static bool is_tracked(const hb_params_spec *spec, uint32_t level, double scale)
{
    const double bits = log2(scale);
    return bits >= HB_CKKS_LEAST_TRACKED_BITS && bits <= HB_CKKS_MOST_TRACKED_BITS && bits <= room_bits(spec, level);
}

/* From the level whose scale is known, down and up. */
static void seal_scales(double scales[HB_MAX_LIMBS], const hb_params_spec *spec, uint32_t levels)
{
    const hb_ckks_spec *own = &spec->ckks;
    const bool stated = own->stated_limbs >= 1 && own->stated_limbs <= levels && own->stated_scale > 0;
    const uint32_t from = stated ? own->stated_limbs - 1 : levels - 1;
    scales[from] = stated ? own->stated_scale : ldexp(1, (int)own->scale_bits);
    for (uint32_t l = from; l-- > 0;) {
        const double next = rescaled(scales[l + 1], spec->primes[l + 1]);
        const double usual = floor(fmax(0, fmin(own->scale_bits, room_bits(spec, l))));
        scales[l] = is_tracked(spec, l, next) ? next : ldexp(1, (int)usual);
    }
    for (uint32_t l = from + 1; l < levels; l++) {
        scales[l] = sqrt(scales[l - 1] * (double)spec->primes[l]);
    }
}

uint32_t hb_ckks_scales(hb_exact_scale scales[HB_MAX_LIMBS], const hb_params_spec *spec)
{
    const uint32_t own = hb_spec_level_limbs(spec), levels = hb_ckks_levels(spec);
    /* The noise of integers keeps its scale through the maps to coefficients. */
    const bool integers = hb_bootstrapping_of_integers(&spec->bootstrapping);
    const uint32_t same = integers ? hb_bootstrapping_levels_of(spec).out : 0;
    if (spec->ckks.like_seal) {
        double doubles[HB_MAX_LIMBS];
        seal_scales(doubles, spec, levels);
        for (uint32_t l = 0; l < levels; l++) {
            scales[l] = hb_exact_scale_of_double(doubles[l]);
        }
        return levels;
    }
    scales[0] = hb_exact_scale_power_of_two((int32_t)spec->ckks.scale_bits);
    for (uint32_t l = 1; l < levels; l++) {
        scales[l] =
            l <= same ? scales[0] : hb_exact_scale_sqrt_product(scales[l - 1], hb_ckks_divisor(spec, (l + 1) * own));
    }
    return levels;
}

/* Up to the rounding of doubles. */
bool hb_ckks_products_go_down(const hb_params_spec *spec, uint32_t limbs)
{
    double scales[HB_MAX_LIMBS];
    const uint32_t levels = hb_ckks_levels(spec), level = limbs / hb_spec_level_limbs(spec);
    if (level < 2 || level > levels || !spec->ckks.like_seal) {
        return level >= 2 && level <= levels;
    }
    seal_scales(scales, spec, levels);
    return fabs(rescaled(scales[level - 1], spec->primes[level - 1]) / scales[level - 2] - 1) <= HB_SAME_SCALE;
}

/* Checks that levels own one prime or two, and that there are as many as whole levels have. */
static hb_status check_level_primes(const hb_params_spec *spec)
{
    const uint32_t own = hb_spec_level_limbs(spec), data = data_limbs(spec);
    if (own > HB_CKKS_MOST_LEVEL_PRIMES || (own > 1 && spec->ckks.like_seal)) {
        return HB_FAIL(HB_ECONFIG, "levels of %" PRIu32 " primes: they have one, or %s", own,
                       spec->ckks.like_seal ? "in Microsoft SEAL's family no other number" : "two");
    }
    return data % own == 0 ? HB_OK
                           : HB_FAIL(HB_ECONFIG,
                                     "%" PRIu32 " primes beside the special ones cannot be levels of %" PRIu32
                                     " each: take one more or one fewer",
                                     data, own);
}

/* Checks that the scale has a size at all, and leaves room in the primes of the lowest level, where the last values of
 * a computation are. */
static hb_status check_scale(const hb_params_spec *spec)
{
    const uint32_t bits = spec->ckks.scale_bits, own = hb_spec_level_limbs(spec);
    const uint32_t least = own > 1 ? HB_CKKS_LEAST_WIDE_SCALE_BITS : HB_CKKS_LEAST_SCALE_BITS,
                   most = own > 1 ? HB_CKKS_MOST_WIDE_SCALE_BITS : HB_CKKS_MOST_SCALE_BITS;
    if (bits < least || bits > most) {
        return HB_FAIL(HB_ECONFIG,
                       "a scale of 2^%" PRIu32 " is outside 2^%" PRIu32 " to 2^%" PRIu32
                       ", which levels of %s have; the nearest that is not: 2^%" PRIu32,
                       bits, least, most, own > 1 ? "two primes" : "one prime", bits < least ? least : most);
    }
    if (spec->ckks.like_seal) {
        return room_bits(spec, hb_ckks_levels(spec) - 1) >= bits
                   ? HB_OK
                   : HB_FAIL(HB_ECONFIG,
                             "a scale of 2^%" PRIu32
                             " and values fill more than the primes that fresh ciphertexts have, "
                             "of %.0f bits together: take a scale of 2^%.0f or less",
                             bits, room_bits(spec, hb_ckks_levels(spec) - 1) + 4,
                             floor(room_bits(spec, hb_ckks_levels(spec) - 1)));
    }
    const hb_natural lowest = hb_params_primes_product(spec, 0, own);
    if (hb_natural_bits(&lowest) <= bits + 1) { /* below twice the scale */
        return HB_FAIL(HB_ECONFIG,
                       "the first prime%s, q_0 = %" PRIu64 "%s, %s not twice the scale 2^%" PRIu32
                       ", so results could not even be 1: take %s of more than %" PRIu32 " bits",
                       own > 1 ? "s" : "", spec->primes[0], own > 1 ? " and the next" : "",
                       own > 1 ? "have a product that is" : "is", bits, own > 1 ? "a product" : "a q_0", bits + 1);
    }
    return HB_OK;
}

/* Checks that the divisors of products are near the scale, so that the scales of levels are. */
static hb_status check_levels(const hb_params_spec *spec)
{
    const uint32_t bits = spec->ckks.scale_bits, own = hb_spec_level_limbs(spec);
    for (uint32_t i = own; i < own * hb_ckks_levels(spec); i += own) {
        const hb_natural divisor = hb_params_primes_product(spec, i, own);
        /* 2^(bits - 1) < divisor < 2^(bits + 1), which is no power of two */
        if (hb_natural_bits(&divisor) == bits || hb_natural_bits(&divisor) == bits + 1) {
            continue;
        }
        const uint64_t q = spec->primes[i];
        if (own > 1) {
            return HB_FAIL(HB_ECONFIG,
                           "primes q_%" PRIu32 " = %" PRIu64 " and q_%" PRIu32 " = %" PRIu64
                           " divide products, and theirs, of %" PRIu32
                           " bits, is not between half and twice the scale 2^%" PRIu32 ": take primes near 2^%.1f",
                           i, q, i + 1, spec->primes[i + 1], hb_natural_bits(&divisor), bits, bits / 2.0);
        }
        const uint64_t scale = (uint64_t)1 << bits;
        return HB_FAIL(HB_ECONFIG,
                       "prime q_%" PRIu32 " = %" PRIu64 " divides products and is not between half and twice the "
                       "scale 2^%" PRIu32 "; the nearest that is: %" PRIu64,
                       i, q, bits,
                       hb_params_nearest_prime(spec, q, 2 * (uint64_t)spec->n, scale / 2 + 1, 2 * scale - 1));
    }
    return HB_OK;
}

/* Checks the sizes of primes of our own family: all go the FP64 path, and primes that are dropped together are above
 * 2^32 (ring/mod_down.h). */
static hb_status check_sizes(const hb_params_spec *spec)
{
    const uint64_t end = (uint64_t)1 << HB_CKKS_PRIME_BITS, least = ((uint64_t)1 << 32) + 1;
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        const uint64_t q = spec->primes[i];
        if (q >= end || q < least) {
            return HB_FAIL(
                HB_ECONFIG,
                "prime q_%" PRIu32 " = %" PRIu64 " is not between 2^32 and 2^%d; the nearest that is: %" PRIu64, i, q,
                HB_CKKS_PRIME_BITS, hb_params_nearest_prime(spec, q, 2 * (uint64_t)spec->n, least, end - 1));
        }
    }
    return HB_OK;
}

/* Checks the digits. One special prime below 2^50 cannot be so much longer than q_0: there the noise of a switch is
 * about that of two more bits of rounding, which bootstrapping has no room for. */
static hb_status check_digits(const hb_params_spec *spec, const hb_digit_list *digits)
{
    const uint32_t data = hb_spec_data_limbs(spec);
    const bool longer = hb_spec_special_limbs(spec) > 1 || hb_spec_can_bootstrap(spec);
    for (uint32_t j = 0; longer && j < digits->count; j++) {
        const uint32_t first = digits->first[j], limbs = digits->first[j + 1] - first;
        if (!hb_spec_digit_is_short(spec, first, limbs)) {
            const hb_natural digit = hb_params_primes_product(spec, first, limbs),
                             special = hb_params_primes_product(spec, data, spec->key_limbs - data);
            return HB_FAIL(HB_ECONFIG,
                           "the primes of a digit of key switching from q_%" PRIu32 " on have %" PRIu32
                           " bits, the special primes %" PRIu32
                           ", which must be %d more: take shorter primes, digits of fewer, or more special ones",
                           first, hb_natural_bits(&digit), hb_natural_bits(&special), HB_DIGIT_SPARE_BITS);
        }
    }
    return HB_OK;
}

hb_status hb_ckks_check_digits(const hb_params_spec *spec)
{
    const hb_digit_list digits = hb_digit_list_even(hb_spec_data_limbs(spec), hb_spec_digit_limbs(spec));
    return check_digits(spec, &digits);
}

/* Checks that keys are switched as SEAL does it, in one special prime. */
static hb_status check_like_seal(const hb_params_spec *spec)
{
    return hb_spec_special_limbs(spec) == 1 && hb_spec_digit_limbs(spec) == 1
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "Microsoft SEAL's CKKS has one special prime and digits of one prime, not %" PRIu32
                         " and %" PRIu32,
                         hb_spec_special_limbs(spec), hb_spec_digit_limbs(spec));
}

static hb_status check(const hb_params_spec *spec, hb_params_facts *facts)
{
    HB_TRY(check_level_primes(spec));
    HB_TRY(check_scale(spec));
    HB_TRY(hb_bootstrapping_check(spec, facts));
    if (spec->ckks.like_seal) {
        return check_like_seal(spec);
    }
    HB_TRY(check_levels(spec));
    HB_TRY(check_sizes(spec));
    const hb_digit_list digits = hb_digit_list_of(spec);
    return check_digits(spec, &digits);
}

/* Adds the moduli beside the chain: one longer than any prime of it, and one that is none of it. */
static hb_status add_moduli(hb_ckks_params *p)
{
    hb_params *rlwe = &p->rlwe;
    uint64_t longest, shorter[HB_MAX_LIMBS + 1];
    HB_TRY(hb_find_primes(2 * rlwe->spec.n, HB_MODULUS_MAX_BITS, 1, &longest));
    HB_TRY(hb_ring_add_modulus(&rlwe->ring, longest, &rlwe->common_id));
    HB_TRY(hb_find_primes(2 * rlwe->spec.n, CHECK_BITS, rlwe->key_limbs + 1, shorter));
    uint32_t i = 0;
    while (hb_params_in_chain(&rlwe->spec, shorter[i])) { /* ends: there is one more than the chain has */
        i++;
    }
    return hb_ring_add_modulus(&rlwe->ring, shorter[i], &p->check_id);
}

/* Levels, scales and key switching, once the ring is there. */
static hb_status fill(hb_ckks_params *p)
{
    hb_natural one;
    hb_natural_set(&one, 1);
    HB_TRY(hb_params_init_levels(&p->rlwe, &one));
    p->rlwe.form = HB_NTT_FORM;
    /* One special prime is enough to leave the noise of one rounding. */
    p->rlwe.fresh_special = p->rlwe.special_limbs > 0;
    p->rlwe.fresh_limbs = hb_ckks_scales(p->scales, &p->rlwe.spec) * hb_spec_level_limbs(&p->rlwe.spec);
    return hb_params_init_switching(&p->rlwe);
}

static hb_status make(const hb_params_spec *spec, const hb_params_facts *facts, hb_params **out)
{
    hb_status st;
    hb_ckks_params *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a parameter set");
    }
    HB_GOTO(hb_params_init(&p->rlwe, spec, facts));
    hb_ckks_params_digest(p->rlwe.digest, &p->rlwe.spec);
    hb_params_make_name(&p->rlwe, hb_ckks_preset, hb_ckks_params_same);
    HB_GOTO(add_moduli(p));
    HB_GOTO(fill(p));
    *out = &p->rlwe;
    return HB_OK;
done:
    hb_ckks_params_close(&p->rlwe);
    return st;
}

hb_status hb_ckks_params_open(const hb_params_spec *spec, hb_params **out)
{
    hb_params_facts facts;
    *out = NULL;
    HB_TRY(hb_params_check(spec, &facts));
    HB_TRY(check(spec, &facts));
    return make(spec, &facts, out);
}

void hb_ckks_params_close(hb_params *params)
{
    if (params != NULL) {
        hb_params_clear(params);
        free((hb_ckks_params *)params);
    }
}

/* The literal of the reals. */
static hb_params_spec reals_of(const hb_params_spec *integers)
{
    hb_params_spec spec = *integers;
    spec.scheme = HB_CKKS;
    spec.bfv = (hb_bfv_spec){.plain = 0};
    spec.ckks = (hb_ckks_spec){.scale_bits = integers->bootstrapping.scale_bits, .level_primes = 1};
    return spec;
}

hb_status hb_ckks_params_of_integers(const hb_params *integers, hb_params **out)
{
    *out = NULL;
    if (!hb_params_can_bootstrap(integers) || !hb_bootstrapping_of_integers(&integers->spec.bootstrapping)) {
        return HB_FAIL(HB_ECONFIG, "parameters %s have no levels for bootstrapping integers", integers->name);
    }
    hb_ckks_params *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a parameter set");
    }
    hb_params *rlwe = &p->rlwe;
    rlwe->spec = reals_of(&integers->spec);
    snprintf(rlwe->name, sizeof rlwe->name, "%s", integers->name);
    rlwe->ring = integers->ring; /* moduli keep their ids: an engine on the one serves the other */
    rlwe->key_limbs = integers->key_limbs;
    memcpy(rlwe->ids, integers->ids, sizeof rlwe->ids);
    rlwe->chain_bits = integers->chain_bits;
    rlwe->key_shape = integers->key_shape;
    rlwe->common_id = p->check_id = integers->common_id;
    const hb_status st = fill(p);
    if (st != HB_OK) {
        hb_ckks_params_close(rlwe);
        return st;
    }
    rlwe->map = integers->map;
    rlwe->division = integers->division;
    *out = rlwe;
    return HB_OK;
}
