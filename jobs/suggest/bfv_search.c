/* The t of parameters of BFV: a prime = 1 mod 2N that holds all values, the smallest or the one that is asked for. */
#include <inttypes.h>
#include <math.h>

#include "base/prime.h"
#include "bfv/chain.h"
#include "bfv/params.h"
#include "chains.h"
#include "cli/bfv_params.h"
#include "cli/bootstrapping_params.h"
#include "cli/console.h"
#include "lang/program/interval_words.h"
#include "lang/text/place.h"
#include "scheme/quality.h"
#include "search.h"

/* The smallest t that holds them: unsigned [0, t), signed [-floor((t - 1) / 2), floor(t / 2)] (bfv/codec.h). */
static uint64_t plain_for(hb_interval values, bool is_signed)
{
    if (!is_signed && values.least >= 0) {
        return (uint64_t)values.most + 1;
    }
    const uint64_t below = values.least < 0 ? (uint64_t)0 - (uint64_t)values.least : 0;
    const uint64_t above = values.most > 0 ? (uint64_t)values.most : 0;
    const uint64_t largest = below > above ? below : above;
    return largest > (uint64_t)INT64_MAX / 2 ? UINT64_MAX : 2 * largest + 1;
}

/* The bits of a product of several plain moduli that holds them. */
static uint32_t wide_for(hb_interval values, bool is_signed)
{
    const uint32_t least = hb_wide_bits(values.wide_least), most = hb_wide_bits(values.wide_most);
    return (least > most ? least : most) + (is_signed || hb_wide_sign(values.wide_least) < 0 ? 1 : 0);
}

/* Several plain moduli are taken where none was asked for, and no single t holds the values. */
static bool takes_several(const hb_trials *s, hb_interval values, bool is_signed)
{
    const hb_bfv_request *asked = &s->request->bfv;
    return asked->plain == 0 && asked->plain_bits == 0 && values.known &&
           wide_for(values, is_signed) >= HB_PRIME_MAX_BITS && wide_for(values, is_signed) <= HB_RESIDUES_MOST_BITS;
}

static uint64_t plain_for_output(const hb_output *output)
{
    return plain_for(hb_interval_of(output->least, output->most), output->least < 0);
}

static uint64_t plain_least(const hb_trials *s)
{
    return s->bfv.plain_least > 2 ? s->bfv.plain_least : 2;
}

static void raise_plain(hb_trials *s, uint64_t plain)
{
    s->bfv.plain_least = plain > s->bfv.plain_least ? plain : s->bfv.plain_least;
}

static void raise_wide(hb_trials *s, uint32_t bits)
{
    s->bfv.wide = bits > s->bfv.wide ? bits : s->bfv.wide;
}

/* As many plain moduli as hold values of so many bits, of one size, 44 bits at most where no number is given. */
static hb_status find_several(const hb_trials *s, hb_params_spec *spec)
{
    enum { EACH = 43 }; /* bits that a prime of 44 has in any case */
    const uint32_t needed = s->bfv.wide, count = (needed + EACH - 1) / EACH, few = count < 2 ? 2 : count;
    const uint32_t k = s->bfv.several > few ? s->bfv.several : few,
                   least = hb_wide_bits(hb_wide_of_word(s->bfv.each_least));
    const uint32_t share = (needed + k - 1) / k;
    return hb_bfv_find_plains((share > least ? share : least) + 1, k, spec);
}

static bool split(hb_trials *s, uint32_t count)
{
    const hb_bfv_request *asked = &s->request->bfv;
    if (asked->plain != 0 || asked->plain_bits != 0 || (s->bfv.wide > 0 && s->bfv.several == 0)) {
        return false;
    }
    s->bfv.wide = hb_wide_bits(hb_wide_of_word(plain_least(s)));
    s->bfv.several = count;
    return s->bfv.wide / count >= HB_MIN_LOG_N;
}

static hb_status take_options(hb_suggest_request *request, const hb_params_choice *choice)
{
    const hb_bfv_choice *of = &choice->bfv;
    HB_TRY(hb_bfv_choice_check(of));
    if (of->wide != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--wide: leave it out; the ranges of values decide the number of plain moduli");
    }
    if (of->user_primes != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--user-primes: leave it out; suggest finds the chain");
    }
    if (of->plain == 0 || of->plain_bits == 0 ||
        (of->plain_bits != HB_NOT_GIVEN && of->plain_bits > HB_PRIME_MAX_BITS)) {
        return HB_FAIL(HB_ECONFIG, "--plain and --plain-bits: t has 2 to %d bits", HB_PRIME_MAX_BITS);
    }
    request->bfv.plain = of->plain == HB_NOT_GIVEN ? 0 : of->plain;
    request->bfv.plain_bits = of->plain_bits == HB_NOT_GIVEN ? 0 : (uint32_t)of->plain_bits;
    return HB_OK;
}

static hb_status check(const hb_suggest_request *request)
{
    const hb_bfv_request *asked = &request->bfv;
    const uint64_t least_step = (uint64_t)2 << HB_MIN_LOG_N;
    if (asked->plain != 0 && (asked->plain >> HB_PRIME_MAX_BITS != 0 || !hb_is_prime(asked->plain) ||
                              (asked->plain - 1) % least_step != 0)) {
        return HB_FAIL(HB_ECONFIG,
                       "--plain %" PRIu64 " cannot batch for any N: it must be a prime = 1 mod 2N, N from %" PRIu64
                       " up, of at most %d bits; without it the smallest that does is found",
                       asked->plain, least_step / 2, HB_PRIME_MAX_BITS);
    }
    if (asked->plain_bits != 0 && (asked->plain_bits < HB_MIN_LOG_N + 2 || asked->plain_bits > HB_PRIME_MAX_BITS)) {
        return HB_FAIL(HB_ECONFIG, "--plain-bits %" PRIu32 ": a t that batches has %d to %d bits", asked->plain_bits,
                       HB_MIN_LOG_N + 2, HB_PRIME_MAX_BITS);
    }
    return HB_OK;
}

static void hold(hb_trials *s, hb_interval values, bool is_signed)
{
    if (takes_several(s, values, is_signed)) {
        raise_wide(s, wide_for(values, is_signed));
    } else {
        raise_plain(s, plain_for(values, is_signed));
    }
}

/* The largest of exactly so many bits that holds all values. */
static uint64_t plain_of_bits(const hb_trials *s, const hb_params_spec *spec, uint32_t bits)
{
    const uint64_t step = 2 * (uint64_t)spec->n, least = (uint64_t)1 << (bits - 1), needed = plain_least(s);
    uint64_t t = (least * 2 - 1) / step * step + 1;
    t -= t > least * 2 - 1 ? step : 0;
    while (t > least && t >= needed && (!hb_is_prime(t) || hb_params_in_chain(spec, t))) {
        t -= step < t ? step : t;
    }
    return t > least && t >= needed ? t : 0;
}

/* The t that is asked for, else the smallest prime = 1 mod 2N that holds all values; 0: there is none of 60 bits, or
 * it cannot batch at this N, or is in the chain. */
static uint64_t plain_with(const hb_trials *s, const hb_params_spec *spec)
{
    const hb_bfv_request *asked = &s->request->bfv;
    const uint64_t step = 2 * (uint64_t)spec->n, end = (uint64_t)1 << HB_PRIME_MAX_BITS, needed = plain_least(s);
    if (asked->plain != 0) {
        return (asked->plain - 1) % step == 0 && !hb_params_in_chain(spec, asked->plain) ? asked->plain : 0;
    }
    if (asked->plain_bits != 0) {
        return plain_of_bits(s, spec, asked->plain_bits);
    }
    uint64_t t = (needed / step + (needed % step > 1)) * step + 1;
    while (t < end && (t == 1 || !hb_is_prime(t) || hb_params_in_chain(spec, t))) {
        t += step;
    }
    return t < end ? t : 0;
}

/* The largest possible t; 0: unknown. */
static uint64_t most_plain(const hb_bfv_request *asked)
{
    if (asked->plain != 0) {
        return asked->plain;
    }
    return asked->plain_bits != 0 ? ((uint64_t)1 << asked->plain_bits) - 1 : 0;
}

static hb_status begin(hb_trials *s, hb_params_spec *spec)
{
    const uint64_t most = most_plain(&s->request->bfv);
    if (s->bfv.wide > 0) {
        return find_several(s, spec);
    }
    if (most == 0) {
        spec->bfv.plain = plain_with(s, spec);
        return spec->bfv.plain != 0 ? HB_OK : HB_FAIL(HB_EDATA, "--range: values of more than 59 bits fit no t");
    }
    if (plain_least(s) > most) {
        return HB_FAIL(HB_EDATA, "the values of the tables need a t of %" PRIu64 " or more", plain_least(s));
    }
    spec->bfv.plain = most; /* as expressions have numbers up to t: good enough to find ranges by */
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        spec->bfv.plain -= spec->bfv.plain == spec->primes[i];
    }
    return HB_OK;
}

/* Far more budget between two refreshes than any preset has. */
static hb_status endless(hb_params_spec *spec)
{
    const hb_bfv_chain chain = {.user_limbs = 24, .eval_mod = HB_EVAL_MOD_FINE_SURE};
    *spec =
        (hb_params_spec){.scheme = HB_BFV, .n = (size_t)1 << 16, .security = hb_security_default(), .insecure = true};
    return hb_bfv_choose_chain(spec, &chain);
}

static bool room(hb_trials *s, uint32_t bits)
{
    if (most_plain(&s->request->bfv) != 0) {
        return false;
    }
    if (s->bfv.wide > 0 || bits >= HB_PRIME_MAX_BITS) {
        raise_wide(s, bits);
    } else {
        raise_plain(s, (uint64_t)1 << bits);
    }
    return true;
}

static hb_status take(hb_trials *s, const hb_output *o)
{
    const uint64_t plain = plain_for_output(o), most = most_plain(&s->request->bfv);
    char where[48], values[HB_INTERVAL_TEXT];
    if (s->request->wrap) {
        return HB_OK;
    }
    if (takes_several(s, o->values, false)) {
        raise_wide(s, wide_for(o->values, false));
        return HB_OK;
    }
    hb_place(where, s->request->expression, o->at);
    hb_interval_words(values, o->values.known ? o->values : hb_interval_of(o->least, o->most),
                      o->schema.columns == 1 ? &o->schema.column[0].meaning : NULL);
    if (plain >> HB_PRIME_MAX_BITS != 0) {
        return HB_FAIL(HB_EDATA, "%s: %.64s can be %s, which no t of 60 bits holds", where, o->name, values);
    }
    if (most != 0 && plain > most) {
        return HB_FAIL(HB_EDATA,
                       "%s: %.64s can be %s, which needs a t of %" PRIu64 " or more; --wrap where that is meant", where,
                       o->name, values, plain);
    }
    raise_plain(s, plain);
    return HB_OK;
}

static bool fits(const hb_trials *s, const hb_params_spec *preset)
{
    const hb_bfv_request *asked = &s->request->bfv;
    return s->bfv.wide == 0 && asked->plain == 0 && asked->plain_bits == 0 && preset->bfv.plain >= plain_least(s);
}

static bool complete(const hb_trials *s, hb_params_spec *spec)
{
    if (s->bfv.wide > 0) {
        const bool found = find_several(s, spec) == HB_OK;
        hb_clear_error();
        return found;
    }
    spec->bfv.plain = plain_with(s, spec);
    return spec->bfv.plain != 0;
}

static void describe(const hb_trials *s, char text[160])
{
    const hb_bfv_request *asked = &s->request->bfv;
    if (s->bfv.wide > 0) {
        snprintf(text, 160, "values need plain moduli of %" PRIu32 " bits together", s->bfv.wide);
    } else if (asked->plain != 0) {
        snprintf(text, 160, "t = %" PRIu64 " can batch up to N = %" PRIu64, asked->plain,
                 ((asked->plain - 1) & (0 - (asked->plain - 1))) / 2);
    } else {
        snprintf(text, 160, "t needs %.0f bits",
                 asked->plain_bits != 0 ? asked->plain_bits : ceil(log2((double)plain_least(s))));
    }
}

/* Says how often integers are refreshed, or, of a long chain, how much more that would take. */
static void print_bootstrapping(const hb_group *group, const hb_common *common, const hb_suggestion *found)
{
    const double passes = hb_program_passes_over(&found->program, 1);
    if (found->instead.name != NULL) {
        hb_console_result(group, common,
                          "bootstrapping under %s would do as well, and take %.1f times as long: not proposed",
                          found->instead.name, found->instead.times);
    } else if (passes > 0) {
        hb_console_result(group, common, "bootstrapping %.0f passes over the ciphertexts of a row block%s; a pass %s",
                          passes, found->judged ? "" : ", as no chain without it does as well",
                          hb_failure_text_of(hb_quality_refresh_failure(found->params, 1)).text);
    }
}

static void print(const hb_group *group, const hb_common *common, const hb_suggestion *found)
{
    const hb_params *params = found->params;
    const hb_bfv_spec *bfv = &params->spec.bfv;
    print_bootstrapping(group, common, found);
    if (bfv->plain_count > 1) {
        hb_console_result(group, common, "t             %" PRIu32 " plain moduli of %" PRIu32 " bits each",
                          bfv->plain_count, params->ring.moduli[hb_bfv_of(params)->plain_id].bits);
        return;
    }
    hb_console_result(group, common, "t             %" PRIu64 " (%" PRIu32 " bits)", params->spec.bfv.plain,
                      params->ring.moduli[hb_bfv_of(params)->plain_id].bits);
}

static hb_status add_option(const hb_params *params, hb_words *to)
{
    const hb_bfv_spec *bfv = &params->spec.bfv;
    if (bfv->plain_count > 1) {
        /* Which keygen makes these very ones of: it counts on all but one bit of each. */
        const uint32_t bits = params->ring.moduli[hb_bfv_of(params)->plain_id].bits;
        HB_TRY(hb_words_add(to, "--wide"));
        HB_TRY(hb_words_addf(to, "%" PRIu32, (bits - 1) * bfv->plain_count));
        HB_TRY(hb_words_add(to, "--plain-bits"));
        return hb_words_addf(to, "%" PRIu32, bits);
    }
    HB_TRY(hb_words_add(to, "--plain"));
    return hb_words_addf(to, "%" PRIu64, params->spec.bfv.plain);
}

static const char *remark(const hb_params *params, const hb_output *output)
{
    if (hb_spec_residues(&params->spec) > 1) {
        const hb_interval held = hb_interval_held(&params->spec, hb_wide_sign(output->values.wide_least) < 0);
        return hb_interval_within(output->values, held) ? "" : ", which wraps around the product of the plain moduli";
    }
    return plain_for_output(output) > params->spec.bfv.plain ? ", which wraps around mod t" : "";
}

static uint32_t bits_of(const hb_params *params, uint32_t limbs)
{
    uint32_t bits = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        bits += params->ring.moduli[params->levels[limbs].basis.ids[l]].bits;
    }
    return bits;
}

static hb_status packs(const hb_program_source *source, bool *packed, uint64_t *bits)
{
    hb_program_source compact = *source;
    hb_program program = {0};
    compact.compact = HB_COMPACT_AUTO;
    const hb_status st = hb_program_compile(&program, &compact);
    *packed = st == HB_OK;
    *bits = 0;
    for (uint32_t i = 0; st == HB_OK && i < program.output_count; i++) {
        const hb_output *o = &program.outputs[i];
        const bool several = o->total && o->schema.columns > 1;
        *packed = *packed && (!several || o->packed);
        *bits += several ? (o->packed ? 1 : o->schema.columns) * bits_of(source->params, o->limbs) : 0;
    }
    hb_program_clear(&program);
    return st;
}

const hb_search hb_bfv_search = {
    .take_options = take_options,
    .check = check,
    .hold = hold,
    .begin = begin,
    .endless = endless,
    .room = room,
    .take = take,
    .fits = fits,
    .longer = 0.05,
    .complete = complete,
    .chains = hb_try_chains,
    .may_bootstrap_from = (size_t)1 << 16,
    .split = split,
    .packs = packs,
    .describe = describe,
    .print = print,
    .add_option = add_option,
    .remark = remark,
};
