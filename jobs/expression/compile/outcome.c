#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression/graph/annotate.h"
#include "expression/graph/blocks.h"
#include "expression/graph/rules.h"
#include "expression/graph/semantics.h"
#include "expression/program/range.h"
#include "io/base/grouping.h"
#include "io/base/real_text.h"

/* A result can be signed where a sign took part, unless its range says that it is not. */
static bool stored_signed(const hb_node *node)
{
    return !node->interval.real &&
           (node->interval.known ? hb_wide_sign(node->interval.wide_least) < 0 : node->is_signed);
}

/* Whether these are the values of an operand's column, none of which wrapped, in their places or in others. */
static bool is_copy(const hb_graph *g, const hb_node *node)
{
    for (; hb_rules[node->op].same_values; node = &g->nodes[node->a]) {
        if (hb_rules[node->op].moved && !g->nodes[node->a].clean) {
            return false;
        }
    }
    return node->op == HB_OP_LOAD && !g->operands[node->operand].schema->column[node->column].may_wrap;
}

/* Of a result of reals: what its level holds was checked. Where slots without rows hold something, what reads the
 * result goes by its range for them too. */
static void describe_reals(hb_column *column, const hb_node *node)
{
    const bool everywhere = !hb_node_confined(node);
    const double most = node->magnitude;
    const hb_interval values = everywhere ? hb_interval_of_reals(-most, most) : hb_interval_to_reals(node->interval);
    column->cells = HB_CELL_REAL;
    column->ranged = values.known && isfinite(values.low) && isfinite(values.high);
    if (column->ranged) {
        column->least = hb_real_word(values.low);
        column->most = hb_real_word(values.high);
    }
}

/* The range of a result that the scheme holds. Of any other it says nothing: what wrapped is anything. */
static void describe_values(hb_column *column, const hb_graph *g, const hb_node *node)
{
    if (g->semantics->reals) {
        describe_reals(column, node);
        return;
    }
    const hb_interval values = node->interval;
    column->wide = hb_spec_residues(g->spec) > 1;
    column->ranged = hb_interval_within(values, hb_interval_held(g->spec, column->is_signed));
    if (column->ranged) {
        hb_column_set_interval(column, values);
    }
    column->may_wrap = !column->ranged && (values.known || !is_copy(g, node));
}

static hb_status describe_halves(hb_column *column, const hb_node *node)
{
    column->halves = node->halves;
    for (int half = 0; half < 2 && node->halves == HB_HALVES_PAIR; half++) {
        column->part[half] = strdup(node->pair->part[half]);
        if (!column->part[half]) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of a result");
        }
    }
    return HB_OK;
}

/* Columns keep their names; one alone has the name of the result, which is what people look for. */
static hb_status describe_columns(hb_schema *schema, const hb_lowering *l, const hb_value *value, const char *result)
{
    const bool alone = schema->columns == 1 && value->grouping == NULL && strlen(result) <= HB_COLUMN_NAME_MAX;
    schema->named = alone || (value->names != NULL && value->names[0].name[0] != '\0');
    schema->column = calloc(schema->columns, sizeof *schema->column);
    if (!schema->column) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of a result");
    }
    for (uint32_t i = 0; i < schema->columns; i++) {
        const char *kept = value->names != NULL ? value->names[i].name : "";
        schema->column[i].name = strdup(alone ? result : kept);
        const hb_node *node = &l->graph.nodes[l->pool[value->first + (value->width > 0 ? 0 : i)]];
        if (value->names != NULL && node->halves == HB_HALVES_REAL) {
            schema->column[i].meaning = hb_meaning_share(&value->names[i].meaning);
        }
        schema->column[i].is_signed = stored_signed(node);
        describe_values(&schema->column[i], &l->graph, node);
        HB_TRY(describe_halves(&schema->column[i], node));
        if (!schema->column[i].name) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of a result");
        }
    }
    return HB_OK;
}

/* The values of both; not known where those of one are not. */
static hb_interval either(hb_interval a, hb_interval b)
{
    return a.known && b.known ? hb_interval_join(a, b) : (hb_interval){.known = false};
}

/* One column that is shown, and no key, has the name of the result, as a column of its own has. */
static hb_status name_shown(hb_grouping *grouping, const char *result)
{
    if (grouping->keys.columns > 0 || grouping->fetched > 0 || grouping->columns != 1 ||
        strlen(result) > HB_COLUMN_NAME_MAX) {
        return HB_OK;
    }
    free(grouping->column[0].name);
    grouping->column[0].name = strdup(result);
    return grouping->column[0].name != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the name of a result");
}

static hb_status describe_output(hb_output *output, const hb_lowering *l, const hb_symbol *symbol)
{
    const hb_value *value = &symbol->value;
    const hb_item *item = symbol->item;
    output->name = strndup(l->graph.syntax->text + item->word, item->word_length);
    if (!output->name) {
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a result");
    }
    output->total = value->kind == HB_VALUE_TOTALS;
    output->at = item->at;
    output->quality = (hb_quality){.worst = -HUGE_VAL, .expected = -HUGE_VAL};
    output->least = INT64_MAX;
    output->most = INT64_MIN;
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node *node = &l->graph.nodes[l->pool[value->first + i]];
        output->limbs = node->limbs; /* of all columns: what is done to a value is done to each */
        output->dirty_padding |= node->total || !node->clean || !node->bare;
        output->quality.worst = fmax(output->quality.worst, node->quality.worst);
        output->quality.expected = fmax(output->quality.expected, node->quality.expected);
        output->quality.norm = fmax(output->quality.norm, node->quality.norm); /* 0 in none or in all */
        output->approximate = fmax(output->approximate, node->approximate);
        output->quality.peak = fmax(output->quality.peak, node->quality.peak);
        const hb_interval values = node->interval;
        output->values = i == 0 ? values : either(output->values, values);
        const bool integers = values.known && !values.real;
        const int64_t least = integers ? values.least : INT64_MIN, most = integers ? values.most : INT64_MAX;
        output->least = least < output->least ? least : output->least;
        output->most = most > output->most ? most : output->most;
    }
    output->schema = (hb_schema){.rows = output->total ? 1 : l->graph.rows,
                                 .columns = hb_value_width(value),
                                 .rank = hb_value_width(value) > 1 || value->names != NULL ? 2 : 1,
                                 .width = hb_spec_residues(l->graph.spec) > 1 ? 16 : 8};
    if (value->grouping != NULL) {
        output->schema.rank = 2;
        HB_TRY(hb_grouping_copy(value->grouping, &output->schema.grouping));
        HB_TRY(name_shown(output->schema.grouping, output->name));
    }
    return describe_columns(&output->schema, l, value, output->name);
}

hb_status hb_program_describe_outputs(hb_program *program, const hb_lowering *l, hb_symbol *const *symbols,
                                      uint32_t count)
{
    program->outputs = calloc(count, sizeof *program->outputs);
    if (!program->outputs) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    program->output_count = count;
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(describe_output(&program->outputs[i], l, symbols[i]));
    }
    return HB_OK;
}

void hb_program_describe_products(hb_program *program, const hb_graph *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (node->used) {
            program->products += hb_node_products(g, node);
            program->depth = program->depth > node->depth ? program->depth : node->depth;
        }
    }
}

static hb_node_note note_of(const hb_graph *g, const hb_node *node, const hb_item *item, hb_interval values)
{
    hb_node_note note = {.at = item != NULL ? item->at : node->at,
                         .limbs = node->limbs,
                         .depth = node->depth,
                         .worst = hb_node_bits(g, node, HB_QUALITY_WORST),
                         .expected = hb_node_bits(g, node, HB_QUALITY_EXPECTED),
                         .values = values,
                         .approximate = node->approximate};
    hb_excerpt(note.text, sizeof note.text, g->syntax->text, item != NULL ? item->from : node->from,
               item != NULL ? item->to : node->to);
    return note;
}

static hb_status add_note(hb_program *program, const hb_graph *g, const hb_node *node, const hb_item *item,
                          hb_interval values)
{
    hb_node_note *notes = realloc(program->notes, (program->note_count + 1) * sizeof *notes);
    if (!notes) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    program->notes = notes;
    hb_node_note *note = &notes[program->note_count++];
    *note = note_of(g, node, item, values);
    note->worst = hb_node_shown_bits(g, node, HB_QUALITY_WORST);
    note->expected = hb_node_shown_bits(g, node, HB_QUALITY_EXPECTED);
    return HB_OK;
}

hb_status hb_program_describe_steps(hb_program *program, const hb_graph *g)
{
    enum { MOST = 1000 };
    const uint32_t most = g->count < MOST ? g->count : MOST;
    program->steps = calloc((size_t)most + 1, sizeof *program->steps);
    if (program->steps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    for (uint32_t i = 0; i < g->count && program->step_count < most; i++) {
        const hb_node *node = &g->nodes[i];
        if (node->used && !node->plain) {
            hb_node_note *step = &program->steps[program->step_count++];
            *step = note_of(g, node, NULL, node->interval);
            step->operation = hb_operations[node->op].name;
        }
    }
    return HB_OK;
}

/* The one with the least budget, y if it is the same; x may be NULL. */
static const hb_node *nearer(const hb_graph *g, const hb_node *x, const hb_node *y)
{
    return x != NULL && hb_node_bits(g, x, HB_QUALITY_WORST) < hb_node_bits(g, y, HB_QUALITY_WORST) ? x : y;
}

/* Returns NULL where nothing is computed of it (place.h). */
static const hb_node *column_of(const hb_lowering *l, const hb_value *value, uint32_t column)
{
    const uint32_t node = l->pool[value->first + column];
    return node != HB_NO_NODE ? &l->graph.nodes[node] : NULL;
}

/* The column of a statement's result that is nearest to its end; NULL: none is computed. */
static const hb_node *result_of(const hb_lowering *l, const hb_symbol *symbol)
{
    const hb_value *value = &symbol->value;
    const hb_node *node = NULL;
    for (uint32_t i = 0; hb_value_encrypted(value) && value->whole == NULL && i < value->columns; i++) {
        const hb_node *column = column_of(l, value, i);
        node = column != NULL && column->used ? nearer(&l->graph, node, column) : node;
    }
    return node;
}

/* The values of all columns of a statement's result that are computed. */
static hb_interval values_of(const hb_lowering *l, const hb_symbol *symbol)
{
    const hb_value *value = &symbol->value;
    hb_interval values = {.known = false};
    bool any = false;
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node *column = column_of(l, value, i);
        if (column != NULL && column->used) {
            values = any ? either(values, column->interval) : column->interval;
            any = true;
        }
    }
    return values;
}

hb_status hb_program_describe_functions(hb_program *program, const hb_lowering *l)
{
    program->functions = calloc((size_t)l->function_count + 1, sizeof *program->functions);
    if (program->functions == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    for (uint32_t i = 0; i < l->function_count; i++) {
        const hb_lowered_function *from = &l->functions[i];
        const hb_approximation *f = &from->approximation;
        hb_function_note *note = &program->functions[program->function_count++];
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

/* Adds what iterations before have of the same statement to the note of its last one, symbol `last`: one line for all
 * of them says what each has at least. Those of loops within loops are iterations too. */
static void add_iterations(hb_node_note *note, const hb_lowering *l, uint32_t last)
{
    const hb_item *item = l->symbols[last].item;
    for (uint32_t i = 0; i <= last; i++) {
        const bool same = l->symbols[i].item->at == item->at;
        const hb_node *node = same ? result_of(l, &l->symbols[i]) : NULL;
        note->iterations += same;
        if (node != NULL) {
            note->worst = fmin(note->worst, hb_node_bits(&l->graph, node, HB_QUALITY_WORST));
            note->expected = fmin(note->expected, hb_node_bits(&l->graph, node, HB_QUALITY_EXPECTED));
            note->limbs = node->limbs < note->limbs ? node->limbs : note->limbs;
            note->approximate = fmax(note->approximate, node->approximate);
            note->values = either(note->values, values_of(l, &l->symbols[i]));
            note->computed++;
        }
    }
}

hb_status hb_program_describe_notes(hb_program *program, const hb_lowering *l)
{
    enum { MOST = 32 };
    const hb_graph *g = &l->graph;
    const hb_node *nearest = NULL;
    const hb_item *item = NULL;
    uint32_t statements = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        /* Reals come to no end: fewer bits of a sum may be more of its mean. */
        nearest = node->used && !node->plain && !g->semantics->reals ? nearer(g, nearest, node) : nearest;
    }
    for (uint32_t i = 0; nearest != NULL && i < l->symbol_count && item == NULL; i++) {
        item = result_of(l, &l->symbols[i]) == nearest ? l->symbols[i].item : NULL;
    }
    if (nearest != NULL) {
        HB_TRY(add_note(program, g, nearest, item, nearest->interval));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        statements += !l->symbols[i].item->again;
    }
    /* Of many statements the last ones, which are nearest to the results; of a loop's what the last iteration makes. */
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const bool told = !l->symbols[i].item->again && statements-- <= MOST;
        const hb_node *node = told ? result_of(l, &l->symbols[i]) : NULL;
        if (node != NULL && l->symbols[i].item != item) {
            HB_TRY(add_note(program, g, node, l->symbols[i].item, values_of(l, &l->symbols[i])));
            if (l->symbols[i].item->iterations > 0) {
                add_iterations(&program->notes[program->note_count - 1], l, i);
            }
        }
    }
    return HB_OK;
}
