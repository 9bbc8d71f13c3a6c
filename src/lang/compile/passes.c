/* The list of passes stands at the end: from text to program in the order in which they run. */
#include "passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache.h"
#include "compact.h"
#include "discrete_results.h"
#include "graph_keys.h"
#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/analysis/error_analysis.h"
#include "lang/analysis/graph_print.h"
#include "lang/functions/functions.h"
#include "lang/functions/list.h"
#include "lang/ir/blocks.h"
#include "lang/ir/known.h"
#include "lang/ir/levels.h"
#include "lang/ir/semantics.h"
#include "lang/program/interval_words.h"
#include "lang/program/resume_points.h"
#include "levels_pass.h"
#include "matrix_sums.h"
#include "notes.h"
#include "parts_check.h"
#include "result_schema.h"
#include "verify.h"

/* --- of the text */

/* A text is parsed once, however often it is compiled. */
static hb_status parse(hb_compilation *c)
{
    hb_compile_cache *cache = c->source->cache;
    if (cache->text == NULL || strcmp(cache->text, c->source->text) != 0) {
        hb_syntax_clear(&cache->syntax);
        free(cache->text);
        cache->text = strdup(c->source->text);
        if (cache->text == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for an expression");
        }
        const hb_status st = hb_syntax_parse(&cache->syntax, cache->text, hb_lang_functions);
        if (st != HB_OK) { /* and so it is parsed again */
            free(cache->text);
            cache->text = NULL;
            return st;
        }
        cache->parsed++;
    }
    c->syntax = &cache->syntax;
    return HB_OK;
}

/* --- of the graph */

/* The largest of all datasets: loading refuses others. */
static uint64_t block_of(const hb_program_source *from)
{
    uint64_t block = 1;
    for (uint32_t i = 0; i < from->operand_count; i++) {
        const hb_operand *operand = &from->operands[i];
        block = operand->encrypted && operand->block > block ? operand->block : block;
    }
    return block;
}

static hb_graph empty_graph(const hb_compilation *c)
{
    const hb_program_source *from = c->source;
    const hb_params *params = from->params;
    const hb_semantics *semantics = hb_semantics_of(params->spec.scheme);
    const bool bootstraps = c->how.bootstraps != HB_BOOTSTRAPS_NONE && semantics->reals;
    return (hb_graph){.syntax = c->syntax,
                      .params = params,
                      .operands = from->operands,
                      .operand_count = from->operand_count,
                      .found = {from->cache->interpolations, from->cache->approximations, from->cache->matrices},
                      .constants.derived.known = &from->cache->derived,
                      .spec = &params->spec,
                      .boundless = bootstraps,
                      .unplaced = true,
                      .couples = bootstraps && !c->how.apart,
                      .bootstrapped = c->how.bootstraps == HB_BOOTSTRAPS_LOWEST ? HB_BOOTSTRAPPED_FROM_LOWEST
                                      : from->bootstrap == HB_BOOTSTRAP_TWICE   ? HB_BOOTSTRAPPED_TWICE
                                                                                : HB_BOOTSTRAPPED_ONCE,
                      .block = block_of(from),
                      .semantics = semantics};
}

/* Types are found once for a source, however often it is tried. */
static hb_status find_types(hb_compilation *c)
{
    hb_lowering first = {.graph = empty_graph(c)};
    HB_TRY(hb_lower_check(&first));
    c->checked = first.checked;
    return HB_OK;
}

static hb_status lower(hb_compilation *c)
{
    const hb_program_source *from = c->source;
    hb_lowering *l = &c->lowering;
    if (c->kept) {
        return HB_OK;
    }
    l->checked = hb_checked_share(c->checked);
    l->graph = empty_graph(c);
    l->approximations.bits_wanted = from->bits > 0;
    l->approximations.bits = (from->bits > 0 ? from->bits + 1 : HB_LOWERING_BITS) + c->how.bits;
    l->approximations.gap = from->gap;
    l->approximations.always = c->how.always;
    l->shortest = c->how.shortest;
    l->predicates.shallow = c->how.shortest;
    l->measured = from->measured;
    return hb_lower(l);
}

static hb_status unknown_output(const hb_lowering *l, const char *name)
{
    const hb_syntax *s = l->graph.syntax;
    for (uint32_t i = 0; i < l->graph.operand_count; i++) {
        if (strcmp(l->graph.operands[i].name, name) == 0) {
            return HB_FAIL(HB_EUSAGE, "%.40s is both read and written; choose another name for the result", name);
        }
    }
    char last[64];
    hb_excerpt(last, sizeof last, s->text, s->items[s->count - 1].from, s->items[s->count - 1].to);
    return HB_FAIL(HB_EUSAGE, "the expression assigns nothing to '%.40s'; its last statement is '%s'", name, last);
}

/* Refuses a result with a number in the place of something encrypted; a condition that says nothing may be why. */
static hb_status check_encrypted(const hb_lowering *l, const hb_symbol *symbol)
{
    const hb_graph *g = &l->graph;
    char number[HB_INTERVAL_TEXT], why[HB_SETTLED_TEXT];
    for (uint32_t i = 0; i < symbol->value.columns; i++) {
        const uint32_t node = l->pool[symbol->value.first + i];
        const bool known = hb_node_is_known(g, node);
        if (known || g->nodes[node].form.fingerprint == 0) {
            hb_lower_settled_text(why, l, 0);
            hb_interval_words(number, g->nodes[node].range.interval, hb_value_meaning(&symbol->value, i));
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->nodes[node].origin.at,
                              "nothing encrypted is left here: %s%s%severyone could read the result (a transparent "
                              "ciphertext, which is refused)%s%s",
                              known ? "this is " : "", known ? number : "", known ? " whatever is encrypted, and " : "",
                              why[0] != '\0' ? "; " : "", why);
        }
    }
    return HB_OK;
}

/* Gathers the terms of the columns of an output. */
static hb_status gather_output(hb_lowering *l, const hb_symbol *symbol)
{
    hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    hb_graph_at_item(g, symbol->item, symbol->iteration);
    for (uint32_t i = 0; hb_graph_at_column(g, i, value->columns); i++) {
        uint32_t *node = &l->pool[value->first + i];
        HB_TRY(hb_graph_gather(g, *node, node));
    }
    return HB_OK;
}

/* Gives an output columns of its own, for it is brought to a level by itself: other names may stand for the same
 * ones. */
static hb_status own_columns(hb_lowering *l, hb_value *value)
{
    const uint32_t first = value->first;
    HB_TRY(hb_lower_columns(l, value->columns, value));
    memcpy(l->pool + value->first, l->pool + first, value->columns * sizeof *l->pool);
    return HB_OK;
}

/* The symbol of an output, its columns loaded. */
static hb_status find_output(hb_lowering *l, const char *name, hb_symbol **out)
{
    hb_graph *g = &l->graph;
    hb_symbol *symbol = hb_lower_find(l, name);
    if (symbol == NULL) {
        return unknown_output(l, name);
    }
    hb_graph_at_item(g, symbol->item, symbol->iteration);
    if (symbol->value.grouping != NULL && symbol->value.columns == 0) {
        HB_TRY(hb_lower_shown_count(l, symbol->item, &symbol->value));
    }
    if (!hb_value_encrypted(&symbol->value)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, symbol->item->at, "nothing is encrypted in %.40s", name);
    }
    HB_TRY(hb_lower_load(l, &symbol->value));
    HB_TRY(check_encrypted(l, symbol));
    HB_TRY(own_columns(l, &symbol->value));
    HB_TRY(hb_lower_add_masks(l, &symbol->value));
    *out = symbol;
    return gather_output(l, symbol);
}

static hb_status find_results(hb_compilation *c)
{
    const hb_program_source *from = c->source;
    if (from->output_count == 0) {
        return HB_FAIL(HB_EUSAGE, "nothing is to be stored; bind a file to one of the names that are assigned");
    }
    if (c->kept) {
        return HB_OK;
    }
    c->outputs = calloc(from->output_count, sizeof(hb_symbol *));
    if (c->outputs == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < from->output_count; i++) {
        HB_TRY(find_output(&c->lowering, from->outputs[i], &c->outputs[i]));
    }
    return HB_OK;
}

/* Begins the facts of the graph anew, with the nodes that outputs need. A result that is brought down for its file gets
 * two components before: relinearized at a low level it would have more noise. */
static hb_status begin_facts(hb_compilation *c)
{
    const hb_lowering *l = &c->lowering;
    hb_facts_clear(&c->facts);
    HB_TRY(hb_facts_init(&c->facts, &l->graph));
    for (uint32_t i = 0; i < c->source->output_count; i++) {
        const hb_value *value = &c->outputs[i]->value;
        hb_facts_need(&c->facts, l->pool + value->first, value->columns);
        for (uint32_t j = 0; j < value->columns; j++) {
            const uint32_t computed = hb_computed_node(l, c->outputs[i], j);
            c->facts.size[computed].needs_two = true;
        }
    }
    return HB_OK;
}

/* Brings the columns of an output to rest, and to one level: a file has one. Rows of weights that are integers take
 * none, and others do. */
static hb_status settle_output(hb_lowering *l, const hb_symbol *symbol)
{
    hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    hb_graph_at_item(g, symbol->item, symbol->iteration);
    for (uint32_t i = 0; hb_graph_at_column(g, i, value->columns); i++) {
        uint32_t *node = &l->pool[value->first + i];
        HB_TRY(hb_graph_rescale(g, *node, node));
    }
    return hb_graph_meet_all(g, l->pool + value->first, value->columns);
}

/* Makes the graph anew with changes of levels and scales, and bootstrapped values. */
static hb_status place_levels(hb_compilation *c)
{
    if (!c->lowering.graph.unplaced) {
        return HB_OK;
    }
    HB_TRY(begin_facts(c));
    const hb_noise_wanted noise = {hb_certainty_of(c->source->trust), c->how.reserve};
    HB_TRY(hb_lowering_place_levels(&c->lowering, &c->facts, hb_compilation_refreshes(c) ? &noise : NULL));
    HB_TRY(hb_lowering_pair_matrices(&c->lowering, c->outputs, c->source->output_count));
    hb_facts_clear(&c->facts); /* of the graph that was */
    for (uint32_t i = 0; i < c->source->output_count; i++) {
        HB_TRY(check_encrypted(&c->lowering, c->outputs[i])); /* values may cancel now that levels are the same */
        HB_TRY(settle_output(&c->lowering, c->outputs[i]));
    }
    return HB_OK;
}

static hb_status find_sizes(hb_compilation *c)
{
    HB_TRY(begin_facts(c));
    hb_facts_find_sizes(&c->facts);
    return hb_compact_defer(&c->lowering, &c->facts, c->outputs, c->source->output_count);
}

static hb_status find_data_passes(hb_compilation *c)
{
    return hb_facts_find_data_passes(&c->facts);
}

static hb_status find_errors(hb_compilation *c)
{
    c->bounds = true;
    c->misses = c->lowering.graph.approximates;
    return hb_facts_find_errors(&c->facts, c->source->trust);
}

/* Where no bits are wanted results must not be hidden by their errors, unless the source takes those. */
static hb_status check_column(hb_compilation *c, uint32_t node, const hb_item *item)
{
    const hb_program_source *from = c->source;
    const hb_wanted_bits wanted = {.bits = from->bits, .trust = from->trust, .reason = ""};
    if (from->hidden || from->bits > 0) {
        return from->hidden || from->measured ? HB_OK : hb_facts_check_wanted(&c->facts, node, item, &wanted);
    }
    const hb_status st = hb_facts_check_shown(&c->facts, node, item, from->trust);
    /* Functions of more bits are no help here: their longer polynomials lose more. */
    c->misses = c->misses && st == HB_OK;
    return st;
}

static hb_status check_precision(hb_compilation *c)
{
    for (uint32_t i = 0; i < c->source->output_count; i++) {
        const hb_symbol *symbol = c->outputs[i];
        for (uint32_t j = 0; j < symbol->value.columns; j++) {
            HB_TRY(check_column(c, c->lowering.pool[symbol->value.first + j], symbol->item));
            HB_TRY(hb_discrete_check(c, symbol, j));
        }
    }
    return HB_OK;
}

/* Brings results down to the lowest levels that keep the wanted bits. */
static hb_status lower_results(hb_compilation *c)
{
    const hb_program_source *from = c->source;
    const bool own = from->compact == HB_COMPACT_AUTO, reals = c->lowering.graph.semantics->reals;
    const double bits = !own ? from->compact : reals ? -INFINITY : HB_COMPACT_BUDGET;
    const hb_compaction how = {
        .bits = from->bits > 0 ? fmax(bits, from->bits) : bits, .own = own, .trust = from->trust};
    bool lowered = false;
    if (from->compact != 0) {
        HB_TRY(hb_compact_outputs(&c->lowering, &c->facts, c->outputs, from->output_count, &how, &lowered));
    }
    if (lowered) {
        HB_TRY(find_sizes(c));
        HB_TRY(find_data_passes(c));
        HB_TRY(find_errors(c));
        HB_TRY(check_precision(c));
    }
    return hb_parts_check(&c->lowering, &c->facts, c->outputs, from->output_count);
}

/* --- of the program */

static hb_status describe_results(hb_compilation *c)
{
    hb_program *program = c->program;
    const hb_lowering *l = &c->lowering;
    const hb_graph *g = &l->graph;
    program->text = strdup(c->source->text);
    if (program->text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    program->plain_least = l->predicates.plain_least;
    program->encoding = g->encoding;
    program->rows = g->rows;
    program->block = hb_graph_packed(g) ? g->block : 1;
    return hb_program_describe_outputs(program, l, &c->facts, c->outputs, c->source->output_count);
}

static hb_status find_keys(hb_compilation *c)
{
    return hb_graph_keys(&c->facts, c->program->outputs, c->program->output_count, &c->program->keys);
}

static hb_status write_notes(hb_compilation *c)
{
    HB_TRY(hb_program_describe_notes(c->program, &c->lowering, &c->facts));
    return hb_program_describe_warnings(c->program, &c->lowering, &c->facts);
}

static hb_status schedule(hb_compilation *c)
{
    const uint32_t count = c->source->output_count;
    c->stores = calloc(count, sizeof *c->stores);
    if (c->stores == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *value = &c->outputs[i]->value;
        c->stores[i] = (hb_store){c->lowering.pool + value->first, value->columns, c->outputs[i]->item->at};
    }
    c->emission =
        (hb_emission){.facts = &c->facts, .stores = c->stores, .store_count = count, .pass_count = c->facts.passes};
    return hb_emit(&c->emission);
}

static hb_status allocate_registers(hb_compilation *c)
{
    return hb_allocate_registers(c->program, &c->emission);
}

static hb_status find_resume_points(hb_compilation *c)
{
    return hb_program_find_resume_points(c->program);
}

/* --- the list */

typedef struct compiler_pass {
    const char *name;
    hb_pass_group group;
    hb_status (*run)(hb_compilation *c);
    hb_property made; /* the condition that holds afterwards */
} compiler_pass;

static const compiler_pass passes[] = {
    {"parse", HB_PASSES_OF_TEXT, parse, HB_IS_POSTFIX},
    {"types", HB_PASSES_OF_SOURCE, find_types, HB_IS_POSTFIX},
    {"lower", HB_PASSES_OF_GRAPH, lower, HB_IS_GRAPH},
    {"results", HB_PASSES_OF_GRAPH, find_results, HB_HAS_RESULTS},
    {"levels", HB_PASSES_OF_GRAPH, place_levels, HB_HAS_LEVELS},
    {"sizes", HB_PASSES_OF_GRAPH, find_sizes, HB_HAS_SIZES},
    {"data passes", HB_PASSES_OF_GRAPH, find_data_passes, HB_HAS_DATA_PASSES},
    {"errors", HB_PASSES_OF_GRAPH, find_errors, HB_HAS_ERRORS},
    {"precision", HB_PASSES_OF_GRAPH, check_precision, HB_HAS_ERRORS},
    {"levels of results", HB_PASSES_OF_GRAPH, lower_results, HB_HAS_FACTS},
    {"result schema", HB_PASSES_OF_PROGRAM, describe_results, HB_HAS_FACTS},
    {"keys", HB_PASSES_OF_PROGRAM, find_keys, HB_HAS_FACTS},
    {"notes", HB_PASSES_OF_PROGRAM, write_notes, HB_HAS_FACTS},
    {"schedule", HB_PASSES_OF_PROGRAM, schedule, HB_IS_SCHEDULED},
    {"registers", HB_PASSES_OF_PROGRAM, allocate_registers, HB_IS_PROGRAM},
    {"resume points", HB_PASSES_OF_PROGRAM, find_resume_points, HB_IS_PROGRAM},
};

static hb_status verify(const hb_compilation *c, const compiler_pass *pass)
{
    const hb_status st = hb_verify(c, pass->made);
    if (st != HB_EINTERNAL) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    return HB_FAIL(st, "a fault of the compiler, after its pass '%s': %.400s", pass->name, cause.text);
}

/* Writes the graph as a pass leaves it, of which no facts may be found yet. */
static hb_status list_graph(hb_compilation *c, const char *name)
{
    const bool found = c->facts.graph != NULL, numbers = c->source->listing == HB_LISTING_WITH_NUMBERS;
    hb_facts none = {.graph = NULL};
    const hb_status st = found ? HB_OK : hb_facts_init(&none, &c->lowering.graph);
    if (st == HB_OK) {
        fprintf(c->listing.to, "after %s:\n", name);
        hb_facts_print(found ? &c->facts : &none, true, numbers, c->listing.to);
    }
    hb_facts_clear(&none);
    return st;
}

static hb_status run_pass(hb_compilation *c, const compiler_pass *pass)
{
    const hb_program_source *from = c->source;
    const double begun = from->ran != NULL ? hb_now() : 0;
    HB_TRY(pass->run(c));
    if (from->ran != NULL) {
        from->ran(pass->name, begun, hb_now());
    }
    if (from->each_pass && c->listing.to != NULL && pass->group == HB_PASSES_OF_GRAPH) {
        HB_TRY(list_graph(c, pass->name));
    }
    return verify(c, pass);
}

hb_status hb_passes_run(hb_compilation *c, hb_pass_group group)
{
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        if (passes[i].group == group) {
            HB_TRY(run_pass(c, &passes[i]));
        }
    }
    return HB_OK;
}
