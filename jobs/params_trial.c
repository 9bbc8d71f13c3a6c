#include "params_trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prime.h"

static uint32_t count_names(char **names)
{
    uint32_t count = 0;
    while (names[count] != NULL) {
        count++;
    }
    return count;
}

void hb_trials_clear(hb_trials *s)
{
    hb_names_free(s->reads);
    hb_names_free(s->assigns);
    hb_ranges_free(s->ranges, s->range_count);
    free(s->schemas);
    free(s->columns);
    free(s->operands);
}

/* The smallest t that holds [least, most]: unsigned [0, t), signed [-floor((t - 1) / 2), floor(t / 2)] (encode.h). */
static uint64_t plain_for(int64_t least, int64_t most, bool is_signed)
{
    if (!is_signed && least >= 0) {
        return (uint64_t)most + 1;
    }
    const uint64_t below = least < 0 ? (uint64_t)0 - (uint64_t)least : 0, above = most > 0 ? (uint64_t)most : 0;
    const uint64_t largest = below > above ? below : above;
    return largest > (uint64_t)INT64_MAX / 2 ? UINT64_MAX : 2 * largest + 1;
}

static hb_status bind_operand(hb_trials *s, uint32_t i)
{
    const hb_range *range = NULL;
    for (uint32_t r = 0; r < s->range_count; r++) {
        range = strcmp(s->ranges[r].name, s->reads[i]) == 0 ? &s->ranges[r] : range;
    }
    if (range == NULL) {
        return HB_FAIL(HB_EUSAGE, "what values does '%.64s' have? say it with --range %.64s=LEAST..MOST", s->reads[i],
                       s->reads[i]);
    }
    s->columns[i] = (hb_column){.name = (char *)"", .is_signed = range->least < 0};
    s->schemas[i] =
        (hb_schema){.rows = s->wish->rows, .columns = 1, .rank = 2, .width = sizeof(int64_t), .column = &s->columns[i]};
    s->operands[i] = (hb_operand){.name = s->reads[i],
                                  .schema = &s->schemas[i],
                                  .encrypted = true,
                                  .encoding = HB_ENCODE_SLOTS,
                                  .order = HB_PACK_COLUMNS,
                                  .ranged = true,
                                  .least = range->least,
                                  .most = range->most};
    const uint64_t plain = plain_for(range->least, range->most, range->least < 0);
    s->plain_least = plain > s->plain_least ? plain : s->plain_least;
    return HB_OK;
}

static hb_status bind(hb_trials *s, const hb_suggest_wish *wish)
{
    *s = (hb_trials){.wish = wish, .plain_least = 2};
    HB_TRY(hb_program_names(wish->expression, &s->reads, &s->assigns));
    HB_TRY(hb_ranges_parse(wish->ranges, &s->ranges, &s->range_count));
    s->read_count = count_names(s->reads);
    s->assign_count = count_names(s->assigns);
    s->schemas = calloc(s->read_count + 1, sizeof *s->schemas);
    s->columns = calloc(s->read_count + 1, sizeof *s->columns);
    s->operands = calloc(s->read_count + 1, sizeof *s->operands);
    if (s->schemas == NULL || s->columns == NULL || s->operands == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of an expression");
    }
    for (uint32_t i = 0; i < s->read_count; i++) {
        HB_TRY(bind_operand(s, i));
    }
    for (uint32_t r = 0; r < s->range_count; r++) {
        bool read = false;
        for (uint32_t i = 0; i < s->read_count; i++) {
            read |= strcmp(s->ranges[r].name, s->reads[i]) == 0;
        }
        if (!read) {
            return HB_FAIL(HB_EUSAGE, "--range names '%.64s', which the expression does not read", s->ranges[r].name);
        }
    }
    return HB_OK;
}

hb_status hb_trial(hb_trials *s, const hb_params_spec *spec, hb_suggestion *out)
{
    HB_TRY(hb_params_open(spec, &out->params));
    const hb_noise noise = hb_noise_fresh(out->params, true, HB_BINOMIAL);
    for (uint32_t i = 0; i < s->read_count; i++) {
        s->operands[i].limbs = out->params->data_limbs;
        s->operands[i].noise = noise;
    }
    const hb_program *program = &out->program;
    HB_TRY(hb_program_compile(&out->program, s->wish->expression, out->params, s->operands, s->read_count,
                              (const char *const *)s->assigns, s->assign_count, s->wish->trust));
    out->key_count = program->relinearizes + program->step_count + (uint64_t)program->swaps;
    if (out->key_count > 0 && !hb_params_can_switch(out->params)) {
        return HB_FAIL(HB_ECONFIG, "no special prime, and the expression needs %" PRIu64 " keys", out->key_count);
    }
    out->worst = out->expected = INFINITY;
    for (uint32_t i = 0; i < program->output_count; i++) {
        const hb_output *o = &program->outputs[i];
        out->worst = fmin(out->worst, hb_noise_budget_of(out->params, o->limbs, o->noise.worst));
        out->expected = fmin(out->expected, hb_noise_budget_of(out->params, o->limbs, o->noise.expected));
    }
    return HB_OK;
}

static bool in_chain(const hb_params_spec *spec, uint64_t prime)
{
    bool found = false;
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        found |= spec->primes[i] == prime;
    }
    return found;
}

uint64_t hb_trials_plain(const hb_trials *s, const hb_params_spec *spec)
{
    const uint64_t step = 2 * (uint64_t)spec->n, end = (uint64_t)1 << HB_PRIME_MAX_BITS;
    uint64_t t = (s->plain_least / step + (s->plain_least % step > 1)) * step + 1;
    while (t < end && (t == 1 || !hb_is_prime(t) || in_chain(spec, t))) {
        t += step;
    }
    return t < end ? t : 0;
}

/* Finds what values the results take, under parameters that no expression exhausts easily, secure or not: an expression
 * that is wrong by itself fails here. */
static hb_status find_plain(hb_trials *s)
{
    enum { PRIMES = 60 };
    uint32_t bits[PRIMES];
    hb_params_spec spec = {.n = (size_t)1 << HB_RING_MAX_LOG_N, .key_limbs = PRIMES, .security = 128, .insecure = true};
    hb_suggestion trial = {0};
    hb_status st;
    for (uint32_t i = 0; i < PRIMES; i++) {
        bits[i] = HB_PRIME_MAX_BITS;
    }
    HB_GOTO(hb_create_primes(spec.n, bits, PRIMES, spec.primes));
    spec.plain = hb_trials_plain(s, &spec);
    HB_GOTO(spec.plain == 0 ? HB_FAIL(HB_EDATA, "--range: values of more than 59 bits fit no t") : HB_OK);
    HB_GOTO(hb_trial(s, &spec, &trial));
    for (uint32_t i = 0; i < trial.program.output_count; i++) {
        const hb_output *o = &trial.program.outputs[i];
        const uint64_t plain = plain_for(o->least, o->most, o->schema.column[0].is_signed);
        s->plain_least = plain > s->plain_least ? plain : s->plain_least;
        if (plain >> HB_PRIME_MAX_BITS != 0) {
            HB_GOTO(HB_FAIL(HB_EDATA,
                            "column %" PRIu32 ": %.64s reaches from %" PRId64 " to %" PRId64
                            ", which no t of 60 bits holds",
                            o->at, o->name, o->least, o->most));
        }
    }
done:
    hb_suggestion_clear(&trial);
    return st;
}

hb_status hb_trials_init(hb_trials *trials, const hb_suggest_wish *wish)
{
    HB_TRY(bind(trials, wish));
    return find_plain(trials);
}
