/* The named parameter sets, for 128 bits of security against classical attacks. They are data, which
 * hb_ckks_params_open checks like a user's.
 *
 * ckks-...: by the table of 2024; hb_ckks_find_chain makes the same. Their four digits balance the size of keys with
 * the primes that only keys have.
 *
 * boot-...: with bootstrapping, by the same table and rule. boot-test has the chain of boot-16 in a ring that is much
 * too small for it: it is for tests, and nothing is secret under it.
 *
 * seal-ckks-...: chains as users of Microsoft SEAL write them, by the table of 2018: the result of its
 * CoeffModulus::Create for 60 bits, as many times 40 as there is room for in the table (at N = 8192 and 16384 as in its
 * examples), and 60; scale 2^40. */
#include "presets.h"

#include <inttypes.h>
#include <string.h>

#include "bootstrapping/chain.h"
#include "bootstrapping/chain_primes.h"
#include "bootstrapping/eval_mod.h"
#include "rlwe/params_build.h"

#define BOOTSTRAP_PRIMES                                                                                        \
    0x3ffffffd20001, 0x10000140001, 0xffffe80001, 0xffffc40001, 0x100003e0001, 0xffffb20001, 0x10000500001,     \
        0xffff940001, 0xffff8a0001, 0xffff820001, 0xffff780001, 0x10000960001, 0x10000a40001, 0xffff580001,     \
        0x10000b60001, 0xffff480001, 0xffff420001, 0xffff340001, 0x10000ce0001, 0x10000de0001, 0x3ff4a5b8e0001, \
        0x3ff4a5b8a0001, 0x3ff4a5b820001, 0x3ff4a5b720001, 0x3ff4a5b6c0001, 0x3ff4a5b3c0001, 0x3ff4a5b360001,   \
        0x3ff4a5b0a0001, 0x1000000720001, 0xffffff6a0001, 0x1000000ba0001, 0xfffffffa0001, 0xfffffff00001,      \
        0x10000001a0001, 0x10000001e0001, 0xffffffde0001, 0x1000000320001, 0x1000000380001, 0x1000000500001

/* A level of users more. Scales that fall, 2^47.1, 2^44.6 and 2^42.1, do for the maps to slots: diagonals of the later
 * ones repeat, so that fewer of their coefficients are rounded. Doublings of the angle do with 49 bits. And digits end
 * where the special primes are just 2^6 times as long: 8, 9, 8 and 7 primes. The first special prime is longer, as keys
 * to the sparse secret have no other.
 * 50 + 20 x 40 + 3 x 49 + 5 x 50 + 42 + 45 + 47 + 48 + 7 x 45.4 bits, product 1747. */
#define DEEPER_PRIMES                                                                                         \
    0x3ffffffd20001, 0x10000140001, 0xffffe80001, 0xffffc40001, 0x100003e0001, 0xffffb20001, 0x10000500001,   \
        0xffff940001, 0xffff8a0001, 0xffff820001, 0xffff780001, 0x10000960001, 0x10000a40001, 0xffff580001,   \
        0x10000b60001, 0xffff480001, 0xffff420001, 0xffff340001, 0x10000ce0001, 0x10000de0001, 0x100010a0001, \
        0x20000001a0001, 0x20000005e0001, 0x2000000860001, 0x3ff4a5b8e0001, 0x3ff4a5b8a0001, 0x3ff4a5b820001, \
        0x3ff4a5b720001, 0x3ff4a5b6c0001, 0x4497ef80001, 0x184060180001, 0x892fdf760001, 0xfffffffa0001,      \
        0x2b3cb6c00001, 0x2b3cb6d80001, 0x2b3cb68e0001, 0x2b3cb6880001, 0x2b3cb6820001, 0x2b3cb7180001, 0x2b3cb71a0001

/* Coefficients become slots on three levels, and EvalMod has eight in each of its forms, so that all have one chain:
 * 50 + 19 x 40 + 8 x 50 + 3 x 48 + 8 x 48 bits, product 1738. Slots become coefficients on the lowest two or three of
 * the levels of 40 bits: there are few limbs there, so that wider maps cost little beside a level. */
#define BOOTSTRAP_LITERAL(degree, form, stc, unsafe)                                                         \
    {                                                                                                        \
        .scheme = HB_CKKS, .n = (degree), .key_limbs = 39, .primes = {BOOTSTRAP_PRIMES}, .special_limbs = 8, \
        .digit_limbs = 8, .security = {.level = 128, .table = HB_SECURITY_2024}, .insecure = (unsafe),       \
        .bootstrapping = {.eval_mod = (form),                                                                \
                          .stc_levels = (stc),                                                               \
                          .cts_levels = 3,                                                                   \
                          .sparse_weight = HB_SPARSE_WEIGHT},                                                \
        .ckks = {                                                                                            \
            .scale_bits = 40,                                                                                \
            .level_primes = 1                                                                                \
        }                                                                                                    \
    }

static const hb_preset presets[] = {
    {"ckks-13",
     {.scheme = HB_CKKS,
      .n = 8192, /* 50 + 3 x 38 + 50 bits, product 214 */
      .key_limbs = 5,
      .primes = {0x3ffffffb80001, 0x3fffe80001, 0x4000300001, 0x3fffb80001, 0x3ffffffd20001},
      .special_limbs = 1,
      .digit_limbs = 1,
      .ckks.scale_bits = 38,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"ckks-14",
     {.scheme = HB_CKKS,
      .n = 16384, /* 50 + 7 x 40 + 2 x 50 bits, product 430 */
      .key_limbs = 10,
      .primes = {0x3fffffed60001, 0x10000140001, 0xffffe80001, 0xffffc40001, 0x100003e0001, 0xffffb20001, 0x10000500001,
                 0xffff940001, 0x3ffffffd20001, 0x3ffffffb80001},
      .special_limbs = 2,
      .digit_limbs = 2,
      .ckks.scale_bits = 40,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"ckks-15",
     {.scheme = HB_CKKS,
      .n = 32768, /* 50 + 15 x 41 + 4 x 50 bits, product 865 */
      .key_limbs = 20,
      .primes = {0x3fffffebe0001, 0x1ffffea0001,   0x1ffffd80001,   0x1ffffb60001,   0x20000560001,
                 0x20000680001,   0x1ffff960001,   0x200007c0001,   0x20000820001,   0x200008c0001,
                 0x20000920001,   0x1ffff680001,   0x20000aa0001,   0x1ffff380001,   0x1ffff140001,
                 0x1fffefc0001,   0x3ffffffd20001, 0x3ffffffb80001, 0x3fffffed60001, 0x3fffffec80001},
      .special_limbs = 4,
      .digit_limbs = 4,
      .ckks.scale_bits = 41,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"ckks-16",
     {.scheme = HB_CKKS,
      .n = 65536, /* 50 + 28 x 46 + 8 x 50 bits, product 1739: hardly above 2^1738 */
      .key_limbs = 37,
      .primes = {0x3fffffe9a0001, 0x400000060001,  0x400000080001,  0x4000000c0001,  0x400000180001,  0x3fffffcc0001,
                 0x400000420001,  0x400000440001,  0x3fffffb20001,  0x3fffffa80001,  0x400000660001,  0x3fffff960001,
                 0x3fffff8e0001,  0x400000920001,  0x4000009e0001,  0x400000a40001,  0x3fffff520001,  0x400000b60001,
                 0x400000ce0001,  0x400000e40001,  0x400000f80001,  0x4000010a0001,  0x400001320001,  0x400001380001,
                 0x3ffffec20001,  0x400001500001,  0x3ffffeaa0001,  0x3ffffe940001,  0x4000017a0001,  0x3ffffffd20001,
                 0x3ffffffb80001, 0x3fffffed60001, 0x3fffffec80001, 0x3fffffebe0001, 0x3fffffea60001, 0x3fffffea40001,
                 0x3fffffe9e0001},
      .special_limbs = 8,
      .digit_limbs = 8,
      .ckks.scale_bits = 46,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"boot-16", BOOTSTRAP_LITERAL(65536, HB_EVAL_MOD_CUBIC, 3, false)},
    {"boot-16-sure", BOOTSTRAP_LITERAL(65536, HB_EVAL_MOD_SURE, 3, false)},
    {"boot-16-light", BOOTSTRAP_LITERAL(65536, HB_EVAL_MOD_LIGHT, 3, false)},
    {"boot-16-fine", BOOTSTRAP_LITERAL(65536, HB_EVAL_MOD_FINE, 3, false)},
    {"boot-16-deep", BOOTSTRAP_LITERAL(65536, HB_EVAL_MOD_CUBIC, 2, false)},
    {"boot-16-deeper",
     {.scheme = HB_CKKS,
      .n = 65536,
      .key_limbs = 40,
      .primes = {DEEPER_PRIMES},
      .special_limbs = 8,
      .digit_limbs = 9,
      .security = {.level = 128, .table = HB_SECURITY_2024},
      .bootstrapping =
          {.eval_mod = HB_EVAL_MOD_CUBIC, .stc_levels = 2, .cts_levels = 3, .sparse_weight = HB_SPARSE_WEIGHT},
      .ckks = {.scale_bits = 40, .level_primes = 1}}},
    {"boot-test", BOOTSTRAP_LITERAL(1024, HB_EVAL_MOD_CUBIC, 3, true)},
    {"seal-ckks-8192",
     {.scheme = HB_CKKS,
      .n = 8192, /* 60 + 2 x 40 + 60 bits, product 200 */
      .key_limbs = 4,
      .primes = {0xffffffffffe8001, 0xfffff4c001, 0xfffffdc001, 0xfffffffffffc001},
      .ckks = {.scale_bits = 40, .like_seal = true},
      .security = {.level = 128}}},
    {"seal-ckks-16384",
     {.scheme = HB_CKKS,
      .n = 16384, /* 60 + 7 x 40 + 60 bits, product 400 */
      .key_limbs = 9,
      .primes = {0xffffffffffd8001, 0xffff940001, 0xffffa78001, 0xffffaf8001, 0xffffb20001, 0xffffc40001, 0xffffca8001,
                 0xffffe80001, 0xffffffffffe8001},
      .ckks = {.scale_bits = 40, .like_seal = true},
      .security = {.level = 128}}},
    {"seal-ckks-32768",
     {.scheme = HB_CKKS,
      .n = 32768, /* 60 + 19 x 40 + 60 bits, product 880 */
      .key_limbs = 21,
      .primes = {0xfffffffff840001, 0xfffed10001, 0xfffee90001,     0xffff2d0001, 0xffff340001, 0xffff420001,
                 0xffff480001,      0xffff4b0001, 0xffff550001,     0xffff580001, 0xffff5b0001, 0xffff690001,
                 0xffff750001,      0xffff780001, 0xffff820001,     0xffff8a0001, 0xffff940001, 0xffffb20001,
                 0xffffc40001,      0xffffe80001, 0xffffffffffc0001},
      .ckks = {.scale_bits = 40, .like_seal = true},
      .security = {.level = 128}}},
};

bool hb_ckks_preset(size_t i, const char **name, hb_params_spec *spec)
{
    return hb_preset_get(presets, sizeof presets / sizeof *presets, i, name, spec);
}

static const uint64_t end = (uint64_t)1 << HB_CKKS_PRIME_BITS;

enum {
    LEAST_PRIME_BITS = 33,
    MOST_NARROW_BITS = HB_CKKS_PRIME_BITS - 2,
    DIGITS = 4,         /* as the presets have */
    DIGIT_SPARE = 7,    /* bits of the special primes above a digit, whose primes may be a bit longer */
    ROOM_BITS = 3,      /* of the lowest level above the scale ... */
    LEAST_ROOM_BITS = 2 /* ... where there are none with more */
};

/* For bootstrapping: special primes and those of the maps from coefficients are near MAP_PRIME; EvalMod's, in which
 * values modulo q_0 have their full size, are below 2^49.999, so that q_0 is longer than any. */
static const uint64_t MAP_PRIME = (uint64_t)1 << 48, EVAL_MOD_PRIME = 0x3ff4a5bcc3825;
enum { MAPS = 3 };

hb_bootstrapping_spec hb_ckks_bootstrapping(hb_eval_mod eval_mod)
{
    return eval_mod == HB_EVAL_MOD_NONE
               ? (hb_bootstrapping_spec){.eval_mod = eval_mod}
               : (hb_bootstrapping_spec){
                     .eval_mod = eval_mod, .stc_levels = MAPS, .cts_levels = MAPS, .sparse_weight = HB_SPARSE_WEIGHT};
}

uint32_t hb_ckks_level_primes(uint32_t scale_bits)
{
    return scale_bits > HB_CKKS_MOST_SCALE_BITS ? 2 : 1;
}

/* Returns the longest primes of the lowest level that a digit may hold. */
static uint32_t first_bits_of(uint32_t scale_bits, uint32_t special_limbs)
{
    const uint32_t all = HB_CKKS_PRIME_BITS * special_limbs;
    if (hb_ckks_level_primes(scale_bits) == 1 || special_limbs < 2 || scale_bits > HB_CKKS_MOST_WIDE_SCALE_BITS) {
        return HB_CKKS_PRIME_BITS;
    }
    /* Two primes of the lowest level and others near the root of the scale make the first digit. */
    const uint32_t others = ((special_limbs - 2) * scale_bits + 1) / 2 + DIGIT_SPARE, half = (all - others) / 2;
    return half < HB_CKKS_PRIME_BITS ? half : HB_CKKS_PRIME_BITS;
}

uint32_t hb_ckks_special_limbs(uint32_t scale_bits, uint32_t levels)
{
    const uint64_t own = hb_ckks_level_primes(scale_bits), data = own * ((uint64_t)levels + 1);
    uint64_t special = (data - 1) / DIGITS + 1;
    if (own == 1 || special > HB_MAX_LIMBS) {
        return special < UINT32_MAX ? (uint32_t)special : UINT32_MAX;
    }
    /* Values have some room above the scale, and digits are shorter than the special primes. */
    while (special > 1 && special < HB_MAX_LIMBS &&
           (2 * first_bits_of(scale_bits, (uint32_t)special) < scale_bits + ROOM_BITS ||
            special * scale_bits / 2 + DIGIT_SPARE > special * HB_CKKS_PRIME_BITS)) {
        special++;
    }
    return (uint32_t)special;
}

/* Checks that bootstrapping leaves levels, and that the primes of its maps, near MAP_PRIME, are above the scale. */
static hb_status check_bootstrapping(const hb_bootstrapping_spec *bootstraps, const hb_ckks_chain *chain)
{
    if (bootstraps->eval_mod == HB_EVAL_MOD_NONE) {
        return HB_OK;
    }
    const uint32_t least =
        bootstraps->stc_levels + 1 + hb_eval_mod_correction_levels(hb_eval_mod_form_of(bootstraps->eval_mod));
    if (chain->levels < least) {
        return HB_FAIL(HB_ECONFIG,
                       "%" PRIu32
                       " levels: bootstrapping of this form leaves none of them to compute on; it takes %" PRIu32
                       " or more",
                       chain->levels, least);
    }
    const uint64_t scale = chain->scale_bits < 64 ? (uint64_t)1 << chain->scale_bits : UINT64_MAX;
    return scale < MAP_PRIME ? HB_OK
                             : HB_FAIL(HB_ECONFIG, "a scale of %" PRIu32 " bits; with bootstrapping it has %d to %d",
                                       chain->scale_bits, LEAST_PRIME_BITS, MOST_NARROW_BITS - 1);
}

static hb_status check(const hb_params_spec *spec, const hb_ckks_chain *chain)
{
    const uint32_t own = hb_ckks_level_primes(chain->scale_bits);
    const hb_bootstrapping_spec *bootstraps = &spec->bootstrapping;
    const uint64_t levels = chain->levels + (uint64_t)hb_bootstrapping_own_levels(bootstraps),
                   limbs = own * (1 + levels) + chain->special_limbs;
    if (spec->n < (size_t)1 << HB_MIN_LOG_N || spec->n > (size_t)1 << HB_RING_MAX_LOG_N) {
        return HB_FAIL(HB_ECONFIG, "the degree N = %zu is not from 2^%d to 2^%d", spec->n, HB_MIN_LOG_N,
                       HB_RING_MAX_LOG_N);
    }
    if (chain->special_limbs < 1 || limbs > HB_MAX_LIMBS) {
        return HB_FAIL(HB_ECONFIG,
                       "a chain has one special prime or more, and %d primes at most; %" PRIu64 " levels and %" PRIu32
                       " special primes make %" PRIu64,
                       HB_MAX_LIMBS, levels, chain->special_limbs, limbs);
    }
    if (chain->first_bits < LEAST_PRIME_BITS || chain->first_bits > HB_CKKS_PRIME_BITS) {
        return HB_FAIL(HB_ECONFIG, "q_0 of %" PRIu32 " bits; it has %d to %d", chain->first_bits, LEAST_PRIME_BITS,
                       HB_CKKS_PRIME_BITS);
    }
    HB_TRY(check_bootstrapping(bootstraps, chain));
    /* Primes are above 2^32, those nearest to the scale as well, and the first is twice that. */
    const uint32_t least = chain->levels > 0 ? LEAST_PRIME_BITS : HB_CKKS_LEAST_SCALE_BITS;
    const bool narrow = chain->scale_bits >= least && chain->scale_bits <= MOST_NARROW_BITS,
               wide = chain->scale_bits >= HB_CKKS_LEAST_WIDE_SCALE_BITS &&
                      chain->scale_bits <= HB_CKKS_MOST_WIDE_SCALE_BITS;
    return narrow || wide
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "a scale of %" PRIu32 " bits; it has %" PRIu32 " to %d, or with two primes a level %d to %d",
                         chain->scale_bits, least, MOST_NARROW_BITS, HB_CKKS_LEAST_WIDE_SCALE_BITS,
                         HB_CKKS_MOST_WIDE_SCALE_BITS);
}

/* Returns the number that the primes of a level are nearest to: the scale, or its root. */
static uint64_t target_of(uint32_t scale_bits, uint32_t own)
{
    const hb_exact_scale one = hb_exact_scale_of(1);
    return own == 1 ? (uint64_t)1 << scale_bits
                    : (uint64_t)hb_exact_scale_double(
                          hb_exact_scale_sqrt_product(hb_exact_scale_power_of_two((int32_t)scale_bits), one));
}

hb_status hb_ckks_find_chain(hb_params_spec *spec, const hb_ckks_chain *chain)
{
    HB_TRY(check(spec, chain));
    const uint64_t step = hb_prime_run_step(spec->n);
    const uint32_t own = hb_ckks_level_primes(chain->scale_bits);
    const uint64_t target = target_of(chain->scale_bits, own);
    const hb_bootstrapping_spec *bootstraps = &spec->bootstrapping;
    const bool none = bootstraps->eval_mod == HB_EVAL_MOD_NONE;
    const hb_prime_run special = none ? hb_prime_run_longest(HB_CKKS_PRIME_BITS, chain->special_limbs)
                                      : (hb_prime_run){MAP_PRIME, end - 1, chain->special_limbs},
                       others[] = {hb_prime_run_longest(chain->first_bits, own),
                                   {target, end - 1, own * chain->levels},
                                   {EVAL_MOD_PRIME, EVAL_MOD_PRIME,
                                    hb_bootstrapping_own_levels(bootstraps) - bootstraps->cts_levels},
                                   {MAP_PRIME, end - 1, bootstraps->cts_levels}};
    hb_params_spec found = *spec, last = {0}, taken = {0};
    found.key_limbs = 0;
    HB_TRY(hb_prime_run_take(&last, &taken, step, special)); /* they are chosen first and stand at the end */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        HB_TRY(hb_prime_run_take(&found, &taken, step, others[i]));
    }
    memcpy(found.primes + found.key_limbs, last.primes, last.key_limbs * sizeof *last.primes);
    found.key_limbs += last.key_limbs;
    found.scheme = HB_CKKS;
    found.special_limbs = chain->special_limbs;
    found.digit_limbs = 0;
    found.digit_limbs = hb_spec_digit_limbs(&found);
    found.ckks = (hb_ckks_spec){.scale_bits = chain->scale_bits, .level_primes = own};
    *spec = found;
    return HB_OK;
}

/* Makes digits as long as special primes allow: primes of EvalMod are longer than these, and a digit of as many may be
 * one too long. A chain without any stays as it is: opening it refuses it with the reason. */
static void fit_digits(hb_params_spec *spec)
{
    hb_params_spec trial = *spec;
    for (; trial.digit_limbs > 0; trial.digit_limbs--) {
        if (hb_ckks_check_digits(&trial) == HB_OK) {
            spec->digit_limbs = trial.digit_limbs;
            return;
        }
    }
}

/* Finds the chain with these special primes, and the longest primes of the lowest level of which digits can be made,
 * with that many bits above the scale. *found false where there are none. */
static hb_status find_with(hb_params_spec *spec, hb_ckks_chain chain, uint32_t room, bool *found)
{
    const uint32_t own = hb_ckks_level_primes(chain.scale_bits);
    const bool first_given = chain.first_bits > 0;
    chain.first_bits = first_given ? chain.first_bits : first_bits_of(chain.scale_bits, chain.special_limbs);
    room = room > own * HB_CKKS_PRIME_BITS - chain.scale_bits ? LEAST_ROOM_BITS : room;
    *found = false;
    /* A given length is not changed: opening the parameters refuses it with the reason. The same holds for
     * bootstrapping, which has a rule. */
    const bool as_is = first_given || spec->bootstrapping.eval_mod != HB_EVAL_MOD_NONE;
    for (bool first = true; first || (!*found && own * chain.first_bits >= chain.scale_bits + room); first = false) {
        hb_params_spec trial = *spec;
        HB_TRY(hb_ckks_find_chain(&trial, &chain));
        if (hb_spec_can_bootstrap(&trial)) {
            fit_digits(&trial);
        }
        *found = as_is || (own * chain.first_bits >= chain.scale_bits + room && hb_ckks_check_digits(&trial) == HB_OK);
        if (*found) {
            *spec = trial;
        }
        chain.first_bits--;
    }
    return HB_OK;
}

/* For special primes that were asked for there is no chain: says how many there can be. */
static hb_status fail_special(const hb_params_spec *spec, const hb_ckks_chain *chain)
{
    hb_ckks_chain other = *chain;
    bool found = false;
    for (other.special_limbs = 2; !found && other.special_limbs < HB_MAX_LIMBS;) {
        hb_params_spec trial = *spec;
        other.special_limbs++;
        if (find_with(&trial, other, LEAST_ROOM_BITS, &found) != HB_OK) {
            break;
        }
    }
    return found ? HB_FAIL(HB_ECONFIG,
                           "a scale of %" PRIu32 " bits has no chain with %" PRIu32
                           " special primes: digits of as many primes would be as long as these; there is one with 1, "
                           "and with %" PRIu32 " and more",
                           chain->scale_bits, chain->special_limbs, other.special_limbs)
                 : HB_FAIL(HB_ECONFIG,
                           "a scale of %" PRIu32 " bits has no chain with %" PRIu32
                           " special primes: digits of as many primes would be as long as these; there is one with 1",
                           chain->scale_bits, chain->special_limbs);
}

hb_status hb_ckks_choose_chain(hb_params_spec *spec, const hb_ckks_chain *chain)
{
    hb_ckks_chain wanted = *chain;
    const bool given = chain->special_limbs > 0;
    const uint32_t room = given ? LEAST_ROOM_BITS : ROOM_BITS;
    const uint64_t levels = chain->levels + (uint64_t)hb_bootstrapping_own_levels(&spec->bootstrapping);
    const uint32_t middle =
        given ? chain->special_limbs
              : hb_ckks_special_limbs(chain->scale_bits, levels < UINT32_MAX ? (uint32_t)levels : UINT32_MAX);
    bool found;
    wanted.special_limbs = middle;
    HB_TRY(find_with(spec, wanted, room, &found));
    for (uint32_t away = 1; !found && !given && away < middle + HB_MAX_LIMBS; away++) {
        if (middle > away) { /* fewer make a shorter chain */
            wanted.special_limbs = middle - away;
            HB_TRY(find_with(spec, wanted, room, &found));
        }
        wanted.special_limbs = middle + away;
        if (!found && find_with(spec, wanted, room, &found) != HB_OK) {
            found = false; /* it would be too long */
        }
    }
    return found ? HB_OK : fail_special(spec, chain);
}
