#include "params_trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "params_columns.h"
#include "place.h"
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
    for (uint32_t i = 0; s->schemas != NULL && i < s->read_count; i++) {
        hb_schema_clear(&s->schemas[i]);
    }
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

/* Of a column whose range is known. */
static void bind_column(hb_trials *s, uint32_t i, uint64_t column)
{
    const hb_operand *operand = &s->operands[i];
    const hb_interval own = operand->column_ranges[column];
    const hb_interval range = own.known ? own : hb_interval_of(operand->least, operand->most);
    const bool is_signed = range.least < 0;
    s->schemas[i].column[column].is_signed = is_signed;
    const uint64_t plain = plain_for(range.least, range.most, is_signed);
    s->plain_least = plain > s->plain_least ? plain : s->plain_least;
}

/* Ranges of name i, and what is missing of them. */
static hb_status bind_operand(hb_trials *s, uint32_t i, hb_interval *columns, hb_unranged *missing)
{
    hb_schema *schema = &s->schemas[i];
    schema->rows = s->wish->rows;
    schema->rank = 2;
    schema->width = sizeof(int64_t);
    s->operands[i] = (hb_operand){.name = s->reads[i],
                                  .schema = schema,
                                  .encrypted = true,
                                  .encoding = HB_ENCODE_SLOTS,
                                  .order = HB_PACK_COLUMNS};
    HB_TRY(hb_ranges_apply(s->ranges, s->range_count, &s->operands[i], columns));
    bool *known = malloc((size_t)schema->columns + 1), all = true;
    if (known == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        known[c] = columns[c].known || s->operands[i].ranged;
        all &= known[c];
        if (known[c]) {
            bind_column(s, i, c);
        }
    }
    if (!all) {
        hb_unranged_add(missing, &s->operands[i], known);
    }
    free(known);
    return HB_OK;
}

static hb_status bind_operands(hb_trials *s)
{
    hb_unranged missing = {.count = 0};
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->read_count; i++) {
        all += s->schemas[i].columns;
    }
    hb_interval *next = s->columns = calloc((size_t)all + 1, sizeof *next);
    if (next == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", all);
    }
    for (uint32_t i = 0; i < s->read_count; i++) {
        HB_TRY(bind_operand(s, i, next, &missing));
        next += s->schemas[i].columns;
    }
    return missing.count == 0 ? HB_OK
                              : HB_FAIL(HB_EUSAGE, "what values do these have: %s? say it with --range %s",
                                        missing.names, missing.option);
}

static hb_status bind(hb_trials *s, const hb_suggest_wish *wish)
{
    *s = (hb_trials){.wish = wish, .plain_least = 2};
    HB_TRY(hb_program_names(wish->expression, &s->reads, &s->assigns));
    if (wish->ranges != NULL) {
        HB_TRY(hb_ranges_parse(wish->ranges, &s->ranges, &s->range_count));
    }
    s->read_count = count_names(s->reads);
    s->assign_count = count_names(s->assigns);
    s->schemas = calloc((size_t)s->read_count + 1, sizeof *s->schemas);
    s->operands = calloc((size_t)s->read_count + 1, sizeof *s->operands);
    if (s->schemas == NULL || s->operands == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of an expression");
    }
    HB_TRY(hb_columns_find(wish->expression, s->reads, s->read_count, wish->columns, s->schemas));
    HB_TRY(bind_operands(s));
    const char *stranger = hb_ranges_stranger(s->ranges, s->range_count, s->operands, s->read_count);
    return stranger == NULL ? HB_OK
                            : HB_FAIL(HB_EUSAGE, "--range names '%.64s', which the expression does not read", stranger);
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
    hb_params_spec spec = {
        .n = (size_t)1 << HB_RING_MAX_LOG_N, .key_limbs = PRIMES, .security = hb_security_default(), .insecure = true};
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
        const uint64_t plain = plain_for(o->least, o->most, o->least < 0);
        s->plain_least = plain > s->plain_least ? plain : s->plain_least;
        if (plain >> HB_PRIME_MAX_BITS != 0) {
            char where[48], values[64];
            hb_place(where, s->wish->expression, o->at);
            hb_interval_text(values, hb_interval_of(o->least, o->most));
            HB_GOTO(HB_FAIL(HB_EDATA, "%s: %.64s can be %s, which no t of 60 bits holds", where, o->name, values));
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
