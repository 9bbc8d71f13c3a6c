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

static hb_node_note note_of(const hb_facts *f, const hb_node *node, const hb_item *item)
{
    hb_node_note note = {.at = item != NULL ? item->at : node->origin.at,
                         .limbs = node->shape.limbs,
                         .depth = node->shape.depth,
                         .worst = hb_node_bits_left(f->graph, node, said(f, node).worst),
                         .expected = hb_node_bits(f, node, HB_QUALITY_EXPECTED),
                         .certainty = said(f, node).certainty,
                         .values = node->range.interval,
                         .approximate = hb_facts_error(f, node)->approximate};
    hb_excerpt(note.text, sizeof note.text, f->graph->syntax->text, item != NULL ? item->from : node->origin.from,
               item != NULL ? item->to : node->origin.to);
    return note;
}

/* Adds what another note says of the same text. Each bound is the least of its own: one column may have the fewest
 * proven bits, another the fewest expected ones, a third the largest part by approximation. */
static void add_to_note(hb_node_note *note, const hb_node_note *other)
{
    note->worst = fmin(note->worst, other->worst);
    note->expected = fmin(note->expected, other->expected);
    note->certainty = hb_certainty_of_both(note->certainty, other->certainty);
    note->limbs = note->limbs < other->limbs ? note->limbs : other->limbs;
    note->depth = note->depth > other->depth ? note->depth : other->depth;
    note->approximate = fmax(note->approximate, other->approximate);
    note->values = hb_values_of_both(note->values, other->values);
}

static hb_status append_note(hb_program *program, const hb_node_note *note)
{
    hb_node_note *notes = realloc(program->description.notes, (program->description.note_count + 1) * sizeof *notes);
    if (!notes) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    program->description.notes = notes;
    notes[program->description.note_count++] = *note;
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
            *step = note_of(f, node, NULL);
            step->operation = hb_operations[node->op].name;
        }
    }
    return HB_OK;
}

/* A column of a statement's result; NULL where nothing is computed of it (levels_pass.h). */
static const hb_node *computed_column(const hb_lowering *l, const hb_facts *f, const hb_value *value, uint32_t column)
{
    const bool encrypted = hb_value_encrypted(value) && value->whole == NULL;
    const uint32_t node = encrypted ? l->pool[value->first + column] : HB_NO_NODE;
    return node != HB_NO_NODE && f->size[node].used ? &l->graph.nodes[node] : NULL;
}

/* Makes the note of a statement's result: the least of all its columns. Returns false where none is computed. */
static bool result_note(const hb_lowering *l, const hb_facts *f, const hb_symbol *symbol, hb_node_note *note)
{
    bool any = false;
    for (uint32_t i = 0; i < symbol->value.columns; i++) {
        const hb_node *node = computed_column(l, f, &symbol->value, i);
        if (node == NULL) {
            continue;
        }
        hb_node_note column = note_of(f, node, symbol->item);
        if (f->graph->semantics->reals) {
            column.worst = hb_node_shown_bits(f, node, HB_QUALITY_WORST);
            column.expected = hb_node_shown_bits(f, node, HB_QUALITY_EXPECTED);
        }
        if (any) {
            add_to_note(note, &column);
        } else {
            *note = column;
        }
        any = true;
    }
    return any;
}

/* Returns the first symbol that has the node as a column; symbol_count: it is no result of a statement. */
static uint32_t symbol_of(const hb_lowering *l, const hb_facts *f, const hb_node *node)
{
    uint32_t first = 0;
    for (; first < l->symbol_count; first++) {
        const hb_value *value = &l->symbols[first].value;
        for (uint32_t i = 0; i < value->columns; i++) {
            if (computed_column(l, f, value, i) == node) {
                return first;
            }
        }
    }
    return first;
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
        hb_node_note iteration;
        const bool same = l->symbols[i].item->at == item->at;
        note->iterations += same;
        if (same && result_note(l, f, &l->symbols[i], &iteration)) {
            add_to_note(note, &iteration);
            note->computed++;
        }
    }
}

/* Makes the note of the node with the least budget and of those beside it: columns of its statement, and where it is
 * within an expression, of the same operation there. */
static hb_node_note nearest_note(const hb_lowering *l, const hb_facts *f, const hb_node *nearest, uint32_t symbol)
{
    const hb_graph *g = f->graph;
    hb_node_note note = note_of(f, nearest, NULL);
    if (symbol < l->symbol_count) {
        (void)result_note(l, f, &l->symbols[symbol], &note);
        return note;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (f->size[i].used && !node->shape.plain && node->op == nearest->op &&
            node->origin.from == nearest->origin.from && node->origin.to == nearest->origin.to &&
            node->origin.iteration == nearest->origin.iteration && node->shape.depth == nearest->shape.depth) {
            const hb_node_note other = note_of(f, node, NULL);
            add_to_note(&note, &other);
        }
    }
    return note;
}

/* Returns the node of exact values with the least budget, the last of several; NULL for reals, which come to no end:
 * fewer bits of a sum may be more of its mean. */
static const hb_node *find_nearest(const hb_facts *f)
{
    const hb_graph *g = f->graph;
    const hb_node *nearest = NULL;
    double least = 0;
    for (uint32_t i = 0; i < g->count && !g->semantics->reals; i++) {
        const hb_node *node = &g->nodes[i];
        const bool computed = f->size[i].used && !node->shape.plain;
        const double bits = computed ? hb_node_bits(f, node, HB_QUALITY_WORST) : INFINITY;
        if (computed && (nearest == NULL || bits <= least)) {
            nearest = node;
            least = bits;
        }
    }
    return nearest;
}

static hb_status list_results(hb_program *program, const hb_lowering *l, const hb_facts *f)
{
    enum { MOST = 32 };
    const hb_node *nearest = find_nearest(f);
    const uint32_t first = nearest != NULL ? symbol_of(l, f, nearest) : l->symbol_count;
    uint32_t statements = 0;
    if (nearest != NULL) {
        const hb_node_note note = nearest_note(l, f, nearest, first);
        HB_TRY(append_note(program, &note));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        statements += !l->symbols[i].iteration.again;
    }
    /* The last of many statements, which are nearest to the results; in a loop, the values of the last iteration. */
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        hb_node_note note;
        const bool told = !l->symbols[i].iteration.again && statements-- <= MOST;
        if (told && i != first && result_note(l, f, &l->symbols[i], &note)) {
            if (l->symbols[i].iteration.of > 0) {
                add_iterations(&note, l, f, i);
            }
            HB_TRY(append_note(program, &note));
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
    note->complex += kind == HB_BOOTSTRAP_COMPLEX || kind == HB_BOOTSTRAP_LOWEST;
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
