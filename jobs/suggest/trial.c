#include "trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "batch/cells.h"
#include "columns.h"
#include "expression/compile/compile.h"
#include "expression/text/place.h"
#include "scheme/quality.h"

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
    hb_ranged_tables_clear(s->tables, s->read_count);
    free(s->tables);
    free(s->schemas);
    free(s->columns);
    free(s->operands);
}

/* Of a column whose range is known. */
static void bind_column(hb_trials *s, uint32_t i, uint64_t column)
{
    const hb_operand *operand = &s->operands[i];
    const hb_interval own = operand->column_ranges[column];
    const hb_interval range = own.known ? own : hb_interval_of(operand->least, operand->most);
    hb_column *of = &s->schemas[i].column[column];
    const bool is_signed = s->tables[i].path != NULL ? of->is_signed : range.least < 0;
    of->is_signed = is_signed;
    const uint64_t plain = hb_plain_for(range.least, range.most, is_signed);
    s->plain_least = plain > s->plain_least ? plain : s->plain_least;
}

/* Of a name that has a table; what was declared of its columns must hold all values. */
static hb_status take_table(hb_trials *s, uint32_t i, hb_interval *columns)
{
    const hb_operand *operand = &s->operands[i];
    const hb_ranged_table *table = &s->tables[i];
    for (uint64_t c = 0; c < table->schema.columns; c++) {
        const hb_interval all = hb_interval_of(operand->least, operand->most);
        if (!columns[c].known) {
            columns[c] = operand->ranged ? all : table->columns[c];
        }
        if (!hb_interval_within(table->columns[c], columns[c])) {
            return HB_FAIL(HB_EDATA, "%s: column %s has values outside its --range", table->path,
                           hb_cells_column(&table->schema, c).text);
        }
    }
    return HB_OK;
}

/* Rows of name i: as many as were said, which must be enough for its table. */
static hb_status count_rows(hb_trials *s, uint32_t i)
{
    const hb_ranged_table *table = &s->tables[i];
    const uint64_t said = s->request->rows, rows = table->schema.rows;
    if (table->path == NULL && said == 0 && s->rows == 0) {
        return HB_FAIL(HB_EUSAGE, "how many rows have the tables? say it with --rows N, 1 or more");
    }
    if (said > 0 && rows > said) {
        return HB_FAIL(HB_EUSAGE, "%s has more rows than --rows says", table->path);
    }
    s->schemas[i].rows = said > 0 ? said : table->path != NULL ? rows : s->rows;
    return HB_OK;
}

/* Ranges of name i, and what is missing of them. */
static hb_status bind_operand(hb_trials *s, uint32_t i, hb_interval *columns, hb_unranged *missing)
{
    hb_schema *schema = &s->schemas[i];
    HB_TRY(count_rows(s, i));
    schema->rank = 2;
    schema->width = sizeof(int64_t);
    s->operands[i] = (hb_operand){.name = s->reads[i],
                                  .schema = schema,
                                  .encrypted = true,
                                  .encoding = HB_ENCODE_SLOTS,
                                  .order = HB_PACK_COLUMNS};
    HB_TRY(hb_ranges_apply(s->ranges, s->range_count, &s->operands[i], columns));
    HB_TRY(s->tables[i].path != NULL ? take_table(s, i, columns) : HB_OK);
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

static hb_status bind(hb_trials *s, const hb_suggest_request *request)
{
    *s = (hb_trials){.request = request, .plain_least = 2};
    HB_TRY(hb_program_names(request->expression, &s->reads, &s->assigns));
    if (request->ranges != NULL) {
        HB_TRY(hb_ranges_parse(request->ranges, &s->ranges, &s->range_count));
    }
    s->read_count = count_names(s->reads);
    s->assign_count = count_names(s->assigns);
    s->schemas = calloc((size_t)s->read_count + 1, sizeof *s->schemas);
    s->operands = calloc((size_t)s->read_count + 1, sizeof *s->operands);
    s->tables = calloc((size_t)s->read_count + 1, sizeof *s->tables);
    if (s->schemas == NULL || s->operands == NULL || s->tables == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of an expression");
    }
    if (request->tables != NULL) {
        HB_TRY(hb_ranged_tables_read(s->tables, s->reads, s->read_count, request->tables));
    }
    s->rows = request->rows;
    for (uint32_t i = 0; i < s->read_count; i++) {
        const hb_schema *schema = &s->tables[i].schema;
        HB_TRY(s->tables[i].path != NULL ? hb_schema_copy(&s->schemas[i], schema) : HB_OK);
        s->rows = schema->rows > s->rows ? schema->rows : s->rows;
    }
    HB_TRY(hb_columns_find(request->expression, s->reads, s->read_count, request->columns, s->schemas));
    HB_TRY(bind_operands(s));
    const char *stranger = hb_ranges_stranger(s->ranges, s->range_count, s->operands, s->read_count);
    return stranger == NULL ? HB_OK
                            : HB_FAIL(HB_EUSAGE, "--range names '%.64s', which the expression does not read", stranger);
}

hb_status hb_trial(hb_trials *s, const hb_params_spec *spec, hb_suggestion *out)
{
    HB_TRY(hb_params_open(spec, &out->params));
    HB_TRY(hb_quality_require_fresh(out->params, true)); /* as keygen does, whatever bound eval goes by */
    const hb_quality fresh = hb_quality_fresh(out->params, true, HB_BINOMIAL);
    for (uint32_t i = 0; i < s->read_count; i++) {
        s->operands[i].limbs = out->params->data_limbs;
        s->operands[i].quality = fresh;
    }
    const hb_program *program = &out->program;
    const hb_program_source source = {.text = s->request->expression,
                                      .params = out->params,
                                      .operands = s->operands,
                                      .operand_count = s->read_count,
                                      .outputs = (const char *const *)s->assigns,
                                      .output_count = s->assign_count,
                                      .trust = s->request->trust};
    HB_TRY(hb_program_compile(&out->program, &source));
    out->key_count = program->keys.count;
    if (out->key_count > 0 && !hb_params_can_switch(out->params)) {
        return HB_FAIL(HB_ECONFIG, "no special prime, and the expression needs %" PRIu64 " keys", out->key_count);
    }
    out->worst = out->expected = INFINITY;
    for (uint32_t i = 0; i < program->output_count; i++) {
        const hb_output *o = &program->outputs[i];
        out->worst = fmin(out->worst, hb_quality_bits(out->params, o->limbs, o->quality.worst));
        out->expected = fmin(out->expected, hb_quality_bits(out->params, o->limbs, o->quality.expected));
    }
    return HB_OK;
}

uint64_t hb_plain_for(int64_t least, int64_t most, bool is_signed)
{
    if (!is_signed && least >= 0) {
        return (uint64_t)most + 1;
    }
    const uint64_t below = least < 0 ? (uint64_t)0 - (uint64_t)least : 0, above = most > 0 ? (uint64_t)most : 0;
    const uint64_t largest = below > above ? below : above;
    return largest > (uint64_t)INT64_MAX / 2 ? UINT64_MAX : 2 * largest + 1;
}

/* The largest of exactly so many bits that holds all values. */
static uint64_t plain_of_bits(const hb_trials *s, const hb_params_spec *spec, uint32_t bits)
{
    const uint64_t step = 2 * (uint64_t)spec->n, least = (uint64_t)1 << (bits - 1);
    uint64_t t = (least * 2 - 1) / step * step + 1;
    t -= t > least * 2 - 1 ? step : 0;
    while (t > least && t >= s->plain_least && (!hb_is_prime(t) || hb_params_in_chain(spec, t))) {
        t -= step < t ? step : t;
    }
    return t > least && t >= s->plain_least ? t : 0;
}

uint64_t hb_trials_plain(const hb_trials *s, const hb_params_spec *spec)
{
    const uint64_t given = s->request->plain;
    if (given != 0) {
        return (given - 1) % (2 * (uint64_t)spec->n) == 0 && !hb_params_in_chain(spec, given) ? given : 0;
    }
    if (s->request->plain_bits != 0) {
        return plain_of_bits(s, spec, s->request->plain_bits);
    }
    const uint64_t step = 2 * (uint64_t)spec->n, end = (uint64_t)1 << HB_PRIME_MAX_BITS;
    uint64_t t = (s->plain_least / step + (s->plain_least % step > 1)) * step + 1;
    while (t < end && (t == 1 || !hb_is_prime(t) || hb_params_in_chain(spec, t))) {
        t += step;
    }
    return t < end ? t : 0;
}

/* HB_ECONFIG for a t that is asked for and that no N can have. */
static hb_status check_plain(const hb_suggest_request *request)
{
    const uint64_t least_step = (uint64_t)2 << HB_MIN_LOG_N;
    if (request->plain != 0 && (request->plain >> HB_PRIME_MAX_BITS != 0 || !hb_is_prime(request->plain) ||
                                (request->plain - 1) % least_step != 0)) {
        return HB_FAIL(HB_ECONFIG,
                       "--plain %" PRIu64 " cannot batch for any N: it must be a prime = 1 mod 2N, N from %" PRIu64
                       " up, of at most %d bits; without it the smallest that does is found",
                       request->plain, least_step / 2, HB_PRIME_MAX_BITS);
    }
    if (request->plain_bits != 0 &&
        (request->plain_bits < HB_MIN_LOG_N + 2 || request->plain_bits > HB_PRIME_MAX_BITS)) {
        return HB_FAIL(HB_ECONFIG, "--plain-bits %" PRIu32 ": a t that batches has %d to %d bits", request->plain_bits,
                       HB_MIN_LOG_N + 2, HB_PRIME_MAX_BITS);
    }
    return HB_OK;
}

/* What t can be at most; 0: that is not known. */
static uint64_t most_plain(const hb_suggest_request *request)
{
    return request->plain != 0        ? request->plain
           : request->plain_bits != 0 ? ((uint64_t)1 << request->plain_bits) - 1
                                      : 0;
}

/* One result's values, which t must hold unless they may wrap. */
static hb_status take_result(hb_trials *s, const hb_output *o)
{
    const uint64_t plain = hb_plain_for(o->least, o->most, o->least < 0), most = most_plain(s->request);
    char where[48], values[64];
    hb_place(where, s->request->expression, o->at);
    hb_interval_text(values, hb_interval_of(o->least, o->most));
    if (s->request->wrap) {
        return HB_OK;
    }
    if (plain >> HB_PRIME_MAX_BITS != 0) {
        return HB_FAIL(HB_EDATA, "%s: %.64s can be %s, which no t of 60 bits holds", where, o->name, values);
    }
    if (most != 0 && plain > most) {
        return HB_FAIL(HB_EDATA,
                       "%s: %.64s can be %s, which needs a t of %" PRIu64 " or more; --wrap where that is meant", where,
                       o->name, values, plain);
    }
    s->plain_least = plain > s->plain_least ? plain : s->plain_least;
    return HB_OK;
}

/* Finds what values the results take, under parameters that no expression exhausts easily, secure or not, and raises
 * plain_least to what holds them: an expression that is wrong by itself fails here. HB_EDATA where no t, or not the one
 * that is asked for, holds them. */
static hb_status find_plain(hb_trials *s)
{
    enum { PRIMES = 60 };
    uint32_t bits[PRIMES];
    hb_params_spec spec = {
        .n = (size_t)1 << HB_RING_MAX_LOG_N, .key_limbs = PRIMES, .security = hb_security_default(), .insecure = true};
    const uint64_t most = most_plain(s->request);
    hb_suggestion trial = {0};
    hb_status st;
    for (uint32_t i = 0; i < PRIMES; i++) {
        bits[i] = HB_PRIME_MAX_BITS;
    }
    HB_GOTO(hb_create_primes(spec.n, bits, PRIMES, spec.primes));
    if (most != 0 && s->plain_least > most) {
        HB_GOTO(HB_FAIL(HB_EDATA, "the values of the tables need a t of %" PRIu64 " or more", s->plain_least));
    }
    spec.bfv.plain = most; /* as expressions have numbers up to t: good enough to find ranges by */
    for (uint32_t i = 0; i < PRIMES && spec.bfv.plain != 0; i++) {
        spec.bfv.plain -= spec.bfv.plain == spec.primes[i];
    }
    spec.bfv.plain = most != 0 ? spec.bfv.plain : hb_trials_plain(s, &spec);
    HB_GOTO(spec.bfv.plain == 0 ? HB_FAIL(HB_EDATA, "--range: values of more than 59 bits fit no t") : HB_OK);
    HB_GOTO(hb_trial(s, &spec, &trial));
    for (uint32_t i = 0; i < trial.program.output_count; i++) {
        HB_GOTO(take_result(s, &trial.program.outputs[i]));
    }
done:
    hb_suggestion_clear(&trial);
    return st;
}

hb_status hb_trials_init(hb_trials *trials, const hb_suggest_request *request)
{
    HB_TRY(check_plain(request));
    HB_TRY(bind(trials, request));
    return find_plain(trials);
}
