/* Chains of CKKS: as many levels as an expression goes down, the smallest scale that keeps the precision that is asked
 * for, a first prime with room for the results, and as many special primes as the table of security has room for. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "chains.h"
#include "ckks/params.h"
#include "ckks/presets.h"
#include "cli/console.h"
#include "scheme/quality.h"
#include "search.h"

enum {
    FIRST_SPARE = 2,  /* bits of q_0 above the scale and the values: for the sign, and for the error */
    DIGIT_SPARE = 7,  /* of the special primes above a digit (ckks/params.h), whose primes may be a bit longer */
    LEAST_SCALE = 34, /* primes near the scale are above 2^32 */
    MOST_SCALE = HB_CKKS_PRIME_BITS - 1,
    LONG_SCALE = 45,
    LONG_LEVELS = 46, /* of a chain that no expression exhausts easily ... */
    LONG_WIDE_SCALE = 90,
    LONG_MIDDLE_SCALE = 77,
    LONG_WIDE_LEVELS = 23,
    LONG_LOG_N = 13,
    LONG_SPECIAL = 16, /* ... whose digits these exceed */
    LEAST_PRECISION = 10,
    CODED_BITS = 61,       /* of an encoded value, with the scale (ckks/codec.h) ... */
    WIDE_CODED_BITS = 124, /* ... that is longer than one prime */
    DECODED_BITS = 126     /* of a value with the scale beside its sign and its error (ckks/error.h: room) */
};

static hb_status take_options(hb_suggest_request *request, const hb_params_choice *choice)
{
    const hb_ckks_choice *of = &choice->ckks;
    if (of->levels != HB_NOT_GIVEN || of->first_bits != HB_NOT_GIVEN || of->like_seal) {
        return HB_FAIL(HB_EUSAGE, "suggest chooses levels, first prime and family: of --scale-bits, --levels, "
                                  "--first-bits, --like-seal it takes the first alone");
    }
    const uint64_t bits = of->scale_bits;
    if (bits != HB_NOT_GIVEN && !(bits >= LEAST_SCALE && bits <= MOST_SCALE) &&
        !(bits >= HB_CKKS_LEAST_WIDE_SCALE_BITS && bits <= HB_CKKS_MOST_WIDE_SCALE_BITS)) {
        return HB_FAIL(HB_ECONFIG, "--scale-bits %" PRIu64 ": chains that are suggested have %d to %d, or %d to %d",
                       bits, LEAST_SCALE, MOST_SCALE, HB_CKKS_LEAST_WIDE_SCALE_BITS, HB_CKKS_MOST_WIDE_SCALE_BITS);
    }
    request->ckks.scale_bits = of->scale_bits == HB_NOT_GIVEN ? 0 : (uint32_t)of->scale_bits;
    return HB_OK;
}

static hb_status check(const hb_suggest_request *request)
{
    if (request->wrap) {
        return HB_FAIL(HB_EUSAGE, "--wrap: values of %s do not wrap around", hb_scheme_name(HB_CKKS));
    }
    return request->precision <= HB_CKKS_MOST_WIDE_SCALE_BITS
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "--precision %" PRIu32 ": scales have at most %d bits", request->precision,
                         HB_CKKS_MOST_WIDE_SCALE_BITS);
}

/* The least number of bits that hold values up to that magnitude, but for the sign. */
static uint32_t bits_of_magnitude(double magnitude)
{
    return magnitude <= 1 ? 0 : magnitude < 0x1p1000 ? (uint32_t)ceil(log2(magnitude)) : 1000;
}

static uint32_t bits_of(hb_interval values)
{
    return bits_of_magnitude(hb_interval_magnitude(values));
}

static void hold(hb_trials *s, hb_interval values, bool is_signed)
{
    const uint32_t bits = bits_of(values);
    (void)is_signed;
    s->ckks.input_bits = bits > s->ckks.input_bits ? bits : s->ckks.input_bits;
}

/* The largest scale that encodes the values of the tables. */
static uint32_t coded_scale(const hb_trials *s, bool wide)
{
    const uint32_t bits = wide ? WIDE_CODED_BITS : CODED_BITS;
    return bits > s->ckks.input_bits ? bits - s->ckks.input_bits : 0;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Longer and wider than any that is secure; or shorter, with a scale of two primes. */
static hb_status find_long(const hb_trials *s, hb_params_spec *spec)
{
    const hb_ckks_chain chain = {HB_CKKS_PRIME_BITS, s->ckks.long_scale, s->ckks.wide ? LONG_WIDE_LEVELS : LONG_LEVELS,
                                 LONG_SPECIAL};
    return hb_ckks_find_chain(spec, &chain);
}

/* Goes to the next scale of such chains: errors that fill a level of one prime may leave room in one of two, and of
 * those a smaller scale leaves room for larger values. False: there is none. */
static bool next_long(hb_trials *s)
{
    static const uint32_t scales[] = {LONG_SCALE, LONG_WIDE_SCALE, LONG_MIDDLE_SCALE, HB_CKKS_LEAST_WIDE_SCALE_BITS};
    const uint32_t before = s->ckks.long_scale;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const bool wide = i > 0, behind = before == 0 || (wide && (!s->ckks.wide || scales[i] < before));
        const uint32_t scale = smaller(scales[i], coded_scale(s, wide));
        if (behind && scale != before && scale >= (wide ? HB_CKKS_LEAST_WIDE_SCALE_BITS : LEAST_SCALE)) {
            s->ckks.wide = wide;
            s->ckks.long_scale = scale;
            return true;
        }
    }
    return false;
}

/* Finds the first preset with bootstrapping for which the expression compiles, as the trust says; precise: with the
 * precision that is asked for. Where there is none *name is NULL, and the cause is that of the first one, whose literal
 * *spec has then; HB_EDATA where none is as secure as is asked for. HB_ENOMEM. */
static hb_status find_endless(hb_trials *s, hb_params_spec *spec, bool precise, const char **name, hb_error *cause)
{
    hb_params_spec first = *spec;
    hb_status st = HB_EDATA;
    size_t tried = 0, insecure = 0;
    for (size_t i = 0; st != HB_OK && st != HB_ENOMEM && (*name = hb_next_bootstrapping(s, &i, spec)) != NULL;) {
        hb_suggestion trial = {0};
        st = hb_trial(s, spec, !precise, &trial);
        hb_suggestion_clear(&trial);
        insecure += st == HB_ECONFIG ? 1 : 0;
        if (tried++ == 0) {
            first = *spec;
            *cause = *hb_last_error();
        }
    }
    *spec = *name != NULL ? *spec : first;
    if (insecure == tried && tried > 0) {
        return HB_FAIL(HB_EDATA,
                       "no chain has as many levels, and no preset with bootstrapping is as secure as is asked "
                       "for: their chains are for 128 bits by the table of 2024");
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

/* Where bootstrapping is to make the levels. Results without a proven bound may do by the likely one, with a note. */
static hb_status begin_endless(hb_trials *s, hb_params_spec *spec)
{
    const hb_suggest_request *request = s->request;
    hb_suggest_request trusting = *request;
    const char *name = NULL;
    hb_error cause, other;
    HB_TRY(find_endless(s, spec, false, &name, &cause));
    if (name != NULL || request->trust != HB_QUALITY_WORST) {
        return HB_OK; /* where there is none the next attempt reports the missing part */
    }
    trusting.trust = HB_QUALITY_EXPECTED;
    s->request = &trusting;
    const hb_status st = find_endless(s, spec, true, &name, &other);
    s->request = request;
    return st != HB_OK || name == NULL
               ? st
               : HB_FAIL(HB_EDATA, "%.400s; %s would do with --noise expected", cause.text, name);
}

/* For a small ring, as errors grow with it. An expression that no chain has the levels for may have them with
 * bootstrapping. */
static hb_status begin(hb_trials *s, hb_params_spec *spec)
{
    hb_suggestion trial = {0};
    hb_status st = HB_EDATA;
    spec->n = (size_t)1 << LONG_LOG_N;
    s->ckks.long_scale = 0;
    s->ckks.precision = s->ckks.nearest = -INFINITY;
    while (st == HB_EDATA && next_long(s)) {
        HB_TRY(find_long(s, spec));
        st = hb_trial(s, spec, true, &trial);
        hb_suggestion_clear(&trial);
    }
    if (s->ckks.long_scale == 0) {
        return HB_FAIL(HB_EDATA,
                       "values of the tables can be up to 2^%" PRIu32 ", and no scale holds more than 2^%d: divide "
                       "them by a power of two before they are encrypted",
                       s->ckks.input_bits, WIDE_CODED_BITS - HB_CKKS_LEAST_WIDE_SCALE_BITS);
    }
    s->ckks.endless = st == HB_EDATA;
    return s->ckks.endless ? begin_endless(s, spec) : HB_OK;
}

/* The column of a result with the smallest values says how large its errors may be: a count beside a sum of thousands
 * keeps as many of its own bits. Columns of nothing but 0 say nothing. */
static double smallest_of(const hb_output *o)
{
    double smallest = INFINITY;
    for (uint64_t c = 0; c < o->schema.columns; c++) {
        const hb_column *column = &o->schema.column[c];
        const double most = fmax(fabs(hb_real_of(column->least)), fabs(hb_real_of(column->most)));
        smallest = column->ranged && most > 0 ? fmin(smallest, most) : smallest;
    }
    return smallest < INFINITY ? smallest : hb_interval_magnitude(o->values);
}

/* Bits behind the binary point; without a wish, so many relative to the largest value that a column can have. */
static double precision_of(const hb_trials *s, const hb_output *o)
{
    return s->request->precision != 0 ? s->request->precision
                                      : LEAST_PRECISION - (double)bits_of_magnitude(smallest_of(o));
}

static hb_status take(hb_trials *s, const hb_output *o)
{
    const uint32_t bits = bits_of(o->values), precision = s->request->precision;
    if (precision != 0 && precision + bits > DBL_MANT_DIG) {
        return HB_FAIL(HB_EDATA,
                       "--precision %" PRIu32 ": decrypted results are doubles, and beside values up to 2^%" PRIu32
                       " these keep %" PRIu32 " bits",
                       precision, bits, bits < DBL_MANT_DIG ? DBL_MANT_DIG - bits : 0);
    }
    s->ckks.value_bits = bits > s->ckks.value_bits ? bits : s->ckks.value_bits;
    s->ckks.precision = fmax(s->ckks.precision, precision_of(s, o));
    return HB_OK;
}

/* Returns whether a preset is one of our own family; its levels, its room for values and its precision are tried. */
static bool fits(const hb_trials *s, const hb_params_spec *preset)
{
    const uint32_t asked = s->request->ckks.scale_bits;
    return !preset->ckks.like_seal && (asked == 0 || asked == preset->ckks.scale_bits);
}

static bool complete(const hb_trials *s, hb_params_spec *spec)
{
    (void)s, (void)spec;
    return false; /* nothing but the chain is chosen */
}

static void describe(const hb_trials *s, char text[160])
{
    char levels[48] = "more levels than any chain has", nearest[48] = "";
    if (s->ckks.counted > 0) {
        snprintf(levels, sizeof levels, "%" PRIu32 " level%s", s->ckks.counted, s->ckks.counted == 1 ? "" : "s");
    }
    const double wanted = s->ckks.precision, best = floor(wanted + s->ckks.nearest);
    if (s->ckks.nearest < 0 && s->ckks.nearest > -1000) {
        snprintf(nearest, sizeof nearest,
                 best < 0 ? ", and the best have errors up to 2^%.0f" : ", and the best keep %.0f", fabs(best));
    }
    char precision[48]; /* results larger than 1 may have larger errors */
    snprintf(precision, sizeof precision, wanted < 0 ? "errors up to 2^%.0f" : "%.0f bits of precision", fabs(wanted));
    snprintf(text, 160, "%s, results up to 2^%" PRIu32 ", %s%s", levels, s->ckks.value_bits, precision, nearest);
}

/* How a chain is cut: primes that a level owns, levels that it has more than the expression goes down, and special
 * primes. */
typedef struct cut {
    size_t n;
    uint32_t own, spare_levels, special;
} cut;

/* Bits of q_0 above the scale. Results that are left above the lowest level have room in other primes as well. */
static uint32_t first_spare(const hb_trials *s, const cut *c)
{
    return FIRST_SPARE + (c->spare_levels == 0 ? s->ckks.value_bits : 0);
}

/* Bits of each prime of the lowest level. */
static uint32_t first_bits(const hb_trials *s, const cut *c, uint32_t scale)
{
    return (scale + first_spare(s, c) + c->own - 1) / c->own;
}

static uint32_t least_scale(const cut *c)
{
    return c->own > 1 ? HB_CKKS_LEAST_WIDE_SCALE_BITS : LEAST_SCALE;
}

/* The largest scale of a chain, by the table, the words, the digits and the encoding; below the least one: there is
 * none. The first digit gets the spared bits; with two primes a level up to one bit more, as these have halves. */
static uint32_t most_scale(const hb_trials *s, const cut *c)
{
    const int64_t limit = hb_security_limit(s->request->security, c->n), spare = first_spare(s, c);
    const int64_t wide = HB_CKKS_PRIME_BITS, special = c->special, own = c->own, halves = own - 1;
    const int64_t bounds[] = {
        own > 1 ? HB_CKKS_MOST_WIDE_SCALE_BITS : MOST_SCALE,
        (limit - spare - halves - wide * special) / (s->ckks.levels + c->spare_levels + 1),
        own * wide - spare - halves,
        special > 1 ? own * (wide * special - spare - halves - DIGIT_SPARE) / special : own * wide,
        coded_scale(s, own > 1),
        DECODED_BITS - (int64_t)s->ckks.room_bits,
    };
    int64_t least = bounds[0];
    for (size_t i = 1; i < sizeof bounds / sizeof *bounds; i++) {
        least = bounds[i] < least ? bounds[i] : least;
    }
    return least > 0 ? (uint32_t)least : 0;
}

static hb_status try_scale(hb_trials *s, const cut *c, uint32_t scale, hb_suggestion *out, bool *found)
{
    const hb_ckks_chain chain = {first_bits(s, c, scale), scale, s->ckks.levels + c->spare_levels, c->special};
    hb_params_spec spec = {.n = c->n, .security = s->request->security};
    *found = false;
    return hb_ckks_find_chain(&spec, &chain) == HB_OK ? hb_trial_chain(s, &spec, out, found) : HB_OK;
}

/* The smallest scale that does, from the largest one down: precision grows with it. */
static hb_status try_cut(hb_trials *s, const cut *c, hb_suggestion *out, bool *found)
{
    const uint32_t asked = s->request->ckks.scale_bits, most = most_scale(s, c);
    uint32_t low = asked != 0 ? asked : least_scale(c), high = asked != 0 ? asked : most;
    *found = false;
    if (low > most || low < least_scale(c)) {
        return HB_OK;
    }
    HB_TRY(try_scale(s, c, high, out, found));
    while (*found && low < high) { /* `high` does */
        const uint32_t middle = (low + high) / 2;
        bool did;
        HB_TRY(try_scale(s, c, middle, out, &did));
        low = did ? low : middle + 1;
        high = did ? middle : high;
    }
    return HB_OK;
}

/* Levels that a program goes down. */
static uint32_t levels_of(const hb_suggestion *trial)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < trial->program.output_count; i++) {
        const uint32_t levels = hb_params_level(trial->params, trial->params->fresh_limbs) -
                                hb_params_level(trial->params, trial->program.outputs[i].limbs);
        most = levels > most ? levels : most;
    }
    return most;
}

/* Notes how many levels the expression goes down in this ring, whose ciphertexts its rows fill or not; *found false
 * where no chain of it will do. */
static hb_status count_levels(hb_trials *s, size_t n, bool *found)
{
    hb_params_spec spec = {.n = n, .security = s->request->security, .insecure = true};
    hb_suggestion trial = {0};
    HB_TRY(find_long(s, &spec));
    /* Functions that are right enough for the precision of the results may be longer, and take more levels, than those
     * of as many bits. Where nothing is right enough in this chain, it may be in others. */
    hb_status st = s->request->precision > 0 ? hb_trial(s, &spec, false, &trial) : HB_EDATA;
    if (st == HB_EDATA) {
        hb_suggestion_clear(&trial);
        st = hb_trial(s, &spec, true, &trial);
    }
    *found = st == HB_OK;
    s->ckks.levels = *found ? levels_of(&trial) : 0;
    s->ckks.counted = *found ? s->ckks.levels : s->ckks.counted;
    s->ckks.room_bits = *found ? bits_of_magnitude(trial.program.magnitude) : 0;
    hb_suggestion_clear(&trial);
    if (st == HB_EDATA && next_long(s)) { /* errors grow with the ring */
        return count_levels(s, n, found);
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

/* Functions that are right enough in no chain of the scale that counted levels may be in one of a larger scale, with
 * more levels: counts these. *more: there are. */
static hb_status count_more_levels(hb_trials *s, size_t n, bool *more)
{
    hb_params_spec spec = {.n = n, .security = s->request->security, .insecure = true};
    const hb_ckks_requirements before = s->ckks;
    hb_status st = HB_EDATA;
    uint32_t levels = 0;
    while (s->request->precision > 0 && st == HB_EDATA && next_long(s)) {
        hb_suggestion trial = {0};
        HB_TRY(find_long(s, &spec));
        st = hb_trial(s, &spec, false, &trial);
        levels = st == HB_OK ? levels_of(&trial) : 0;
        hb_suggestion_clear(&trial);
    }
    s->ckks = before;
    *more = levels > before.levels;
    if (*more) {
        s->ckks.levels = s->ckks.counted = levels;
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

/* More special primes make fewer digits, so smaller keys and less work, but a longer chain. */
static hb_status try_own(hb_trials *s, size_t n, uint32_t own, hb_suggestion *out, bool *found)
{
    const uint32_t scale = own > 1 ? HB_CKKS_LEAST_WIDE_SCALE_BITS : LEAST_SCALE;
    for (uint32_t spare = 0; !*found && spare <= 1; spare++) {
        for (uint32_t special = hb_ckks_special_limbs(scale, s->ckks.levels + spare); !*found && special >= 1;
             special--) {
            const cut c = {n, own, spare, special};
            HB_TRY(try_cut(s, &c, out, found));
        }
    }
    return HB_OK;
}

/* Levels of one prime do less work than those of two. */
static hb_status chains(hb_trials *s, size_t n, hb_suggestion *out, bool *found)
{
    bool possible = false;
    *found = false;
    if (s->ckks.endless) {
        return HB_OK;
    }
    HB_TRY(count_levels(s, n, &possible));
    while (possible && !*found) {
        for (uint32_t own = s->ckks.wide ? 2 : 1; !*found && own <= HB_CKKS_MOST_LEVEL_PRIMES; own++) {
            HB_TRY(try_own(s, n, own, out, found));
        }
        if (!*found) {
            HB_TRY(count_more_levels(s, n, &possible));
        }
    }
    return HB_OK;
}

static void print(const hb_group *group, const hb_common *common, const hb_suggestion *found)
{
    const hb_params *params = found->params;
    hb_console_result(group, common, "levels        %" PRIu32 ", scale 2^%" PRIu32,
                      hb_params_level(params, params->fresh_limbs), params->spec.ckks.scale_bits);
}

static hb_status add_chain(const hb_params *params, hb_words *to)
{
    const struct {
        const char *option;
        size_t value;
    } rows[] = {{"n", params->spec.n},
                {"levels", hb_params_level(params, params->fresh_limbs)},
                {"scale-bits", params->spec.ckks.scale_bits},
                {"first-bits", params->ring.moduli[params->ids[0]].bits},
                {"special-primes", params->special_limbs}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HB_TRY(hb_words_addf(to, "--%s", rows[i].option));
        HB_TRY(hb_words_addf(to, "%zu", rows[i].value));
    }
    return HB_OK;
}

const hb_search hb_ckks_search = {
    .take_options = take_options,
    .check = check,
    .hold = hold,
    .begin = begin,
    .take = take,
    .fits = fits,
    .longer = 0.25, /* as many words, and bits that are precision */
    .complete = complete,
    .describe = describe,
    .precision = precision_of,
    .chains = chains,
    .larger = true,
    .print = print,
    .add_chain = add_chain,
};
