/* Prints a suggestion as text and as JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outward.h"
#include "batch/cells/cells.h"
#include "batch/cells/column_values.h"
#include "cli/console.h"
#include "cli/report.h"
#include "commands.h"
#include "lang/compile/compile.h"
#include "lang/program/interval_words.h"
#include "rlwe/switch_key.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "search.h"
#include "table/epilogue.h"
#include "table/grouping.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a command line")

static uint64_t ciphertext_bytes(const hb_params *params)
{
    return 2 * (uint64_t)hb_packed_bytes(&params->ring, params->ids, params->fresh_limbs);
}

static uint64_t key_bytes(const hb_suggestion *s)
{
    return s->key_count == 0 ? 0 : s->key_count * hb_switch_key_packed_bytes(s->params);
}

/* Adds the keys that the program asks for, by name. */
static hb_status add_keys(const hb_suggestion *s, hb_words *to)
{
    const hb_key_requests *keys = &s->program.keys;
    bool any = false, swap = false;
    char *steps = NULL;
    size_t size;
    FILE *list = open_memstream(&steps, &size);
    if (list == NULL) {
        return NO_MEMORY;
    }
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < keys->count; i++) {
        const bool square = keys->request[i].source == HB_FROM_SQUARE;
        st = st == HB_OK && square ? hb_words_add(to, "--relin") : st;
        swap = swap || (!square && keys->request[i].step == 0);
        if (keys->request[i].step != 0) {
            fprintf(list, "%s%" PRId64, any ? "," : "", keys->request[i].step);
            any = true;
        }
    }
    st = st == HB_OK && swap ? hb_words_addf(to, "--%s", hb_slots_swap_word(&s->params->spec)) : st;
    st = fclose(list) == 0 ? st : NO_MEMORY;
    st = st == HB_OK && any ? hb_words_add_option(to, "rotations", steps) : st;
    free(steps);
    return st;
}

/* Whether keygen --for makes every key of the program from the expression and the declared ranges; masked: the datasets
 * whose columns are said to have masks. */
static bool for_suffices(const hb_suggestion *s, const hb_suggest_request *request, const char *masked)
{
    const hb_key_requests *keys = &s->program.keys;
    hb_key_requests own;
    const hb_keys_operands operands = {request->block,        s->one_row, request->rows_of.filled, s->spread, masked,
                                       request->plain_tables, NULL};
    const hb_status st = hb_program_keys(&own, request->expression, &s->params->spec, &operands);
    bool all = st == HB_OK;
    for (uint32_t i = 0; all && i < keys->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < own.count && !found; k++) {
            found = own.request[k].element == keys->request[i].element;
        }
        all = found || keys->request[i].bootstrapping;
    }
    hb_key_requests_clear(&own);
    hb_clear_error();
    return all;
}

/* Adds the sizes of the primes of a chain. */
static hb_status add_sizes(const hb_params *p, hb_words *to)
{
    char *sizes = NULL;
    size_t size;
    FILE *list = open_memstream(&sizes, &size);
    if (list == NULL) {
        return NO_MEMORY;
    }
    for (uint32_t i = 0; i < p->key_limbs; i++) {
        fprintf(list, "%s%" PRIu32, i == 0 ? "" : ",", p->ring.moduli[p->ids[i]].bits);
    }
    hb_status st = fclose(list) == 0 ? hb_words_add(to, "--n") : NO_MEMORY;
    st = st == HB_OK ? hb_words_addf(to, "%zu", p->spec.n) : st;
    st = st == HB_OK ? hb_words_add_option(to, "bits", sizes) : st;
    free(sizes);
    return st;
}

/* Adds the options that choose these parameters. */
static hb_status add_params(const hb_suggestion *s, const hb_suggest_request *request, hb_words *to)
{
    const hb_params *p = s->params;
    const hb_search *search = hb_search_of(p->spec.scheme);
    if (s->preset) {
        HB_TRY(hb_words_add_option(to, "params", s->named));
    } else {
        HB_TRY((search->add_chain != NULL ? search->add_chain : add_sizes)(p, to));
    }
    if ((!s->preset || s->completed) && search->add_option != NULL) {
        HB_TRY(search->add_option(p, to));
    }
    if (request->judged.insecure) {
        HB_TRY(hb_words_add(to, "--insecure"));
    }
    if (p->spec.security.level != 128 || p->spec.security.quantum) {
        HB_TRY(hb_words_add(to, "--security"));
        HB_TRY(hb_words_addf(to, "%" PRIu32 "%s", p->spec.security.level, p->spec.security.quantum ? "q" : ""));
    }
    if (p->spec.security.table != HB_SECURITY_2024) {
        HB_TRY(hb_words_add(to, "--security-table"));
        HB_TRY(hb_words_addf(to, "%" PRIu32, hb_security_year(p->spec.security.table)));
    }
    return HB_OK;
}

/* The keygen command that makes these parameters and just the keys that the expression needs. */
static hb_status find_keygen(const hb_suggestion *s, const hb_suggest_request *request, hb_words *to)
{
    HB_TRY(hb_words_add(to, "hebatch"));
    HB_TRY(hb_words_add(to, "keygen"));
    const hb_joint_spec *joint = &s->params->spec.joint;
    if (joint->owners > 1) {
        HB_TRY(hb_words_add_option(to, "session", "JOINT"));
        HB_TRY(hb_words_add_option(to, "cards",
                                   "cards/"
                                   "*.h5"));
        HB_TRY(hb_words_add(to, "--results"));
        HB_TRY(hb_words_addf(to, "%" PRIu64, joint->results));
        HB_TRY(add_params(s, request, to));
    } else if (request->judged.keys != NULL) {
        HB_TRY(hb_words_add(to, "--key"));
        HB_TRY(hb_words_addf(to, "%s/secret.h5", request->judged.keys));
    } else {
        HB_TRY(add_params(s, request, to));
        HB_TRY(hb_words_add_option(to, "out", "KEYS"));
    }
    if (s->key_count == 0) {
        return HB_OK;
    }
    /* Which keys those are may follow from columns, weights and plain tables, too. */
    const bool alone = request->model != NULL || for_suffices(s, request, NULL);
    if (request->block > 0 || (!alone && !for_suffices(s, request, s->masked))) {
        return add_keys(s, to);
    }
    HB_TRY(hb_words_add_option(to, "model", request->model != NULL ? request->model->path : NULL));
    HB_TRY(hb_words_add_option(to, "for", request->model == NULL ? request->expression : NULL));
    HB_TRY(hb_words_add_option(to, "one-row", s->one_row));
    HB_TRY(hb_words_add_option(to, "fill", request->rows_of.filled));
    HB_TRY(hb_words_add_option(to, "spread", s->spread));
    HB_TRY(hb_words_add_option(to, "masked", alone ? NULL : s->masked));
    return request->model == NULL ? hb_words_add_option(to, "plain-table", request->plain_tables) : HB_OK;
}

/* Says which of several results leaves least: bits of budget, or for reals primes, of which levels are made. Without it
 * the parameters may be smaller. */
static void print_dearest(const hb_group *group, const hb_common *common, const hb_suggestion *s)
{
    const bool real = hb_codec_cell_type(s->params->spec.scheme) == HB_CELL_REAL;
    const hb_output *dearest = NULL;
    double least = INFINITY, next = INFINITY;
    for (uint32_t i = 0; i < s->program.output_count; i++) {
        const hb_output *o = &s->program.outputs[i];
        const double left = real ? o->limbs : hb_quality_bits(s->params, o->limbs, o->quality.worst);
        next = fmin(next, fmax(left, least));
        dearest = left < least ? o : dearest;
        least = fmin(least, left);
    }
    if (next < INFINITY && next - least >= 1 && least > -(double)s->params->chain_bits) {
        char left[32] = "none proven", others[32] = "none proven"; /* likely bits may do */
        if (least >= 1) {
            snprintf(left, sizeof left, "%.0f", hb_decimal_down(least, 0));
        }
        if (next >= 1) {
            snprintf(others, sizeof others, "%.0f or more", hb_decimal_down(next, 0));
        }
        hb_console_result(group, common, "dearest       %.64s: %s left: %s; of the other results: %s", dearest->name,
                          real ? "primes" : "bits", left, others);
    }
}

/* Whether each column has a line of its own: there are few, and their ranges are known. */
static bool has_lines(const hb_schema *schema)
{
    enum { MOST = 8 };
    bool all = schema->columns > 1 && schema->columns <= MOST && schema->named;
    for (uint64_t c = 0; all && c < schema->columns; c++) {
        all = schema->column[c].ranged;
    }
    return all;
}

/* Prints the range of a result, in the words of its meaning. Means, variances and tables of groups are encrypted as
 * sums and counts, so the ranges are those of these. */
static void print_result(const hb_group *group, const hb_common *common, const hb_suggestion *s, const hb_output *o)
{
    const hb_params *p = s->params;
    const hb_search *search = hb_search_of(p->spec.scheme);
    const hb_schema *schema = &o->schema;
    const char *remark = search->remark != NULL ? search->remark(p, o) : "";
    const char *parts = schema->grouping != NULL ? ", of its sums and counts, from which decrypt computes it" : "";
    const bool own = o->values.real || hb_spec_residues(&p->spec) > 1;
    char values[HB_INTERVAL_TEXT], text[HB_VALUES_TEXT], several[64] = "";
    for (uint64_t c = 0; has_lines(schema) && c < schema->columns; c++) {
        hb_values_text(text, &schema->column[c]);
        hb_console_result(group, common, "values        %.64s: column %s: %s%s%s", o->name,
                          hb_cells_column(schema, c).text, text, parts, remark);
    }
    if (has_lines(schema)) {
        return;
    }
    if (schema->columns > 1) {
        snprintf(several, sizeof several, " in all %" PRIu64 " columns%s", schema->columns,
                 hb_schema_has_meanings(schema) ? ", as the numbers that are encrypted" : "");
    }
    hb_interval_words(values, own ? o->values : hb_interval_of(o->least, o->most),
                      schema->columns == 1 ? &schema->column[0].meaning : NULL);
    hb_console_result(group, common, "values        %.64s: %s%s%s%s", o->name, values, several, parts, remark);
}

/* Prints the remaining budget or precision: of results, and of shown ones, whose errors are hidden. */
static void print_quality(const hb_group *group, const hb_common *common, const hb_suggestion *s,
                          const hb_suggest_request *request)
{
    const double shown = hb_decimal_down(s->shown, 0);
    const bool real = hb_codec_cell_type(s->params->spec.scheme) == HB_CELL_REAL;
    const bool one = !real && hb_decimal_down(s->worst, 0) == 1;
    const bool drawn = s->program.outputs[0].quality.certainty == HB_CERTAINTY_DRAWN;
    hb_console_result(
        group, common, "%-12s  %s%s, %s; depth %" PRIu32, hb_quality_name(s->params->spec.scheme),
        hb_human_bits(s->worst, real, one ? "bit left at worst" : "bits left at worst", "none proven").text,
        drawn ? " with all but 2^-64 of probability" : "",
        hb_human_bits(s->expected, real, "expected", "none expected").text, s->program.depth);
    if (request->share > 0) {
        hb_console_result(group, common, "shown         %.0f bit%s left of %" PRIu64 " results whose errors are hidden",
                          shown, shown == 1 ? "" : "s", request->share);
    }
}

/* Returns by how much smaller the errors of all shown columns are than those of the totals: the number of rows, where
 * all columns are means of as many rows as is known (the least of the groups'); 1: not smaller; 0: it is not known, as
 * columns are made of other parts. */
static double divisor_of(const hb_grouping *g)
{
    double least = INFINITY;
    if (g == NULL || g->fetched > 0) {
        return 1;
    }
    for (uint64_t c = 0; c < g->columns; c++) {
        const hb_grouped_column *column = &g->column[c];
        if (column->epilogue != NULL && hb_epilogue_is_itself(column->epilogue)) {
            least = 1;
        } else if (column->epilogue != &hb_epilogue_mean || column->part[1] < g->parts) {
            return 0;
        }
        for (uint64_t group = 0; column->epilogue == &hb_epilogue_mean && group < g->keys.rows; group++) {
            const uint64_t rows = hb_grouping_known(g, group, column->part[1]);
            least = rows > 0 ? fmin(least, (double)rows) : least;
        }
    }
    return isfinite(least) ? least : 1;
}

/* Says how large an error is, in the unit of the result as it is decrypted, where that is known. */
static void warn_of_error(const hb_group *group, const hb_output *o, double known, double error, double most)
{
    static const char advice[] = "--precision BITS asks for more, 4 for errors below 1/16";
    if (known > 0) {
        hb_console_warn(group, "warning: %.64s may be off by %.3g, of values up to %.3g: %s", o->name, error, most,
                        advice);
        return;
    }
    const double rows = (double)o->schema.grouping->rows;
    hb_console_warn(
        group,
        "warning: %.64s is worked out of totals that may be off by %.3g, of values up to %.3g: a mean of all "
        "%.0f rows by %.2g, of fewer rows by more: %s",
        o->name, error, most, rows, error / fmax(rows, 1), advice);
}

/* Warns of results whose errors may be as large as one, by the trusted bound, where no precision was asked for. */
static void warn_inexact(const hb_group *group, const hb_suggestion *s, const hb_suggest_request *request)
{
    const bool proven = request->trust == HB_QUALITY_WORST;
    for (uint32_t i = 0; i < s->program.output_count && request->precision == 0; i++) {
        const hb_output *o = &s->program.outputs[i];
        const double error = proven ? o->quality.worst : o->likely;
        const double known = divisor_of(o->schema.grouping), divisor = known > 0 ? known : 1;
        const double bits = hb_quality_bits(s->params, o->limbs, error) + log2(divisor);
        if (o->values.real && bits <= 0) {
            warn_of_error(group, o, known, hb_decimal_up(exp2(-bits), 0), hb_interval_magnitude(o->values) / divisor);
        }
    }
}

/* Keys of several owners are made in more steps than the one that is printed. */
static void print_owners(const hb_group *group, const hb_common *common, const hb_suggestion *s)
{
    const hb_joint_spec *joint = &s->params->spec.joint;
    char counted[HB_PARAMS_COUNTED];
    hb_params_counted(counted, &s->params->spec);
    if (joint->owners > 1) {
        hb_console_result(group, common,
                          "owners        %" PRIu32 ", %" PRIu64 " results%s; all their steps: hebatch help owners",
                          joint->owners, joint->results, counted);
    }
}

static void print_text(const hb_group *group, const hb_common *common, const hb_suggestion *s,
                       const hb_suggest_request *request)
{
    const hb_params *p = s->params;
    hb_console_result(group, common, "parameters    %s, N %zu, %" PRIu32 " prime%s of %" PRIu32 " bits together",
                      s->preset ? s->named : p->name, p->spec.n, p->key_limbs, p->key_limbs == 1 ? "" : "s",
                      p->chain_bits);
    hb_search_of(p->spec.scheme)->print(group, common, s);
    if (s->encrypted != NULL && strchr(s->encrypted, ',') != NULL) {
        hb_console_result(group, common,
                          "encrypted     %s: all are taken for datasets; say --plain-table NAME=FILE of one that eval "
                          "reads as a plain table",
                          s->encrypted);
    }
    for (uint32_t i = 0; i < s->program.output_count; i++) {
        print_result(group, common, s, &s->program.outputs[i]);
    }
    hb_console_result(group, common, "security      %s",
                      hb_security_claim(p->spec.security, p->spec.n, p->chain_bits).text);
    print_quality(group, common, s, request);
    print_owners(group, common, s);
    print_dearest(group, common, s);
    hb_console_result(
        group, common, "time          about %s to compute for %s, %s for a million, on one core of this machine",
        hb_human_about(s->own_seconds).text, hb_human_things(s->rows, "row").text, hb_human_about(s->seconds).text);
    hb_console_result(group, common, "ciphertext    %s for %" PRIu64 " values, made with the public key",
                      hb_human_bytes((double)ciphertext_bytes(p) * hb_spec_residues(&p->spec)).text,
                      hb_codec_capacity(&p->spec, HB_ENCODE_SLOTS));
    hb_console_result(group, common, "keys          %" PRIu64 " besides the pair, %s", s->key_count,
                      hb_human_bytes((double)key_bytes(s)).text);
    if (request->trust == HB_QUALITY_EXPECTED) {
        hb_console_result(group, common, "in hand       %.0f bits of what is expected",
                          hb_decimal_down(hb_quality_margin(p), 0));
    }
    if (s->measures) {
        hb_console_result(
            group, common,
            "ranges        the least and most values of columns become PUBLIC as below; --range says others");
    }
}

static hb_status print_command(const hb_group *group, const hb_common *common, const hb_words *words)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (to == NULL) {
        return NO_MEMORY;
    }
    hb_words_print(words, to);
    const hb_status st = fclose(to) == 0 ? HB_OK : NO_MEMORY;
    if (st == HB_OK) {
        hb_console_copy(group, common, line);
    }
    free(line);
    return st;
}

/* The end of a range: `wide` where it is known, which `end` may not hold. */
static json_t *integer_json(const hb_output *o, hb_wide wide, int64_t end)
{
    char text[HB_WIDE_TEXT];
    if (!o->values.known) {
        return hb_report_integer((uint64_t)end, true);
    }
    hb_wide_text(text, wide);
    return json_string(text);
}

/* How exact a result of reals is, as whoever decrypts it sees it. NULL for integers, and for labels, dates, times and
 * truth values: they are exact or refused. */
static json_t *precision_json(const hb_params *p, const hb_output *o)
{
    const double most = log2(hb_interval_magnitude(o->values));
    bool exact = !o->values.real;
    for (uint64_t c = 0, all = 0; !exact && c < o->schema.columns; c++) {
        all += hb_meaning_is_discrete(&o->schema.column[c].meaning);
        exact = all == o->schema.columns;
    }
    if (exact) {
        return NULL;
    }
    const hb_quality shown =
        most < INFINITY ? hb_quality_decoded(p, o->limbs, o->quality, (hb_magnitude){most, most, 0, most}) : o->quality;
    const double known = divisor_of(o->schema.grouping), divisor = known > 0 ? known : 1;
    const double worst = hb_quality_bits(p, o->limbs, shown.worst) + log2(divisor),
                 expected = hb_quality_bits(p, o->limbs, shown.expected) + log2(divisor);
    return json_pack("{s:o, s:o, s:b, s:f}", "proven", isfinite(worst) ? json_real(worst) : json_null(), "expected",
                     isfinite(expected) ? json_real(expected) : json_null(), "of_parts", known == 0, "divided_by",
                     divisor);
}

static json_t *outputs_json(const hb_suggestion *s)
{
    const hb_program *program = &s->program;
    json_t *outputs = json_array();
    for (uint32_t i = 0; i < program->output_count; i++) {
        const hb_output *o = &program->outputs[i];
        const bool real = o->values.real;
        json_t *least = real ? json_real(o->values.low) : integer_json(o, o->values.wide_least, o->least);
        json_t *most = real ? json_real(o->values.high) : integer_json(o, o->values.wide_most, o->most);
        json_t *output = json_pack("{s:s, s:o, s:o, s:o*, s:o*}", "name", o->name, "least", least, "most", most,
                                   "precision_bits", precision_json(s->params, o), "threshold_gap",
                                   o->schema.threshold_gap > 0 ? json_real(o->schema.threshold_gap) : NULL);
        if (json_array_append_new(outputs, output) != 0) {
            json_decref(outputs);
            return NULL;
        }
    }
    return outputs;
}

/* The words of a command; NULL when out of memory. */
static json_t *words_json(const hb_words *words)
{
    json_t *all = json_array();
    for (size_t i = 0; i < words->count; i++) {
        if (json_array_append_new(all, hb_report_text(words->word[i])) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

static json_t *commands_json(const hb_suggestion *s)
{
    json_t *commands = json_array();
    for (uint32_t i = 0; i < s->command_count; i++) {
        if (json_array_append_new(commands, words_json(&s->commands[i])) != 0) {
            json_decref(commands);
            return NULL;
        }
    }
    return commands;
}

static hb_status print_json(const hb_group *group, const hb_suggestion *s, const hb_suggest_request *request,
                            const hb_words *keygen)
{
    const hb_params *p = s->params;
    return hb_report_results(
        group, "params suggest",
        json_pack("{s:s, s:I, s:o, s:s?, s:i, s:i, s:o, s:f, s:f, s:i, s:f, s:f, s:I, s:I, s:I, s:o, s:o}",
                  "expression", request->expression, "rows", (json_int_t)s->rows, "params", hb_report_params(p),
                  "preset", s->preset ? s->named : NULL, "chain_bits", (int)p->chain_bits, "security_limit_bits",
                  (int)hb_security_limit(p->spec.security, p->spec.n), "outputs", outputs_json(s), "budget_worst",
                  s->worst, "budget_expected", s->expected, "depth", (int)s->program.depth, "seconds_million_rows",
                  s->seconds, "seconds", s->own_seconds, "ciphertext_bytes_public", (json_int_t)ciphertext_bytes(p),
                  "keys", (json_int_t)s->key_count, "key_bytes", (json_int_t)key_bytes(s), "keygen", words_json(keygen),
                  "commands", commands_json(s)));
}

hb_status hb_suggestion_print(const hb_group *group, const hb_common *common, const hb_suggestion *s,
                              const hb_suggest_request *request)
{
    hb_words keygen = {0};
    hb_status st;
    warn_inexact(group, s, request);
    HB_GOTO(find_keygen(s, request, &keygen));
    if (common->json) {
        HB_GOTO(print_json(group, s, request, &keygen));
        goto done;
    }
    print_text(group, common, s, request);
    HB_GOTO(print_command(group, common, &keygen));
    for (uint32_t i = 0; i < s->command_count; i++) {
        HB_GOTO(print_command(group, common, &s->commands[i]));
    }
done:
    hb_words_clear(&keygen);
    return st;
}
