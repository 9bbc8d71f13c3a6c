/* What a suggestion says, as text and as JSON. */
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

static uint64_t ciphertext_bytes(const hb_params *params)
{
    return 2 * (uint64_t)hb_packed_bytes(&params->ring, params->ids, params->fresh_limbs);
}

static uint64_t key_bytes(const hb_suggestion *s)
{
    return s->key_count == 0 ? 0 : s->key_count * hb_switch_key_packed_bytes(s->params);
}

/* The keys that the program asks for, by name. */
static void print_keys(const hb_suggestion *s, FILE *to)
{
    const hb_key_requests *keys = &s->program.keys;
    bool any = false, swap = false;
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->request[i].source == HB_FROM_SQUARE) {
            fputs(" --relin", to);
        }
        swap = swap || (keys->request[i].source != HB_FROM_SQUARE && keys->request[i].step == 0);
    }
    if (swap) {
        fprintf(to, " --%s", hb_slots_swap_word(&s->params->spec));
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->request[i].step != 0) {
            fprintf(to, "%s%" PRId64, any ? "," : " --rotations ", keys->request[i].step);
            any = true;
        }
    }
}

/* Whether keygen --for makes every key of the program from the expression and what is said of its names. */
static bool for_suffices(const hb_suggestion *s, const hb_suggest_request *request)
{
    const hb_key_requests *keys = &s->program.keys;
    hb_key_requests own;
    const hb_status st = hb_program_keys(
        &own, request->expression, &s->params->spec,
        &(hb_keys_operands){
            .block = request->block, .one_row = s->one_row, .filled = request->filled, .plain = request->plain_tables});
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

/* The keygen command that makes these parameters and just the keys that the expression needs; free it. */
static char *keygen_line(const hb_suggestion *s, const hb_suggest_request *request)
{
    const hb_params *p = s->params;
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (to == NULL) {
        return NULL;
    }
    fputs("hebatch keygen", to);
    if (s->preset) {
        fprintf(to, " --params %s", s->named);
    } else if (hb_search_of(p->spec.scheme)->print_chain != NULL) {
        hb_search_of(p->spec.scheme)->print_chain(p, to);
    } else {
        fprintf(to, " --n %zu --bits ", p->spec.n);
        for (uint32_t i = 0; i < p->key_limbs; i++) {
            fprintf(to, "%s%" PRIu32, i == 0 ? "" : ",", p->ring.moduli[p->ids[i]].bits);
        }
    }
    if ((!s->preset || s->completed) && hb_search_of(p->spec.scheme)->print_option != NULL) {
        hb_search_of(p->spec.scheme)->print_option(p, to);
    }
    if (p->spec.security.level != 128 || p->spec.security.quantum) {
        fprintf(to, " --security %" PRIu32 "%s", p->spec.security.level, p->spec.security.quantum ? "q" : "");
    }
    if (p->spec.security.table != HB_SECURITY_2024) {
        fprintf(to, " --security-table %" PRIu32, hb_security_year(p->spec.security.table));
    }
    fputs(" --out KEYS", to);
    /* Which keys those are may follow from columns, weights and plain tables, too. */
    if (s->key_count > 0 && (request->block > 0 || (request->model == NULL && !for_suffices(s, request)))) {
        print_keys(s, to);
    } else if (s->key_count > 0) {
        fputs(request->model != NULL ? " --model " : " --for ", to);
        hb_shell_word(to, request->model != NULL ? request->model->path : request->expression);
        if (s->one_row != NULL) {
            fprintf(to, " --one-row %s", s->one_row);
        }
        if (request->filled != NULL) {
            fprintf(to, " --fill %s", request->filled);
        }
        if (request->plain_tables != NULL && request->model == NULL) {
            fputs(" --plain-table ", to);
            hb_shell_word(to, request->plain_tables);
        }
    }
    if (fclose(to) != 0) {
        free(line);
        return NULL;
    }
    return line;
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
        hb_console_result(group, common, "dearest       %.64s: %s left: %.0f; of the other results: %.0f or more",
                          dearest->name, real ? "primes" : "bits", hb_decimal_down(least, 0), hb_decimal_down(next, 0));
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

/* What values a result can have, in the words of their meaning. Means, variances and tables of groups are encrypted as
 * the sums and counts that decrypt makes them of, so it is these that have ranges. */
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

/* Says what is left of budget or precision: of results, and of shown ones, whose errors are hidden. */
static void print_quality(const hb_group *group, const hb_common *common, const hb_suggestion *s,
                          const hb_suggest_request *request)
{
    const double least = hb_decimal_down(s->worst, 0), shown = hb_decimal_down(s->shown, 0);
    char worst[48] = "nothing proven"; /* where errors may be larger than all values */
    if (s->worst > -(double)s->params->chain_bits) {
        snprintf(worst, sizeof worst, "%.0f bit%s left at worst", least, least == 1 ? "" : "s");
    }
    hb_console_result(group, common, "%-12s  %s, %.0f expected; depth %" PRIu32,
                      hb_quality_name(s->params->spec.scheme), worst, s->expected, s->program.depth);
    if (request->share > 0) {
        hb_console_result(group, common, "shown         %.0f bit%s left of %" PRIu64 " results whose errors are hidden",
                          shown, shown == 1 ? "" : "s", request->share);
    }
}

/* Warns of results whose errors may be as large as one, by the bound that is trusted, where nobody said how right they
 * are to be. */
static void warn_inexact(const hb_group *group, const hb_suggestion *s, const hb_suggest_request *request)
{
    const bool proven = request->trust == HB_QUALITY_WORST;
    for (uint32_t i = 0; i < s->program.output_count && request->precision == 0; i++) {
        const hb_output *o = &s->program.outputs[i];
        const double error = proven ? o->quality.worst : hb_quality_likely(s->params, o->quality);
        const double bits = hb_quality_bits(s->params, o->limbs, error);
        if (o->values.real && bits <= 0) {
            hb_console_warn(group,
                            "warning: %.64s may be off by %.3g, of values up to %.3g: --precision BITS asks for more, 4"
                            " for errors below 1/16",
                            o->name, hb_decimal_up(exp2(-bits), 0), hb_interval_magnitude(o->values));
        }
    }
}

static void print_text(const hb_group *group, const hb_common *common, const hb_suggestion *s,
                       const hb_suggest_request *request, const char *line)
{
    const hb_params *p = s->params;
    hb_console_result(group, common, "parameters    %s, N %zu, %" PRIu32 " prime%s of %" PRIu32 " bits together",
                      s->preset ? s->named : "custom", p->spec.n, p->key_limbs, p->key_limbs == 1 ? "" : "s",
                      p->chain_bits);
    hb_search_of(p->spec.scheme)->print(group, common, p);
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
    print_dearest(group, common, s);
    hb_console_result(group, common,
                      "time          about %s for %s, %.3g s a million rows, on one core of this machine",
                      hb_human_seconds(s->own_seconds).text, hb_human_things(s->rows, "row").text, s->seconds);
    hb_console_result(group, common, "ciphertext    %s for %" PRIu64 " values, made with the public key",
                      hb_human_bytes((double)ciphertext_bytes(p)).text, hb_codec_capacity(&p->spec, HB_ENCODE_SLOTS));
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
    hb_console_copy(group, common, line);
    for (char **command = s->commands; *command != NULL; command++) {
        hb_console_copy(group, common, *command);
    }
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

static json_t *outputs_json(const hb_program *program)
{
    json_t *outputs = json_array();
    for (uint32_t i = 0; i < program->output_count; i++) {
        const hb_output *o = &program->outputs[i];
        const bool real = o->values.real;
        json_t *least = real ? json_real(o->values.low) : integer_json(o, o->values.wide_least, o->least);
        json_t *most = real ? json_real(o->values.high) : integer_json(o, o->values.wide_most, o->most);
        if (json_array_append_new(outputs,
                                  json_pack("{s:s, s:o, s:o}", "name", o->name, "least", least, "most", most)) != 0) {
            json_decref(outputs);
            return NULL;
        }
    }
    return outputs;
}

static json_t *commands_json(const hb_suggestion *s)
{
    json_t *commands = json_array();
    for (char **command = s->commands; *command != NULL; command++) {
        if (json_array_append_new(commands, json_string(*command)) != 0) {
            json_decref(commands);
            return NULL;
        }
    }
    return commands;
}

hb_status hb_suggestion_print(const hb_group *group, const hb_common *common, const hb_suggestion *s,
                              const hb_suggest_request *request)
{
    char *line = keygen_line(s, request);
    hb_status st = HB_OK;
    warn_inexact(group, s, request);
    if (line == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a command line");
    }
    if (!common->json) {
        print_text(group, common, s, request, line);
    } else {
        const hb_params *p = s->params;
        st = hb_report_results(
            group, "params suggest",
            json_pack("{s:s, s:I, s:o, s:s?, s:i, s:i, s:o, s:f, s:f, s:i, s:f, s:f, s:I, s:I, s:I, s:s, s:o}",
                      "expression", request->expression, "rows", (json_int_t)s->rows, "params", hb_report_params(p),
                      "preset", s->preset ? s->named : NULL, "chain_bits", (int)p->chain_bits, "security_limit_bits",
                      (int)hb_security_limit(p->spec.security, p->spec.n), "outputs", outputs_json(&s->program),
                      "budget_worst", s->worst, "budget_expected", s->expected, "depth", (int)s->program.depth,
                      "seconds_million_rows", s->seconds, "seconds", s->own_seconds, "ciphertext_bytes_public",
                      (json_int_t)ciphertext_bytes(p), "keys", (json_int_t)s->key_count, "key_bytes",
                      (json_int_t)key_bytes(s), "keygen", line, "commands", commands_json(s)));
    }
    free(line);
    return st;
}
