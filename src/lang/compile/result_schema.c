#include "result_schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compact.h"
#include "lang/ir/blocks.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"
#include "lang/program/range.h"
#include "scheme/quality.h"
#include "table/grouping.h"
#include "table/real_text.h"

/* A result can be signed where a sign took part, unless its range says that it is not. */
static bool stored_signed(const hb_node *node)
{
    return !node->range.interval.real &&
           (node->range.interval.known ? hb_wide_sign(node->range.interval.wide_least) < 0 : node->shape.is_signed);
}

/* Whether these are the values of an operand's column, none of which wrapped, in their places or in others. */
static bool is_copy(const hb_graph *g, const hb_node *node)
{
    for (; hb_rule_of(node->op)->same_values; node = &g->nodes[node->a]) {
        if (hb_rule_of(node->op)->moved && !g->nodes[node->a].shape.padding_zero) {
            return false;
        }
    }
    const bool column = node->op == HB_OP_LOAD || node->op == HB_OP_SPREAD;
    return column && !g->operands[node->operand].schema->column[node->column].may_wrap;
}

/* For a result of reals; its values were checked against its level. Readers of the result use its range for slots
 * without rows too, so it must hold for those. */
static void describe_reals(hb_column *column, const hb_node *node)
{
    const bool everywhere = !hb_node_confined(node);
    const double most = node->range.magnitude;
    const hb_interval values =
        everywhere ? hb_interval_of_reals(-most, most) : hb_interval_to_reals(node->range.interval);
    column->cells = HB_CELL_REAL;
    column->ranged = values.known && isfinite(values.low) && isfinite(values.high);
    if (column->ranged) {
        column->least = hb_real_word(values.low);
        column->most = hb_real_word(values.high);
    }
}

/* Says the range of a result if the scheme holds that range. Otherwise it says no range: a value that wrapped may be
 * any. */
static void describe_values(hb_column *column, const hb_graph *g, const hb_node *node)
{
    if (g->semantics->reals) {
        describe_reals(column, node);
        return;
    }
    const hb_interval values = node->range.interval;
    column->wide = hb_spec_residues(g->spec) > 1;
    column->ranged = hb_interval_within(values, hb_interval_held(g->spec, column->is_signed));
    if (column->ranged) {
        hb_column_set_interval(column, values);
    }
    column->may_wrap = !column->ranged && (values.known || !is_copy(g, node));
}

static hb_status describe_halves(hb_column *column, const hb_node *node)
{
    column->halves = node->shape.halves;
    for (int half = 0; half < 2 && node->shape.halves == HB_HALVES_PAIR; half++) {
        column->part[half] = strdup(node->shape.pair->part[half]);
        if (!column->part[half]) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of a result");
        }
    }
    return HB_OK;
}

/* A column of a table keeps its fill where its values are stored as they are. */
static void keep_fill(hb_column *column, const hb_column_gaps *gaps)
{
    const bool real = column->cells == HB_CELL_REAL, filled = hb_gaps_filled(gaps);
    column->fill = !filled ? 0 : real ? hb_real_word(gaps->fill.real) : (uint64_t)gaps->fill.integer;
    column->has_fill = gaps->zero || (filled && hb_meaning_scale(&column->meaning) == gaps->fill_scale &&
                                      hb_interval_within(hb_column_fill(column), hb_column_stored(column)));
    column->fill = column->has_fill ? column->fill : 0;
}

/* The mask of each column, and its contents where no cell is missing. */
static hb_status describe_masks(hb_schema *schema, const hb_lowering *l, const hb_value *value)
{
    const uint32_t shown = (uint32_t)schema->columns - value->masks;
    for (uint32_t c = 0; c < shown; c++) {
        const uint32_t mask = hb_type_mask(value->type, c);
        if (mask == UINT32_MAX) {
            continue;
        }
        hb_column *column = &schema->column[c], *of = &schema->column[shown + mask];
        const hb_column_gaps gaps = hb_type_gaps(value->type, c);
        column->mask = (uint64_t)shown + mask + 1;
        keep_fill(column, &gaps);
        if (of->full > 0) {
            continue; /* the mask of a column before */
        }
        for (uint32_t i = 0; i < gaps.count; i++) {
            of->full += l->graph.operands[gaps.gap[i].operand].schema->column[gaps.gap[i].column].full;
        }
        free(of->name);
        of->name = NULL;
        HB_TRY(hb_name_print(&of->name, schema->named ? "%s is not missing" : "%.0s", column->name));
    }
    return HB_OK;
}

/* Columns keep their names; a single column has the name of the result, which users look for. */
static hb_status describe_columns(hb_schema *schema, const hb_lowering *l, const hb_value *value, const char *result)
{
    const uint32_t shown = (uint32_t)schema->columns - value->masks;
    const bool alone = shown == 1 && value->grouping == NULL && strlen(result) <= HB_COLUMN_NAME_MAX;
    schema->named = alone || (value->names != NULL && value->names[0].name[0] != '\0');
    schema->column = calloc(schema->columns, sizeof *schema->column);
    if (!schema->column) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of a result");
    }
    for (uint32_t i = 0; i < schema->columns; i++) {
        const char *kept = value->names != NULL && i < shown ? value->names[i].name : "";
        schema->column[i].name = strdup(alone && i < shown ? result : kept);
        const hb_node *node = &l->graph.nodes[l->pool[value->first + (value->width > 0 ? 0 : i)]];
        if (node->shape.halves == HB_HALVES_REAL && i < shown) {
            schema->column[i].meaning = hb_meaning_kept(hb_value_meaning(value, i));
        }
        schema->column[i].is_signed = stored_signed(node);
        describe_values(&schema->column[i], &l->graph, node);
        HB_TRY(describe_halves(&schema->column[i], node));
        if (!schema->column[i].name) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of a result");
        }
    }
    return value->masks > 0 ? describe_masks(schema, l, value) : HB_OK;
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

/* Marks the nodes that a value is made of; the caller frees the marks, one a node. NULL: out of memory. */
static bool *mark_nodes(const hb_lowering *l, const hb_value *value)
{
    const hb_graph *g = &l->graph;
    bool *marks = calloc((size_t)g->count + 1, sizeof *marks);
    for (uint32_t i = 0; marks != NULL && i < value->columns; i++) {
        marks[l->pool[value->first + i]] = true;
    }
    /* Operands stand before their users. */
    for (uint32_t n = g->count; marks != NULL && n-- > 0;) {
        const hb_node_list of = hb_node_operands(g, &g->nodes[n]);
        for (uint32_t i = 0; marks[n] && i < of.count; i++) {
            marks[of.node[i]] = true;
        }
    }
    return marks;
}

/* Finds how many rows the totals lack that a value is made of: those of earlier commands, and its own. */
static hb_status count_left_out(const hb_lowering *l, const hb_value *value, hb_output *output)
{
    const hb_graph *g = &l->graph;
    uint64_t *most = &output->schema.total_left_out;
    bool any = false;
    for (uint32_t i = 0; i < g->operand_count; i++) {
        any = any || g->operands[i].schema->left_out.rows > 0 || g->operands[i].schema->total_left_out > 0;
    }
    if (!any) {
        return HB_OK;
    }
    bool *marks = mark_nodes(l, value);
    if (marks == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the rows of a result");
    }
    for (uint32_t n = 0; n < g->count; n++) {
        if (marks[n] && (g->nodes[n].op == HB_OP_LOAD || g->nodes[n].op == HB_OP_LOAD_PLAIN)) {
            const hb_schema *of = g->operands[g->nodes[n].operand].schema;
            const uint64_t own = output->total ? of->left_out.rows : 0;
            *most = of->total_left_out > *most ? of->total_left_out : *most;
            *most = own > *most ? own : *most;
        }
    }
    free(marks);
    return HB_OK;
}

/* Finds the facts that hold for all columns of a result: their level, errors, ranges. */
static void bound_output(hb_output *output, const hb_lowering *l, const hb_facts *f, const hb_value *value)
{
    output->quality = (hb_quality){.worst = -HUGE_VAL, .expected = -HUGE_VAL};
    output->likely = -HUGE_VAL;
    output->least = INT64_MAX;
    output->most = INT64_MIN;
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node *node = &l->graph.nodes[l->pool[value->first + i]];
        output->limbs = node->shape.limbs; /* of all columns: operations act on each column alike */
        output->dirty_padding |= node->shape.total || !node->shape.padding_zero || !node->shape.tail_zero;
        const hb_quality quality = hb_node_quality(f, node);
        output->quality.worst = fmax(output->quality.worst, quality.worst);
        output->quality.expected = fmax(output->quality.expected, quality.expected);
        output->quality.certainty = hb_certainty_of_both(output->quality.certainty, quality.certainty);
        output->quality.norm = fmax(output->quality.norm, quality.norm); /* 0 in none or in all */
        output->quality.peak = fmax(output->quality.peak, quality.peak);
        output->likely = fmax(output->likely, hb_quality_likely(l->graph.params, quality));
        output->approximate = fmax(output->approximate, hb_facts_error(f, node)->approximate);
        const hb_interval values = node->range.interval;
        output->values = i == 0 ? values : hb_values_of_both(output->values, values);
        const bool integers = values.known && !values.real;
        const int64_t least = integers ? values.least : INT64_MIN, most = integers ? values.most : INT64_MAX;
        output->least = least < output->least ? least : output->least;
        output->most = most > output->most ? most : output->most;
    }
}

/* Files tell no larger masks. */
static hb_status check_masks(const hb_schema *schema, const hb_lowering *l, const hb_item *item)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (schema->column[c].full > HB_MOST_FULL) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                              "this result adds up %" PRIu64 " masks of columns with missing cells; %" PRIu64
                              " are possible",
                              schema->column[c].full, HB_MOST_FULL);
        }
    }
    return HB_OK;
}

static hb_status describe_output(hb_output *output, const hb_lowering *l, const hb_facts *f, const hb_symbol *symbol)
{
    const hb_value *value = &symbol->value;
    const hb_item *item = symbol->item;
    if (value->type != NULL && value->type->unsure) {
        return HB_FAIL_AT(
            HB_EUSAGE, l->graph.syntax->text, item->at,
            "a condition with missing cells that is made with and, or is counted, selects rows and chooses; "
            "it is no result: where(condition, 1, 0) is 1 in rows where it is true");
    }
    output->name = strndup(l->graph.syntax->text + item->word, item->word_length);
    if (!output->name) {
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a result");
    }
    output->total = value->kind == HB_TYPE_TOTALS;
    output->computed_limbs = symbol->computed_limbs;
    output->at = item->at;
    bound_output(output, l, f, value);
    output->unpacked = symbol->unpacked;
    if (symbol->packed_limbs > 0) {
        output->packed = true;
        output->reversed = hb_compact_merges(&l->graph);
        output->summed_limbs = symbol->summed_limbs;
        output->limbs = symbol->packed_limbs;
        output->quality = symbol->packed_quality;
        output->likely = hb_quality_likely(l->graph.params, output->quality);
    }
    output->schema = (hb_schema){.rows = output->total ? 1 : l->graph.rows,
                                 .columns = hb_value_width(value), /* masks, too: rows within slots have none */
                                 .left_out = output->total ? (hb_left_out){0} : l->graph.first->schema->left_out,
                                 .rank = hb_value_width(value) > 1 || value->names != NULL ? 2 : 1,
                                 .width = hb_spec_residues(l->graph.spec) > 1 ? 16 : 8};
    for (uint32_t i = 0; i < value->columns; i++) {
        const double gap = l->graph.nodes[l->pool[value->first + i]].range.threshold_gap;
        output->schema.threshold_gap = fmax(output->schema.threshold_gap, gap);
    }
    HB_TRY(count_left_out(l, value, output));
    if (value->grouping != NULL) {
        output->schema.rank = 2;
        HB_TRY(hb_grouping_copy(value->grouping, &output->schema.grouping));
        HB_TRY(name_shown(output->schema.grouping, output->name));
    }
    HB_TRY(describe_columns(&output->schema, l, value, output->name));
    return check_masks(&output->schema, l, item);
}

hb_status hb_program_describe_outputs(hb_program *program, const hb_lowering *l, const hb_facts *facts,
                                      hb_symbol *const *symbols, uint32_t count)
{
    program->outputs = calloc(count, sizeof *program->outputs);
    if (!program->outputs) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    program->output_count = count;
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(describe_output(&program->outputs[i], l, facts, symbols[i]));
    }
    return HB_OK;
}
