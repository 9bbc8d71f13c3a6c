#include "chains.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/prime.h"
#include "batch/job/waits.h"
#include "cli/console.h"
#include "cli/stop.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/quality.h"
#include "search.h"

enum {
    SHORT = 50, /* bits of a prime, at most: a GPU makes 2.3 times as many butterflies a second, a core 1.6 times */
    MORE_PRIMES = 2,    /* that a chain may have for it */
    WORTH = 8,          /* results are to become shorter by this part */
    HARDLY_LONGER = 20, /* a chain may exceed the one without by this part */
    LONGER_PRESET = 2   /* results in a preset may by this, as people know it */
};

/* --- trials */

void hb_suggestion_clear(hb_suggestion *suggestion)
{
    hb_program_clear(&suggestion->program);
    hb_params_close(suggestion->params);
    free(suggestion->one_row);
    free(suggestion->spread);
    free(suggestion->masked);
    free(suggestion->encrypted);
    for (uint32_t i = 0; i < suggestion->command_count; i++) {
        hb_words_clear(&suggestion->commands[i]);
    }
    free(suggestion->commands);
    memset(suggestion, 0, sizeof *suggestion);
}

/* Notes how many bits are left of results that are shown, as decrypt --share plans it; it is these that must do. */
static hb_status hide_errors(const hb_trials *s, hb_suggestion *trial)
{
    trial->shown = INFINITY;
    trial->spare = s->request->share > 0 ? INFINITY : trial->spare;
    for (uint32_t i = 0; i < trial->program.output_count && s->request->share > 0; i++) {
        const hb_output *o = &trial->program.outputs[i];
        const double most = log2(fmax(hb_interval_magnitude(o->values), 0x1p-1000));
        const hb_quality decoded =
            hb_quality_transformed(trial->params, o->limbs, o->quality, (hb_magnitude){most, most, 0, most});
        hb_flood flood;
        HB_TRY(hb_flood_plan(trial->params, o->limbs, decoded, s->request->share, &flood));
        trial->shown = fmin(trial->shown, flood.bits);
        trial->spare = fmin(trial->spare, flood.bits - s->search->precision(s, o));
    }
    return HB_OK;
}

/* Names the attempt where the search takes longer than users wait without a sign, and when they ask. */
static void tell(hb_trials *s, const hb_params_spec *spec)
{
    const double now = hb_now(), patience = 2;
    hb_waits_mark_search(s->request->group, s->tried++);
    if (hb_stop_status_wanted()) {
        hb_console_tell(s->request->group, "trying parameters: %" PRIu32 " tried", s->tried - 1);
    }
    if (now - s->told >= patience) {
        s->told = now;
        hb_console_log(s->request->group, s->request->common, "parameters    N %zu, %" PRIu32 " primes, try %" PRIu32,
                       spec->n, spec->key_limbs, s->tried);
    }
}

static bool meets_packing(const hb_bfv_requirements *wanted, const hb_suggestion *trial)
{
    return wanted->packed_most == 0 || (trial->packs && trial->result_bits <= wanted->packed_most);
}

hb_status hb_trial_chain(hb_trials *s, const hb_params_spec *spec, hb_suggestion *out, bool *found)
{
    const hb_search *search = s->search;
    hb_suggestion trial = {0};
    tell(s, spec);
    hb_status st = hb_trial(s, spec, false, &trial);
    st = st == HB_OK ? hide_errors(s, &trial) : st;
    s->ckks.nearest = st == HB_OK ? fmax(s->ckks.nearest, trial.spare) : s->ckks.nearest;
    *found = st == HB_OK && (search->precision == NULL || trial.spare >= 0) && meets_packing(&s->bfv, &trial);
    if (*found) {
        hb_suggestion_clear(out);
        *out = trial;
        return HB_OK;
    }
    hb_suggestion_clear(&trial);
    return st == HB_OK || st == HB_ECONFIG || st == HB_EDATA || st == HB_EUSAGE ? HB_OK : st;
}

const char *hb_next_bootstrapping(const hb_trials *s, size_t *i, hb_params_spec *spec)
{
    const char *name;
    while ((name = hb_params_preset_name(*i)) != NULL) {
        ++*i;
        const bool known = hb_params_preset(name, spec) == HB_OK;
        /* Chains with levels for tables give users fewer primes than others, and are for nothing but tables. */
        if (known && spec->scheme == s->request->scheme && hb_spec_can_bootstrap(spec) && !spec->insecure &&
            spec->bootstrapping.table_levels == 0) {
            spec->security = s->request->security;
            return name;
        }
    }
    return NULL;
}

/* --- even chains */

typedef struct chain_shape {
    size_t n;
    uint32_t limbs;
    uint32_t first; /* bits of the first prime; 0: as many as others have, the longest last */
} chain_shape;

static hb_status try_chain(hb_trials *s, chain_shape shape, uint32_t total, hb_suggestion *out, bool *found)
{
    uint32_t bits[HB_MAX_LIMBS];
    const uint32_t uneven = shape.first > 0, even = shape.limbs - uneven;
    hb_params_spec spec = {
        .scheme = s->request->scheme, .n = shape.n, .key_limbs = shape.limbs, .security = s->request->security};
    *found = false;
    if (even == 0 || total <= shape.first) {
        return HB_OK;
    }
    const uint32_t rest = total - shape.first;
    bits[0] = shape.first;
    for (uint32_t i = 0; i < even; i++) {
        bits[uneven + i] = rest / even + (i >= even - rest % even);
    }
    if (bits[uneven] < 2 || bits[shape.limbs - 1] > HB_PRIME_MAX_BITS ||
        hb_create_primes(shape.n, bits, shape.limbs, spec.primes) != HB_OK) {
        hb_clear_error();
        return HB_OK; /* no such primes */
    }
    return s->search->complete(s, &spec) ? hb_trial_chain(s, &spec, out, found) : HB_OK;
}

/* Finds the shortest sufficient chain of a shape that has `low` to `high` bits together; without one *found is false,
 * and *out stays. */
static hb_status try_lengths(hb_trials *s, chain_shape shape, uint32_t low, uint32_t high, hb_suggestion *out,
                             bool *found)
{
    *found = false;
    if (low <= high) {
        HB_TRY(try_chain(s, shape, high, out, found));
    }
    while (*found && low < high) { /* `high` does */
        const uint32_t middle = (low + high) / 2;
        bool enough;
        HB_TRY(try_chain(s, shape, middle, out, &enough));
        if (enough) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return HB_OK;
}

/* By cost, in short primes: a long one counts two. */
hb_status hb_try_chains(hb_trials *s, size_t n, hb_suggestion *out, bool *found)
{
    const uint32_t limit = hb_security_limit(s->request->security, n);
    const uint32_t least = (uint32_t)__builtin_ctzll(n) + 2; /* a prime = 1 mod 2N has so many bits or more */
    const uint32_t most = limit / least < HB_MAX_LIMBS ? limit / least : HB_MAX_LIMBS;
    for (uint32_t cost = 1; !*found && cost <= 2 * most; cost++) {
        if (cost <= most) {
            const uint32_t longest = cost * SHORT;
            HB_TRY(
                try_lengths(s, (chain_shape){n, cost, 0}, cost * least, limit < longest ? limit : longest, out, found));
        }
        const uint32_t limbs = cost / 2, longest = limbs * HB_PRIME_MAX_BITS;
        if (!*found && cost % 2 == 0 && limbs <= most) {
            HB_TRY(try_lengths(s, (chain_shape){n, limbs, 0}, limbs * SHORT + 1, limit < longest ? limit : longest, out,
                               found));
        }
    }
    return HB_OK;
}

/* --- room to pack totals */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t limit_of(const hb_trials *s, const hb_suggestion *found)
{
    return hb_security_limit(s->request->security, found->params->spec.n);
}

/* Returns the most bits that each prime of a suggestion may have while all stay as cheap as they are. */
static uint32_t longest_alike(const hb_suggestion *suggestion)
{
    const hb_params *params = suggestion->params;
    return params->chain_bits > params->spec.key_limbs * SHORT ? HB_PRIME_MAX_BITS : SHORT;
}

static void take(hb_suggestion *out, hb_suggestion *better)
{
    hb_suggestion_clear(out);
    *out = *better;
    *better = (hb_suggestion){0};
}

/* Returns how many outputs have several totals. */
static uint32_t several_totals(const hb_program *program)
{
    uint32_t several = 0;
    for (uint32_t i = 0; i < program->output_count; i++) {
        several += program->outputs[i].total && program->outputs[i].schema.columns > 1;
    }
    return several;
}

/* Returns the bits of a coefficient of all ciphertexts, of tables and of totals. */
static uint64_t all_bits(const hb_trials *s, const hb_suggestion *found)
{
    const hb_params *params = found->params;
    const uint64_t slots = hb_codec_capacity(&params->spec, HB_ENCODE_SLOTS), block = hb_program_block(&found->program);
    uint64_t inputs = 0, bits = 0;
    for (uint32_t i = 0; i < s->operand_count; i++) {
        const hb_operand *o = &s->operands[i];
        if (o->encrypted && !o->believed) {
            const uint64_t rows = o->schema->rows > 0 ? o->schema->rows : s->rows;
            inputs += (block > 1 ? 1 : o->schema->columns) * hb_divide_up(rows, slots / block);
        }
    }
    for (uint32_t l = 0; l < params->fresh_limbs; l++) {
        bits += params->ring.moduli[params->ids[l]].bits;
    }
    return inputs * bits + found->result_bits;
}

/* More primes, which are shorter, leave more of the chain to data and less to the special prime. They are taken where
 * all ciphertexts together become smaller. */
static hb_status add_primes(hb_trials *s, const hb_suggestion *now, hb_suggestion *packing, bool *found)
{
    const uint32_t limbs = now->params->spec.key_limbs, limit = limit_of(s, now), each = longest_alike(now);
    const uint32_t least = (uint32_t)__builtin_ctzll(now->params->spec.n) + 2;
    for (uint32_t more = 1; !*found && more <= MORE_PRIMES && limbs + more <= HB_MAX_LIMBS; more++) {
        const chain_shape shape = {now->params->spec.n, limbs + more, 0};
        const uint32_t most = smaller(limit, shape.limbs * smaller(each, now->params->chain_bits / limbs));
        HB_TRY(try_lengths(s, shape, shape.limbs * least, most, packing, found));
        *found = *found && all_bits(s, packing) < all_bits(s, now);
    }
    return HB_OK;
}

/* Lengthens the primes of a chain, which stay as many and short, to where results of several totals are packed into one
 * ciphertext: that takes some bits of the budget. Else adds primes. now: the same chain, with bits of its results. */
static hb_status pack(hb_trials *s, const hb_suggestion *now, hb_suggestion *packing, bool *found)
{
    const hb_params *params = now->params;
    const chain_shape shape = {params->spec.n, params->spec.key_limbs, 0};
    const uint32_t most = smaller(limit_of(s, now), shape.limbs * longest_alike(now));
    HB_TRY(hb_trial_chain(s, &params->spec, packing, found));
    if (!*found) {
        HB_TRY(try_lengths(s, shape, params->chain_bits + 1, most, packing, found));
    }
    return *found ? HB_OK : add_primes(s, now, packing, found);
}

/* A packed result of one limb needs t and some bits; it has those of the first prime. Finds the least that does, while
 * the others stay as many, and together hardly longer. */
static hb_status fit_first_prime(hb_trials *s, const hb_suggestion *packing, uint32_t outputs, hb_suggestion *out)
{
    const hb_params *params = packing->params;
    const uint32_t limbs = params->spec.key_limbs, each = longest_alike(packing), bits = params->chain_bits;
    const uint32_t most = smaller(limit_of(s, packing), bits + bits / HARDLY_LONGER);
    uint32_t low = (uint32_t)__builtin_ctzll(params->spec.n) + 2;
    uint32_t high = smaller(each, (uint32_t)(s->bfv.packed_most / outputs));
    bool found = true;
    while (limbs > 1 && low <= high) {
        const uint32_t first = (low + high) / 2;
        const uint32_t total = smaller(most, first + (limbs - 1) * each);
        HB_TRY(try_lengths(s, (chain_shape){params->spec.n, limbs, first}, total, total, out, &found));
        if (found) {
            high = first - 1;
        } else {
            low = first + 1;
        }
    }
    if (out->params == NULL) {
        return HB_OK;
    }
    const uint32_t first = out->params->ring.moduli[out->params->ids[0]].bits, total = out->params->chain_bits;
    return try_lengths(s, (chain_shape){params->spec.n, limbs, first}, bits - bits / HARDLY_LONGER, total - 1, out,
                       &found);
}

static hb_status shorten_results(hb_trials *s, hb_suggestion *packing, uint32_t outputs)
{
    hb_suggestion shorter = {0};
    s->bfv.packed_most = packing->result_bits - packing->result_bits / WORTH;
    const hb_status st = fit_first_prime(s, packing, outputs, &shorter);
    if (st == HB_OK && shorter.params != NULL) {
        take(packing, &shorter);
    }
    hb_suggestion_clear(&shorter);
    s->bfv.packed_most = packing->result_bits + packing->result_bits / LONGER_PRESET;
    return st;
}

hb_status hb_leave_room_to_pack(hb_trials *s, hb_suggestion *out)
{
    const uint32_t outputs = several_totals(&out->program);
    hb_suggestion now = {0}, packing = {0};
    bool found = false;
    hb_status st = HB_OK;
    if (s->search->packs == NULL || outputs == 0) {
        return HB_OK;
    }
    s->bfv.packed_most = UINT64_MAX;
    HB_GOTO(hb_trial(s, &out->params->spec, false, &now));
    HB_GOTO(pack(s, &now, &packing, &found));
    HB_GOTO(found ? shorten_results(s, &packing, outputs) : HB_OK);
    if (found) {
        take(out, &packing);
    }
done:
    s->bfv.packed_most = found ? s->bfv.packed_most : 0;
    hb_suggestion_clear(&now);
    hb_suggestion_clear(&packing);
    return st;
}
