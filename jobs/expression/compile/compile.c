#include "compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap_placement.h"
#include "compact.h"
#include "emit.h"
#include "expression/graph/annotate.h"
#include "expression/graph/blocks.h"
#include "expression/graph/lower.h"
#include "expression/graph/semantics.h"
#include "expression/program/stops.h"
#include "graph_keys.h"
#include "outcome.h"
#include "scheme/params.h"
#include "scheme/quality.h"

typedef struct compilation {
    hb_syntax syntax;
    hb_lowering lowering;
    hb_symbol **outputs; /* [output_count] of the source */
    uint32_t passes;
    bool misses; /* too few bits are left, or too little room, and functions with more may be what is missing */
} compilation;

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

/* Brings the columns of an output to rest, and to one level. */
static hb_status settle_output(hb_lowering *l, const hb_symbol *symbol)
{
    hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    uint32_t lowest = HB_NO_NODE;
    g->item = symbol->item;
    for (uint32_t i = 0; i < value->columns; i++) {
        uint32_t *node = &l->pool[value->first + i];
        g->value_column = i;
        HB_TRY(hb_graph_rest(g, *node, node));
        lowest = i == 0 || g->nodes[*node].limbs < g->nodes[lowest].limbs ? *node : lowest;
    }
    /* A file has one level: rows of weights that are integers take none, and others do. */
    for (uint32_t i = 0; i < value->columns; i++) {
        HB_TRY(g->semantics->meet(g, &l->pool[value->first + i], &lowest));
    }
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
    g->item = symbol->item;
    if (!hb_value_encrypted(&symbol->value)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, symbol->item->at, "nothing is encrypted in %.40s", name);
    }
    HB_TRY(hb_lower_load(l, &symbol->value));
    *out = symbol;
    return settle_output(l, symbol);
}

static void need_outputs(compilation *c, const hb_program_source *from)
{
    hb_lowering *l = &c->lowering;
    for (uint32_t i = 0; i < from->output_count; i++) {
        const hb_value *value = &c->outputs[i]->value;
        hb_graph_need(&l->graph, l->pool + value->first, value->columns);
    }
}

/* Finds which values are bootstrapped, and makes the graph anew with them. */
static hb_status bootstrap(compilation *c, const hb_program_source *from)
{
    need_outputs(c, from);
    HB_TRY(hb_lowering_bootstrap(&c->lowering));
    for (uint32_t i = 0; i < from->output_count; i++) {
        HB_TRY(settle_output(&c->lowering, c->outputs[i]));
    }
    return HB_OK;
}

/* Functions of more bits are no help here: their longer polynomials lose more. */
static hb_status check_proven(compilation *c, const hb_program_source *from)
{
    const hb_lowering *l = &c->lowering;
    for (uint32_t i = 0; i < from->output_count; i++) {
        const hb_symbol *symbol = c->outputs[i];
        for (uint32_t j = 0; j < symbol->value.columns; j++) {
            const hb_status st = hb_graph_check_proven(&l->graph, l->pool[symbol->value.first + j], symbol->item);
            if (st != HB_OK) {
                c->misses = false;
                return st;
            }
        }
    }
    return HB_OK;
}

static hb_status annotate(compilation *c, const hb_program_source *from)
{
    hb_lowering *l = &c->lowering;
    need_outputs(c, from);
    hb_graph_sizes(&l->graph);
    HB_TRY(hb_graph_passes(&l->graph, &c->passes));
    c->misses = l->graph.approximates;
    HB_TRY(hb_graph_quality(&l->graph, from->trust));
    if (from->trust == HB_QUALITY_WORST && from->bits == 0) {
        HB_TRY(check_proven(c, from));
    }
    for (uint32_t i = 0; i < from->output_count && from->bits > 0 && !from->bits_optional; i++) {
        const hb_symbol *symbol = c->outputs[i];
        for (uint32_t j = 0; j < symbol->value.columns; j++) {
            const uint32_t node = l->pool[symbol->value.first + j];
            HB_TRY(hb_graph_check_wanted(&l->graph, node, symbol->item, from->bits, from->trust));
        }
    }
    return HB_OK;
}

/* Brings results down to the levels that keep what they are to keep. */
static hb_status compact(compilation *c, const hb_program_source *from)
{
    bool lowered = false;
    const hb_compaction how = {.bits = fmax(from->compact, from->bits), .trust = from->trust};
    for (uint32_t i = 0; i < from->output_count; i++) {
        HB_TRY(hb_compact_output(&c->lowering, c->outputs[i], &how, &lowered));
    }
    return lowered ? annotate(c, from) : HB_OK;
}

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

/* How a source is compiled. */
typedef struct attempt {
    bool shortest;      /* as hb_lowering has it */
    bool bootstrapping; /* values are bootstrapped, where levels do not suffice */
} attempt;

/* The stages that need no program: from text to an annotated graph. more: bits that functions are to have beyond those
 * that results are to have. HB_EDATA where no bits are left of its quality, no
 * level, or no room, and for nothing else but what is `hopeless`. The caller clears *c, also after a failure. */
static hb_status compile_with(compilation *c, const hb_program_source *from, double more, attempt how)
{
    const hb_params *params = from->params;
    *c = (compilation){0};
    HB_TRY(hb_syntax_parse(&c->syntax, from->text));
    c->lowering.graph = (hb_graph){.syntax = &c->syntax,
                                   .params = params,
                                   .operands = from->operands,
                                   .operand_count = from->operand_count,
                                   .interpolations = from->interpolations,
                                   .matrices = from->matrices,
                                   .spec = &params->spec,
                                   .boundless = how.bootstrapping,
                                   .bootstrapped_twice = from->bootstrap == HB_BOOTSTRAP_TWICE,
                                   .block = block_of(from),
                                   .semantics = hb_semantics_of(params->spec.scheme)};
    c->lowering.bits_wanted = from->bits > 0;
    c->lowering.functions_bits = (from->bits > 0 ? from->bits + 1 : HB_LOWERING_BITS) + more;
    c->lowering.functions_gap = from->gap;
    c->lowering.found = from->found;
    c->lowering.shortest = how.shortest;
    c->lowering.predicates.shallow = how.shortest;
    c->lowering.measured = from->bits_optional;
    HB_TRY(hb_lower(&c->lowering));
    if (from->output_count == 0) {
        return HB_FAIL(HB_EUSAGE, "nothing is to be stored; bind a file to one of the names that are assigned");
    }
    c->outputs = calloc(from->output_count, sizeof(hb_symbol *));
    if (!c->outputs) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < from->output_count; i++) {
        HB_TRY(find_output(&c->lowering, from->outputs[i], &c->outputs[i]));
    }
    if (how.bootstrapping) {
        HB_TRY(bootstrap(c, from));
    }
    HB_TRY(annotate(c, from));
    return from->compact > 0 ? compact(c, from) : HB_OK;
}

static void clear(compilation *c)
{
    free(c->outputs);
    hb_lower_clear(&c->lowering);
    hb_syntax_clear(&c->syntax);
    *c = (compilation){0};
}

/* Compiles with as few bits of functions as do: the error of an approximation is a share of the result's, or several
 * times it where it is multiplied afterwards. More bits are also other degrees, with smaller errors of evaluation. */
static hb_status compile_more(compilation *c, const hb_program_source *from, attempt how)
{
    static const double more[] = {0, 1, 3, 6, 10, 15, 21};
    hb_status st = compile_with(c, from, more[0], how);
    const hb_error cause = *hb_last_error();
    for (size_t i = 1; st == HB_EDATA && c->misses && i < sizeof more / sizeof *more; i++) {
        compilation better;
        hb_status again = compile_with(&better, from, more[i], how);
        if (again == HB_OK || (again == HB_EDATA && better.misses)) {
            clear(c);
            *c = better;
            c->lowering.graph.syntax = &c->syntax; /* it moved */
            st = again;
        } else { /* no level is left for longer polynomials */
            clear(&better);
            break;
        }
    }
    if (st == HB_EDATA) { /* what was missed at first is the reason: longer polynomials lose more in other ways */
        hb_set_error(&cause);
    }
    return st;
}

/* Where likely errors are trusted and levels are too few for compositions that are proven, shorter ones do; comparisons
 * of integers have ways with more products and less depth; rows for all others do without a mask. */
static hb_status compile_at(compilation *c, const hb_program_source *from, bool bootstrapping)
{
    const hb_status st = compile_more(c, from, (attempt){.bootstrapping = bootstrapping});
    const bool longer = c->lowering.longer && from->trust == HB_QUALITY_EXPECTED;
    if (st != HB_EDATA || (!longer && !c->lowering.predicates.deeper && !c->lowering.masked)) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    clear(c);
    const hb_status again = compile_more(c, from, (attempt){.shortest = true, .bootstrapping = bootstrapping});
    if (again == HB_EDATA) {
        hb_set_error(&cause);
    }
    return again;
}

/* Values are bootstrapped where they have to be. */
static hb_status compile(compilation *c, const hb_program_source *from)
{
    const hb_status st = compile_at(c, from, false);
    if (st != HB_EDATA || from->bootstrap == HB_BOOTSTRAP_NEVER || !hb_params_can_bootstrap(from->params) ||
        c->lowering.hopeless) {
        return st;
    }
    clear(c);
    return compile_at(c, from, true);
}

/* The parameters of a preset that hold values as the given ones do. */
static hb_status open_preset(const char *name, const hb_program_source *from, hb_params **out)
{
    hb_params_spec spec;
    const hb_scheme scheme = from->params->spec.scheme;
    HB_TRY(hb_params_preset(name, &spec));
    spec.insecure = false; /* those for tests are for nobody's data */
    if (spec.scheme != scheme) {
        return HB_FAIL(HB_ECONFIG, "%s is of another scheme", name);
    }
    HB_TRY(hb_semantics_of(scheme)->adapt(&spec, from->params));
    return hb_params_open(&spec, out);
}

static bool would_do(const char *name, const hb_program_source *from, hb_operand *operands)
{
    hb_params *params = NULL;
    if (open_preset(name, from, &params) != HB_OK) {
        return false;
    }
    for (uint32_t i = 0; i < from->operand_count; i++) {
        operands[i] = from->operands[i];
        operands[i].limbs = params->fresh_limbs;
        operands[i].quality = hb_quality_fresh(params, true, HB_BINOMIAL);
    }
    hb_program_source other = *from;
    other.params = params;
    other.operands = operands;
    compilation c;
    const bool good = compile(&c, &other) == HB_OK;
    clear(&c);
    hb_params_close(params);
    return good;
}

/* The bits that are expected of the result that has the fewest, where likely errors are trusted; NAN: there is none. */
static double expected_bits(const hb_program_source *from)
{
    hb_program_source other = *from;
    other.trust = HB_QUALITY_EXPECTED;
    compilation c;
    double bits = NAN;
    if (compile(&c, &other) == HB_OK) {
        for (uint32_t i = 0; i < from->output_count; i++) {
            const hb_value *value = &c.outputs[i]->value;
            for (uint32_t j = 0; j < value->columns; j++) {
                const hb_node *node = &c.lowering.graph.nodes[c.lowering.pool[value->first + j]];
                bits =
                    fmin(bits, hb_node_shown_bits(&c.lowering.graph, node, HB_QUALITY_EXPECTED)); /* NAN: the other */
            }
        }
    }
    clear(&c);
    return bits;
}

/* Returns the smallest preset that would do, fresh operands given; NULL: none. `operands` has room for them. */
static const char *find_preset(const hb_program_source *from, hb_operand *operands)
{
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        if (would_do(name, from, operands)) {
            break;
        }
    }
    return name;
}

/* After HB_EDATA: records it again with the smallest preset that would do, fresh operands given, and returns it; where
 * there is none of reals, with what is expected without a proof, or with the preset that would do without one. */
static hb_status fail_with_preset(const hb_program_source *from)
{
    const hb_error cause = *hb_last_error();
    const hb_semantics *semantics = hb_semantics_of(from->params->spec.scheme);
    hb_operand *operands = malloc((from->operand_count + 1) * sizeof *operands);
    const char *name = operands != NULL ? find_preset(from, operands) : NULL, *likely = NULL;
    const bool proving = semantics->reals && from->trust == HB_QUALITY_WORST;
    const double bits = name == NULL && proving ? expected_bits(from) : NAN;
    if (operands != NULL && name == NULL && proving && isnan(bits)) {
        hb_program_source trusting = *from;
        trusting.trust = HB_QUALITY_EXPECTED;
        likely = find_preset(&trusting, operands);
    }
    free(operands);
    hb_set_error(&cause);
    if (!isnan(bits)) {
        return HB_FAIL(HB_EDATA, "%.400s; --noise expected computes it, right to 2^%.1f as expected", cause.text,
                       -bits);
    }
    if (likely != NULL) {
        return HB_FAIL(HB_EDATA, "%.400s; %s would do with --noise expected", cause.text, likely);
    }
    if (name == NULL) {
        return HB_FAIL(HB_EDATA,
                       "%.400s; with %s none of the presets would do; hebatch params suggest finds parameters",
                       cause.text, semantics->kept);
    }
    return HB_FAIL(HB_EDATA, "%.400s; %s would do", cause.text, name);
}

static hb_status list_instructions(hb_program *program, const compilation *c, uint32_t outputs)
{
    hb_store *stores = calloc(outputs, sizeof *stores);
    if (!stores) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < outputs; i++) {
        const hb_value *value = &c->outputs[i]->value;
        stores[i] = (hb_store){c->lowering.pool + value->first, value->columns, c->outputs[i]->item->at};
    }
    hb_emission emission = {
        .graph = &c->lowering.graph, .stores = stores, .store_count = outputs, .pass_count = c->passes};
    hb_status st;
    HB_GOTO(hb_emit(&emission));
    HB_GOTO(hb_allocate_registers(program, &emission));
    HB_GOTO(hb_program_find_stops(program));
done:
    hb_emission_clear(&emission);
    free(stores);
    return st;
}

static hb_status describe(hb_program *program, compilation *c, const hb_program_source *from)
{
    const hb_graph *g = &c->lowering.graph;
    program->text = strdup(from->text);
    if (!program->text) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    program->plain_least = c->lowering.predicates.plain_least;
    program->encoding = g->encoding;
    program->rows = g->rows;
    program->block = hb_graph_packed(g) ? g->block : 1;
    HB_TRY(hb_program_describe_outputs(program, &c->lowering, c->outputs, from->output_count));
    HB_TRY(hb_graph_keys(g, &program->keys));
    hb_program_describe_products(program, g);
    HB_TRY(hb_program_describe_steps(program, g));
    HB_TRY(hb_program_describe_bootstraps(program, g));
    HB_TRY(hb_program_describe_functions(program, &c->lowering));
    HB_TRY(hb_program_describe_notes(program, &c->lowering));
    HB_TRY(hb_program_describe_warnings(program, &c->lowering));
    HB_TRY(list_instructions(program, c, from->output_count));
    program->polynomials = c->lowering.graph.polynomials;
    c->lowering.graph.polynomials = (hb_polynomials){0};
    program->blocks = c->lowering.graph.blocks;
    c->lowering.graph.blocks = (hb_block_lists){0};
    program->masks = c->lowering.graph.masks;
    c->lowering.graph.masks = (hb_masks){0};
    return HB_OK;
}

static hb_status compile_program(hb_program *program, const hb_program_source *source)
{
    *program = (hb_program){0};
    compilation c;
    hb_status st = compile(&c, source);
    if (st == HB_OK) {
        st = describe(program, &c, source);
    }
    const bool hopeless = c.lowering.hopeless;
    clear(&c);
    return st == HB_EDATA && !hopeless && !source->no_preset_hint ? fail_with_preset(source) : st;
}

hb_status hb_program_compile(hb_program *program, const hb_program_source *source)
{
    hb_program_source keeping = *source;
    hb_approximations *own = NULL;
    hb_kept_matrices *matrices = NULL;
    /* A refusal compiles with each preset, and for each with functions of more and more bits, most of them the same. */
    hb_status st = HB_OK;
    if (source->found == NULL) {
        HB_GOTO(hb_approximations_open(&own));
        keeping.found = own;
    }
    if (source->matrices == NULL) {
        HB_GOTO(hb_kept_matrices_open(&matrices));
        keeping.matrices = matrices;
    }
    st = compile_program(program, &keeping);
done:
    hb_kept_matrices_close(matrices);
    hb_approximations_close(own);
    return st;
}
