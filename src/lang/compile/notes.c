#include "notes.h"

#include <math.h>
#include <stdlib.h>

#include "lang/analysis/error_analysis.h"
#include "lang/analysis/error_bits.h"
#include "lang/ir/bootstrap.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"
#include "lang/program/bootstrap.h"
#include "result_schema.h"
#include "scheme/quality.h"

/* Products of ciphertexts that a node comes to. */
static uint32_t products_of(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_POLYNOMIAL ? hb_polynomial_of(g, node)->products : hb_rule_of(node->op)->product;
}

/* Counts products, and how many stand one after another. */
static void count_products(hb_program *program, const hb_facts *f)
{
    const hb_graph *g = f->graph;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (f->size[i].used) {
            program->products += products_of(g, node);
            program->depth = program->depth > node->shape.depth ? program->depth : node->shape.depth;
            if (g->semantics->reals && !node->shape.plain && !node->shape.scaled) {
                program->magnitude = fmax(program->magnitude, node->range.magnitude);
            }
        }
    }
}

/* Returns the bounds of a node that plans say: those of files, and where others are likely a likely one for none. */
static hb_quality said(const hb_facts *f, const hb_node *node)
{
    const hb_params *params = f->graph->params;
    hb_quality quality = hb_quality_said(params, node->shape.limbs, hb_node_quality(f, node), f->certainty);
    if (f->least == HB_CERTAINTY_EXPECTED && hb_node_bits_left(f->graph, node, quality.worst) < 1) {
        quality.worst = hb_quality_bound(quality, HB_CERTAINTY_EXPECTED, hb_quality_margin(params));
        quality.certainty = HB_CERTAINTY_EXPECTED;
    }
    return quality;
}

static hb_node_note note_of(const hb_facts *f, const hb_node *node, const hb_item *item, hb_interval values)
{
    hb_node_note note = {.at = item != NULL ? item->at : node->origin.at,
                         .limbs = node->shape.limbs,
                         .depth = node->shape.depth,
                         .worst = hb_node_bits_left(f->graph, node, said(f, node).worst),
                         .expected = hb_node_bits(f, node, HB_QUALITY_EXPECTED),
                         .certainty = said(f, node).certainty,
                         .values = values,
                         .approximate = hb_facts_error(f, node)->approximate};
    hb_excerpt(note.text, sizeof note.text, f->graph->syntax->text, item != NULL ? item->from : node->origin.from,
               item != NULL ? item->to : node->origin.to);
    return note;
}

static hb_status add_note(hb_program *program, const hb_facts *f, const hb_node *node, const hb_item *item,
                          hb_interval values)
{
    hb_node_note *notes = realloc(program->description.notes, (program->description.note_count + 1) * sizeof *notes);
    if (!notes) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    program->description.notes = notes;
    hb_node_note *note = &notes[program->description.note_count++];
    *note = note_of(f, node, item, values);
    if (f->graph->semantics->reals) {
        note->worst = hb_node_shown_bits(f, node, HB_QUALITY_WORST);
        note->expected = hb_node_shown_bits(f, node, HB_QUALITY_EXPECTED);
    }
    return HB_OK;
}

/* Lists the result of each operation on ciphertexts. */
static hb_status list_steps(hb_program *program, const hb_facts *f)
{
    const hb_graph *g = f->graph;
    enum { MOST = 1000 };
    const uint32_t most = g->count < MOST ? g->count : MOST;
    program->description.steps = calloc((size_t)most + 1, sizeof *program->description.steps);
    if (program->description.steps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    for (uint32_t i = 0; i < g->count && program->description.step_count < most; i++) {
        const hb_node *node = &g->nodes[i];
        if (f->size[i].used && !node->shape.plain) {
            hb_node_note *step = &program->description.steps[program->description.step_count++];
            *step = note_of(f, node, NULL, node->range.interval);
            step->operation = hb_operations[node->op].name;
        }
    }
    return HB_OK;
}

/* The one with the least budget, y if it is the same; x may be NULL. */
static const hb_node *nearer(const hb_facts *f, const hb_node *x, const hb_node *y)
{
    return x != NULL && hb_node_bits(f, x, HB_QUALITY_WORST) < hb_node_bits(f, y, HB_QUALITY_WORST) ? x : y;
}

/* Returns NULL where nothing is computed of it (levels_pass.h). */
static const hb_node *column_of(const hb_lowering *l, const hb_value *value, uint32_t column)
{
    const uint32_t node = l->pool[value->first + column];
    return node != HB_NO_NODE ? &l->graph.nodes[node] : NULL;
}

/* The column of a statement's result that is nearest to its end; NULL: none is computed. */
static const hb_node *result_of(const hb_lowering *l, const hb_facts *f, const hb_symbol *symbol)
{
    const hb_value *value = &symbol->value;
    const hb_node *node = NULL;
    for (uint32_t i = 0; hb_value_encrypted(value) && value->whole == NULL && i < value->columns; i++) {
        const hb_node *column = column_of(l, value, i);
        node = column != NULL && hb_facts_size(f, column)->used ? nearer(f, node, column) : node;
    }
    return node;
}

/* The values of all columns of a statement's result that are computed. */
static hb_interval values_of(const hb_lowering *l, const hb_facts *f, const hb_symbol *symbol)
{
    const hb_value *value = &symbol->value;
    hb_interval values = {.known = false};
    bool any = false;
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node *column = column_of(l, value, i);
        if (column != NULL && hb_facts_size(f, column)->used) {
            values = any ? hb_values_of_both(values, column->range.interval) : column->range.interval;
            any = true;
        }
    }
    return values;
}

/* Lists the approximations that were found. */
static hb_status list_functions(hb_program *program, const hb_lowering *l)
{
    program->description.functions =
        calloc((size_t)l->approximations.function_count + 1, sizeof *program->description.functions);
    if (program->description.functions == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    for (uint32_t i = 0; i < l->approximations.function_count; i++) {
        const hb_lowered_approximation *from = &l->approximations.functions[i];
        const hb_approximation *f = &from->approximation;
        hb_function_note *note = &program->description.functions[program->description.function_count++];
        *note = (hb_function_note){.name = hb_function_name(from->request.function),
                                   .at = from->item->at,
                                   .low = f->low,
                                   .high = f->high,
                                   .gap = from->gap,
                                   .error = f->error,
                                   .levels = hb_approximation_depth(f),
                                   .stages = f->stages};
        for (uint32_t j = 0; j < f->stages && j < HB_FUNCTION_NOTE_STAGES; j++) {
            note->degrees[j] = f->stage[j].degree;
        }
        hb_excerpt(note->text, sizeof note->text, l->graph.syntax->text, from->item->from, from->item->to);
    }
    return HB_OK;
}

/* Adds earlier iterations of the same statement to the note of its last one, symbol `last`: one line for all of them
 * has the least of each. Iterations of loops within loops count too. */
static void add_iterations(hb_node_note *note, const hb_lowering *l, const hb_facts *f, uint32_t last)
{
    const hb_item *item = l->symbols[last].item;
    for (uint32_t i = 0; i <= last; i++) {
        const bool same = l->symbols[i].item->at == item->at;
        const hb_node *node = same ? result_of(l, f, &l->symbols[i]) : NULL;
        note->iterations += same;
        if (node != NULL) {
            note->worst = fmin(note->worst, hb_node_bits_left(f->graph, node, said(f, node).worst));
            note->certainty = hb_certainty_of_both(note->certainty, said(f, node).certainty);
            note->expected = fmin(note->expected, hb_node_bits(f, node, HB_QUALITY_EXPECTED));
            note->limbs = node->shape.limbs < note->limbs ? node->shape.limbs : note->limbs;
            note->approximate = fmax(note->approximate, hb_facts_error(f, node)->approximate);
            note->values = hb_values_of_both(note->values, values_of(l, f, &l->symbols[i]));
            note->computed++;
        }
    }
}

static hb_status list_results(hb_program *program, const hb_lowering *l, const hb_facts *f)
{
    enum { MOST = 32 };
    const hb_graph *g = &l->graph;
    const hb_node *nearest = NULL;
    uint32_t statements = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        /* Reals come to no end: fewer bits of a sum may be more of its mean. */
        nearest = f->size[i].used && !node->shape.plain && !g->semantics->reals ? nearer(f, nearest, node) : nearest;
    }
    uint32_t first = 0; /* the symbol of the nearest; symbol_count: it has none */
    while (first < l->symbol_count && (nearest == NULL || result_of(l, f, &l->symbols[first]) != nearest)) {
        first++;
    }
    if (nearest != NULL) {
        const hb_item *item = first < l->symbol_count ? l->symbols[first].item : NULL;
        HB_TRY(add_note(program, f, nearest, item, nearest->range.interval));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        statements += !l->symbols[i].iteration.again;
    }
    /* The last of many statements, which are nearest to the results; in a loop, the values of the last iteration. */
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const bool told = !l->symbols[i].iteration.again && statements-- <= MOST;
        const hb_node *node = told ? result_of(l, f, &l->symbols[i]) : NULL;
        if (node != NULL && i != first) {
            HB_TRY(add_note(program, f, node, l->symbols[i].item, values_of(l, f, &l->symbols[i])));
            if (l->symbols[i].iteration.of > 0) {
                add_iterations(&program->description.notes[program->description.note_count - 1], l, f, i);
            }
        }
    }
    return HB_OK;
}

/* The value before it was brought down. */
static const hb_node *bootstrapped_value(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    return a->op == HB_OP_ADJUST ? &g->nodes[a->a] : a;
}

/* Returns the value before its noise was refreshed, and how often it was: passes follow one another. */
static const hb_node *noisy_value(const hb_graph *g, const hb_node *node, uint32_t *passes)
{
    *passes = 0;
    for (; node->op == HB_OP_REFRESH || (node->op == HB_OP_EXTEND && *passes > 0); node = &g->nodes[node->a]) {
        *passes += node->op == HB_OP_REFRESH;
    }
    return node;
}

/* Bits by the bound that passes go by. */
static double refreshed_bits(const hb_facts *f, const hb_node *node)
{
    const double bound = hb_quality_bound(hb_node_quality(f, node), f->certainty, hb_quality_margin(f->graph->params));
    return hb_quality_bits(f->graph->params, node->shape.limbs, bound);
}

/* Adds a column of integers, whose last pass this is. */
static void add_refreshed(hb_bootstrap_note *note, const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    uint32_t passes;
    const hb_node *before = noisy_value(g, node, &passes);
    const bool first = note->values == 0;
    note->passes = passes;
    note->values++;
    note->complex++;
    note->limbs_before = before->shape.limbs < note->limbs_before ? before->shape.limbs : note->limbs_before;
    note->limbs_after = node->shape.limbs;
    note->worst_before = fmin(note->worst_before, refreshed_bits(f, before));
    note->expected_before = fmin(note->expected_before, hb_node_bits(f, before, HB_QUALITY_EXPECTED));
    note->worst_after = fmin(note->worst_after, refreshed_bits(f, node));
    note->expected_after = fmin(note->expected_after, hb_node_bits(f, node, HB_QUALITY_EXPECTED));
    for (const hb_node *x = node; first && passes > 0; x = &g->nodes[x->a]) {
        passes -= x->op == HB_OP_REFRESH;
        if (x->op == HB_OP_REFRESH && passes < HB_BOOTSTRAP_NOTE_PASSES) {
            note->ranges[passes] = hb_facts_error(f, x)->range;
        }
    }
}

/* Whether a node is of a column beside those of a note. */
static bool belongs_to(const hb_bootstrap_note *note, const hb_facts *f, const hb_node *node)
{
    uint32_t passes;
    (void)noisy_value(f->graph, node, &passes);
    return note->passes == passes && note->at == node->origin.at && note->depth == node->shape.depth &&
           note->total == node->shape.total;
}

static void add_column(hb_bootstrap_note *note, const hb_facts *f, const hb_node *node)
{
    const hb_node *before = bootstrapped_value(f->graph, node);
    const hb_bootstrap_kind kind = hb_bootstrap_kind_of(node->number);
    const uint32_t range_bits = hb_bootstrap_range_bits(node->number);
    note->values++;
    note->complex += kind == HB_BOOTSTRAP_COMPLEX;
    note->singles += kind == HB_BOOTSTRAP_REAL;
    note->pairs += kind == HB_BOOTSTRAP_PAIR; /* halves of pairs, until all are there */
    note->neighbours += kind == HB_BOOTSTRAP_NEIGHBOURS;
    note->range_bits = range_bits > note->range_bits ? range_bits : note->range_bits;
    note->limbs_before = before->shape.limbs < note->limbs_before ? before->shape.limbs : note->limbs_before;
    note->limbs_after = node->shape.limbs;
    note->worst_before = fmin(note->worst_before, hb_node_bits(f, before, HB_QUALITY_WORST));
    note->expected_before = fmin(note->expected_before, hb_node_bits(f, before, HB_QUALITY_EXPECTED));
    note->worst_after = fmin(note->worst_after, hb_node_bits(f, node, HB_QUALITY_WORST));
    note->expected_after = fmin(note->expected_after, hb_node_bits(f, node, HB_QUALITY_EXPECTED));
}

static hb_bootstrap_note bootstrap_note_of(const hb_graph *g, const hb_node *node)
{
    hb_bootstrap_note note = {.at = node->origin.at,
                              .iteration = node->origin.iteration,
                              .iterations = node->origin.iterations,
                              .total = node->shape.total,
                              .depth = node->shape.depth,
                              .limbs_before = UINT32_MAX,
                              .worst_before = HUGE_VAL,
                              .expected_before = HUGE_VAL,
                              .worst_after = HUGE_VAL,
                              .expected_after = HUGE_VAL};
    hb_excerpt(note.text, sizeof note.text, g->syntax->text, node->origin.from, node->origin.to);
    return note;
}

static bool is_bootstrap(const hb_node *node)
{
    return node->op == HB_OP_BOOTSTRAP || node->op == HB_OP_REFRESH;
}

/* Whether another pass follows the one that a node is. */
static bool goes_on(const hb_facts *f, uint32_t i)
{
    const hb_graph *g = f->graph;
    uint32_t next = g->nodes[i].op == HB_OP_REFRESH ? i + 1 : g->count;
    while (next < g->count && !(f->size[next].used && g->nodes[next].op == HB_OP_REFRESH && g->nodes[next].a == i)) {
        next++;
    }
    return next < g->count;
}

/* Lists which values are bootstrapped: one note for the columns of a result. */
static hb_status list_bootstraps(hb_program *program, const hb_facts *f)
{
    const hb_graph *g = f->graph;
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        most += f->size[i].used && is_bootstrap(&g->nodes[i]);
    }
    program->description.bootstraps = calloc((size_t)most + 1, sizeof *program->description.bootstraps);
    if (program->description.bootstraps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (!f->size[i].used || !is_bootstrap(node) || goes_on(f, i)) {
            continue;
        }
        uint32_t k = program->description.bootstrap_count; /* columns are made one after another, or nearly */
        while (k > 0 && program->description.bootstrap_count - k < 64 &&
               !belongs_to(&program->description.bootstraps[k - 1], f, node)) {
            k--;
        }
        if (k == 0 || !belongs_to(&program->description.bootstraps[k - 1], f, node)) {
            k = ++program->description.bootstrap_count;
            program->description.bootstraps[k - 1] = bootstrap_note_of(g, node);
            (void)noisy_value(g, node, &program->description.bootstraps[k - 1].passes);
        }
        hb_bootstrap_note *note = &program->description.bootstraps[k - 1];
        if (node->op == HB_OP_REFRESH) {
            add_refreshed(note, f, node);
        } else {
            add_column(note, f, node);
        }
    }
    return HB_OK;
}

hb_status hb_program_describe_notes(hb_program *program, const hb_lowering *l, const hb_facts *facts)
{
    count_products(program, facts);
    HB_TRY(list_steps(program, facts));
    HB_TRY(list_functions(program, l));
    HB_TRY(list_bootstraps(program, facts));
    return list_results(program, l, facts);
}
