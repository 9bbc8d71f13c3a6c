#include "sanitize.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cipher.h"
#include "codec.h"
#include "evaluator.h"
#include "merge.h"
#include "params.h"
#include "quality.h"
#include "rlwe/bounds.h"

/* --- plans */

/* Returns the proven noise before the flood: with an encryption of zero and the roundings of another message, both of
 * which are in the bound of a fresh ciphertext. */
static double noise_before(const hb_params *params, hb_quality noise)
{
    return hb_quality_add(params, noise, hb_quality_fresh(params, true, HB_BINOMIAL)).worst;
}

/* Returns log2 of the noise that leaves so many bits of budget: a whole number, and no more. */
static double noise_that_leaves(const hb_params *params, uint32_t limbs, uint32_t leave)
{
    return hb_quality_bits(params, limbs, 0) - leave;
}

/* Returns the most u of a flood that leaves so many bits, whatever noise it hides: that is t 2^u at most, 2^-w of the
 * flood and a small part of the 2^-10 of a bit that is kept for it. Negative: none. */
static double widest(const hb_params *params, uint32_t limbs, uint32_t leave, uint32_t w)
{
    const double flood = log2((double)params->spec.bfv.plain) + hb_exact_flood_most((hb_exact_flood){0, w});
    return floor(noise_that_leaves(params, limbs, leave) - flood - 0x1p-10);
}

/* Returns the least u that hides the noise. */
static double least(const hb_params *params, hb_quality noise)
{
    return hb_exact_flood_least_shift(noise_before(params, noise), params->spec.bfv.plain);
}

static bool has_level(const hb_params *params, uint32_t limbs)
{
    return params->levels[limbs].basis.limbs == limbs;
}

static hb_status require_exact(const hb_params *params)
{
    return params->spec.scheme == HB_BFV
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "sanitizing hides how integers were computed: results of %s carry their errors in their "
                         "values; decrypt --share hides these",
                         hb_scheme_name(params->spec.scheme));
}

/* Encryptions of zero have the limbs of users' levels; a header that was tampered with may state any. */
static hb_status require_level(const hb_params *params, uint32_t limbs)
{
    return limbs >= 1 && limbs <= params->fresh_limbs && has_level(params, limbs)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "its parameters have no ciphertexts of %" PRIu32 " limbs", limbs);
}

static hb_status refuse(const hb_params *params, uint32_t limbs, hb_quality noise, double lacking)
{
    const double left = fmax(hb_quality_bits(params, limbs, noise.worst), 0);
    return HB_FAIL(HB_EDATA, "sanitizing needs %.0f bits of budget, %.0f are left", left + lacking, left);
}

/* Drops limbs behind the flood, one bit of budget at most for all of them. */
static void drop(const hb_params *params, uint32_t leave, hb_sanitize_plan *plan)
{
    while (plan->to > 1 && has_level(params, plan->to - 1)) {
        const hb_quality lower = hb_quality_mod_switch(params, plan->to, plan->quality, 2);
        if (hb_quality_bits(params, plan->to - 1, lower.worst) < leave - 1) {
            return;
        }
        plan->quality = lower;
        plan->to--;
    }
}

static hb_status plan_open(const hb_params *params, uint32_t limbs, hb_quality noise, hb_sanitize_plan *out)
{
    const hb_quality after = hb_quality_add(params, noise, hb_quality_fresh(params, true, HB_BINOMIAL));
    if (hb_quality_bits(params, limbs, after.worst) < 1) {
        return HB_FAIL(HB_EDATA, "an encryption of zero takes the last bit of budget");
    }
    *out = (hb_sanitize_plan){.from = limbs, .limbs = limbs, .to = limbs, .open = true, .quality = after};
    return HB_OK;
}

/* Returns the fewest limbs on which noise of w bits hides the noise there, and leaves enough. */
static uint32_t fewest_limbs(const hb_params *params, uint32_t limbs, hb_quality noise, uint32_t leave, uint32_t w)
{
    while (limbs > 1 && has_level(params, limbs - 1)) {
        noise = hb_quality_mod_switch(params, limbs, noise, 2);
        if (least(params, noise) > widest(params, limbs - 1, leave, w)) {
            break;
        }
        limbs--;
    }
    return limbs;
}

hb_status hb_sanitize_plan_make(const hb_params *params, uint32_t limbs, hb_quality noise, hb_sanitize_request request,
                                hb_sanitize_plan *out)
{
    const uint32_t bits = request.bits, leave = request.leave;
    const double coefficients = log2((double)params->spec.n) + log2((double)(request.count > 0 ? request.count : 1));
    HB_TRY(require_exact(params));
    HB_TRY(require_level(params, limbs));
    if (bits == 0) {
        return plan_open(params, limbs, noise, out);
    }
    HB_ASSERT(bits >= HB_SANITIZE_LEAST_BITS && bits <= HB_SANITIZE_MOST_BITS && leave >= HB_SANITIZE_LEAVE);
    const uint32_t w = hb_exact_flood_least_width(coefficients, bits);
    if (w > HB_EXACT_FLOOD_MOST_WIDTH) {
        return HB_FAIL(HB_EUSAGE,
                       "sanitizing %" PRIu64 " ciphertexts to 2^-%" PRIu32 " needs noise of more than %d bits; ask for "
                       "%" PRIu32 " bits less",
                       request.count, bits, HB_EXACT_FLOOD_MOST_WIDTH, w - HB_EXACT_FLOOD_MOST_WIDTH);
    }
    const double lacking = least(params, noise) - widest(params, limbs, leave, w);
    if (lacking > 0) {
        return refuse(params, limbs, noise, lacking);
    }
    hb_sanitize_plan plan = {.from = limbs, .limbs = fewest_limbs(params, limbs, noise, leave, w)};
    plan.flood = (hb_exact_flood){(uint32_t)widest(params, plan.limbs, leave, w), w};
    plan.distance = hb_exact_flood_distance(coefficients, w);
    const double after = noise_that_leaves(params, plan.limbs, leave);
    plan.quality = (hb_quality){.worst = after, .expected = after, .powers = 1, .certainty = noise.certainty};
    plan.to = plan.limbs;
    drop(params, leave, &plan);
    *out = plan;
    return HB_OK;
}

/* --- the work */

struct hb_sanitizer {
    hb_engine *engine;
    const hb_params *params;
    hb_sanitize_plan plan;
    size_t max_count;
    hb_evaluator *evaluator;
    hb_encryptor *encryptor;
    hb_codec *codec;
    hb_batch zero[2];               /* [max_count][plan.limbs] */
    hb_batch values, strays, plain; /* [max_count] uniform values; 1 in slots that are no cell, else 0 */
    uint64_t *host_strays;          /* host, [max_count][n] */
    hb_seed *seeds;                 /* [2 * max_count]: of uniform values, of noise */
};

static hb_evaluator_requirements requirements_of(const hb_sanitize_plan *plan, size_t max_count)
{
    return (hb_evaluator_requirements){.limbs = plan->from, .count = max_count};
}

/* Makes the parts that opened ciphertexts go without. */
static hb_status open_hidden(hb_sanitizer *x, hb_encoding encoding)
{
    hb_engine *e = x->engine;
    void *memory;
    HB_TRY(hb_codec_open(e, x->params, encoding, &x->codec));
    HB_TRY(hb_values_alloc(&x->values, e, x->params, x->max_count));
    HB_TRY(hb_values_alloc(&x->strays, e, x->params, x->max_count));
    HB_TRY(hb_plaintexts_alloc(&x->plain, e, x->params, x->plan.limbs, x->max_count));
    HB_TRY(hb_host_alloc(e, x->max_count * x->params->spec.n * sizeof *x->host_strays, &memory));
    x->host_strays = memory;
    x->seeds = calloc(2 * x->max_count, sizeof *x->seeds);
    if (x->seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to sanitize with");
    }
    hb_lock(x->seeds, 2 * x->max_count * sizeof *x->seeds);
    return HB_OK;
}

static hb_status allocate(hb_sanitizer *x, const hb_public_key *key, hb_encoding encoding)
{
    const hb_evaluator_requirements requirements = requirements_of(&x->plan, x->max_count);
    HB_TRY(hb_evaluator_open(x->engine, x->params, &requirements, &x->evaluator));
    HB_TRY(hb_encryptor_open(x->engine, NULL, key, HB_GAUSSIAN, x->max_count, &x->encryptor));
    for (int i = 0; i < 2; i++) {
        HB_TRY(hb_batch_alloc(x->engine, &x->zero[i], x->max_count, x->plan.limbs, x->params->ids));
    }
    return x->plan.open ? HB_OK : open_hidden(x, encoding);
}

hb_status hb_sanitizer_open(hb_engine *engine, const hb_public_key *key, hb_encoding encoding,
                            const hb_sanitize_plan *plan, size_t max_count, hb_sanitizer **out)
{
    *out = NULL;
    HB_ASSERT(max_count > 0);
    hb_sanitizer *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to sanitize with");
    }
    *x = (hb_sanitizer){.engine = engine, .params = key->params, .plan = *plan, .max_count = max_count};
    const hb_status st = allocate(x, key, encoding);
    if (st != HB_OK) {
        hb_sanitizer_close(x);
        return st;
    }
    *out = x;
    return HB_OK;
}

void hb_sanitizer_close(hb_sanitizer *x)
{
    if (x == NULL) {
        return;
    }
    hb_batch *batches[] = {&x->zero[0], &x->zero[1], &x->values, &x->strays, &x->plain};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        hb_batch_wipe(x->engine, *batches[i]);
        hb_batch_free(x->engine, batches[i]);
    }
    if (x->seeds != NULL) {
        hb_wipe(x->seeds, 2 * x->max_count * sizeof *x->seeds);
    }
    free(x->seeds);
    hb_host_free(x->engine, x->host_strays);
    hb_codec_close(x->codec);
    hb_encryptor_close(x->encryptor);
    hb_evaluator_close(x->evaluator);
    free(x);
}

uint64_t hb_sanitizer_bytes(const hb_params *params, hb_encoding encoding, const hb_sanitize_plan *plan,
                            size_t max_count)
{
    const hb_evaluator_requirements requirements = requirements_of(plan, max_count);
    const uint64_t zeros = 2 * (uint64_t)hb_params_most_limbs(params, params->ids, plan->limbs) * params->spec.n;
    const uint64_t shared = hb_evaluator_bytes(params, &requirements) + hb_encryptor_bytes(params, true, max_count) +
                            max_count * zeros * sizeof(uint64_t);
    const uint64_t plain = 2 * hb_values_words(&params->spec) + hb_plaintext_words(params, plan->limbs);
    return plan->open ? shared
                      : shared + hb_codec_bytes(&params->spec, encoding) + max_count * plain * sizeof(uint64_t);
}

static void derive(hb_seed *seed, const hb_seed *root, const char *what, uint64_t number)
{
    char label[48];
    snprintf(label, sizeof label, "sanitize %s %" PRIu64, what, number);
    hb_seed_derive(seed, root, label);
}

/* Returns where value i stands among those that the codec takes. */
static size_t place_of(const hb_sanitizer *x, size_t i)
{
    return x->codec->encoding == HB_ENCODE_REVERSED ? hb_merged_coefficient(&x->params->spec, (uint32_t)i) : i;
}

/* Marks the slots that are no cell. */
static void mark_strays(const hb_sanitizer *x, uint64_t *strays, hb_filled_slots cells)
{
    const size_t n = x->params->spec.n;
    for (size_t i = 0; i < n; i++) {
        strays[i] = 1;
    }
    for (size_t r = 0; r < cells.rows; r++) {
        for (size_t c = 0; c < cells.columns; c++) {
            HB_ASSERT(r * cells.stride + c < n);
            strays[place_of(x, r * cells.stride + c)] = 0;
        }
    }
}

static bool has_strays(const hb_sanitizer *x, const hb_filled_slots *cells, size_t count)
{
    bool some = false;
    for (size_t i = 0; i < count; i++) {
        some = some || cells[i].rows * cells[i].columns < x->params->spec.n;
    }
    return some;
}

/* Adds uniform values to slots that are no cell, where there are any. */
static hb_status fill_strays(hb_sanitizer *x, hb_ciphertexts c, const hb_filled_slots *cells)
{
    hb_engine *e = x->engine;
    const size_t count = hb_ciphertexts_count(c), n = x->params->spec.n;
    const hb_batch values = hb_batch_slice(x->values, 0, count), strays = hb_batch_slice(x->strays, 0, count),
                   plain = hb_batch_slice(x->plain, 0, count);
    if (!has_strays(x, cells, count)) {
        return HB_OK;
    }
    for (size_t i = 0; i < count; i++) {
        mark_strays(x, x->host_strays + i * n, cells[i]);
    }
    HB_TRY(hb_upload(e, strays.data, x->host_strays, count * n * sizeof *x->host_strays));
    HB_TRY(hb_sample_uniform(e, values, x->seeds));
    HB_TRY(hb_mul(e, values, values, strays));
    HB_TRY(hb_encode(x->codec, plain, values));
    return hb_evaluator_add_plain(x->evaluator, c, plain, HB_PLUS);
}

static hb_status add_zero(hb_sanitizer *x, hb_ciphertexts c, const hb_seed *root, uint64_t first)
{
    const size_t count = hb_ciphertexts_count(c);
    const hb_batch zero[] = {hb_batch_slice(x->zero[0], 0, count), hb_batch_slice(x->zero[1], 0, count)};
    hb_seed seed;
    hb_seed_derive(&seed, root, "sanitize zero");
    hb_status st = hb_encrypt_zero(x->encryptor, zero[0], zero[1], NULL, &seed, first);
    for (uint32_t i = 0; i < 2 && st == HB_OK; i++) {
        const hb_batch to = hb_ciphertexts_component(c, i);
        st = hb_add(x->engine, to, to, zero[i]);
    }
    st = st == HB_OK ? hb_finish(x->engine) : st; /* draws may read the seed until then */
    hb_wipe(&seed, sizeof seed);
    return st;
}

static hb_status hide(hb_sanitizer *x, hb_ciphertexts c, const hb_filled_slots *cells, const hb_seed *root,
                      uint64_t first)
{
    const size_t count = hb_ciphertexts_count(c);
    for (size_t i = 0; i < count; i++) {
        derive(&x->seeds[i], root, "values", first + i);
        derive(&x->seeds[x->max_count + i], root, "noise", first + i);
    }
    HB_TRY(fill_strays(x, c, cells));
    return hb_add_exact_flood(x->engine, hb_ciphertexts_component(c, 0), x->plan.flood, x->seeds + x->max_count);
}

hb_status hb_sanitize(hb_sanitizer *x, hb_ciphertexts r, hb_ciphertexts a, const hb_filled_slots *cells,
                      const hb_seed *root, uint64_t first)
{
    const size_t count = hb_ciphertexts_count(a);
    HB_ASSERT(count <= x->max_count && a.size == 2 && r.size == 2 && hb_ciphertexts_count(r) == count);
    HB_ASSERT(a.all.limbs == x->plan.from && r.all.limbs == x->plan.to && r.all.data == a.all.data);
    if (count == 0) {
        return HB_OK;
    }
    const hb_ciphertexts c = hb_ciphertexts_view(a, x->engine, x->params, 2, count, x->plan.limbs);
    if (x->plan.limbs < x->plan.from) {
        HB_TRY(hb_evaluator_adjust(x->evaluator, c, a));
    }
    HB_TRY(add_zero(x, c, root, first));
    if (!x->plan.open) {
        HB_TRY(hide(x, c, cells, root, first));
    }
    return x->plan.to < x->plan.limbs ? hb_evaluator_adjust(x->evaluator, r, c) : HB_OK;
}
