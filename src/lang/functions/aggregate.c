/* Aggregates over all rows, or over those that a condition selects. An aggregate that is no sum itself is stored as
 * sums; it is worked out once they are decrypted (src/table/grouping.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/types/worked_out.h"
#include "logic.h"
#include "plain_conditions.h"
#include "table/grouping.h"

/* --- types */

/* Refuses operands that an aggregate with an epilogue does not take. */
static hb_status check_rows(hb_types *t, const hb_lang_function *f, const hb_type *x)
{
    const hb_types_context *w = &t->context;
    if (f->counts && hb_type_plain(x)) {
        HB_TRY(hb_types_condition(t, "count", x));
        return x->columns == 1 ? HB_OK : hb_types_refuse(t, "count takes one condition on plain tables");
    }
    if (!hb_type_encrypted(x) && !(hb_type_plain(x) && t->item->grouped)) { /* keys of groups may be encrypted */
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at, "%s takes encrypted values", f->call.name);
    }
    if (w->block > 1) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                          "%s does not work on rows within slots; encrypt by columns, --pack columns", f->call.name);
    }
    /* in front of where as well: else the values of rows would be added up, not the rows counted */
    return f->counts && !hb_types_counts_cells(x) && !hb_types_counts_rows(x) ? hb_types_condition(t, f->call.name, x)
                                                                              : HB_OK;
}

hb_status hb_shape_aggregate(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    const hb_type *x = item->arguments > 0 ? &operands[0] : NULL;
    if (x != NULL) {
        HB_TRY(check_rows(t, f, x));
    }
    if (!hb_epilogue_is_itself(f->epilogue)) {
        *out = (hb_type){.kind = HB_TYPE_WORKED_OUT, .worked_out = f->epilogue->name};
        return HB_OK;
    }
    if (x == NULL || hb_type_plain(x)) {
        *out = (hb_type){.kind = HB_TYPE_COUNT,
                         .means = hb_means_all(hb_meaning_numbers(HB_WHOLE_NUMBER, HB_TIME_NONE)),
                         .worked_out = hb_numbers_of_rows};
        return HB_OK;
    }
    *out = (hb_type){.kind = HB_TYPE_TOTALS, .columns = x->columns, .names = f->counts ? NULL : x->names};
    return HB_OK;
}

/* --- rows that a condition selects */

const hb_value *hb_lower_condition_of(const hb_lowering *l, const hb_value *x)
{
    return x->type != NULL && x->type->item->kind == HB_ITEM_WHERE ? hb_lower_operand_of(l, x->type->item, 1) : NULL;
}

/* Refuses a selection of no rows, as its sum is public. */
static hb_status require_selected(const hb_lowering *l, uint32_t mask)
{
    const hb_graph *g = &l->graph;
    return hb_plain_chosen(g, mask) > 0
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                            "the condition on plain tables selects no row: the result is 0 whatever was "
                            "encrypted, and everyone could read it (a transparent ciphertext, which is "
                            "refused)");
}

hb_status hb_lower_masked(hb_lowering *l, uint32_t node, uint32_t mask, uint32_t *out)
{
    *out = node;
    if (mask == HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(hb_lower_require_rows(l, mask));
    HB_TRY(require_selected(l, mask));
    return hb_graph_with_plain(&l->graph, HB_OP_MULTIPLY_PLAIN, node, mask, true, out);
}

hb_status hb_lower_selected(hb_lowering *l, const hb_value *selected, hb_value *out)
{
    hb_value x = *selected, condition = *hb_lower_condition_of(l, selected);
    const hb_column *names = x.names;
    HB_TRY(hb_value_plain(&condition) ? require_selected(l, l->pool[condition.first]) : HB_OK);
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &x, &condition, out));
    out->names = names;
    out->means = x.means;
    return HB_OK;
}

/* Counts rows that conditions on plain tables select, which are public unless an encrypted condition selects as well.
 * They are the tables' rows, whose number may differ from the datasets' where the conditions select nothing else. */
static hb_status count_plain(hb_lowering *l, hb_value *x, hb_aggregated *out)
{
    HB_TRY(hb_lower_require_condition(l, "count", x));
    return hb_lower_plain_product(l, l->pool[x->first], out->mask, &out->mask);
}

static bool is_never(const hb_lowering *l, uint32_t node)
{
    return hb_node_is_known(&l->graph, node) && hb_graph_is_zero(&l->graph, hb_node_known_number(&l->graph, node));
}

bool hb_lower_selects_none(const hb_lowering *l, const hb_value *condition)
{
    return condition->kind != HB_TYPE_ROW && hb_value_encrypted(condition) && is_never(l, l->pool[condition->first]);
}

hb_status hb_lower_selects_all(const hb_lowering *l, const hb_value *condition, bool *all)
{
    const uint32_t node = l->pool[condition->first];
    *all = condition->kind == HB_TYPE_ROW || (hb_value_encrypted(condition) && hb_node_is_known(&l->graph, node));
    return condition->kind == HB_TYPE_ROW ? require_selected(l, node) : HB_OK;
}

/* Numbers of 0 and 1 are a condition where none is missing, so a count of the cells that are there is refused. */
static hb_status check_counted(const hb_lowering *l, const hb_type *type, uint32_t column, uint32_t node)
{
    const hb_graph *g = &l->graph;
    const hb_interval values = g->nodes[node].range.interval;
    return g->params == NULL || !hb_meaning_is_plain(hb_type_meaning(type, column)) || !values.known ||
                   !hb_interval_within(values, hb_truth_range(l))
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                            "these numbers are 0 and 1, and some may be missing: count(x == 1) counts the ones, and "
                            "count(x is not missing) the cells that are there");
}

/* Makes values 0 in rows where they are missing; a count is that of the cells that are there. */
static hb_status take_gaps(hb_lowering *l, const hb_lang_function *function, hb_value *x)
{
    hb_value cells = {.kind = x->kind, .type = x->type};
    if (!function->counts || !hb_types_counts_cells(x->type)) {
        return hb_lower_zeroed(l, x);
    }
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_lower_columns(l, x->columns, &cells));
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, x->columns); c++) {
        uint32_t node = l->pool[x->first + c];
        const hb_column_gaps gaps = hb_type_gaps(x->type, c);
        if (gaps.count == 0) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                              "cells of one column may be missing, and not of another: count each by itself, as in "
                              "cols(count(x.a), count(x.b))");
        }
        HB_TRY(check_counted(l, x->type, c, node));
        HB_TRY(hb_lower_present(l, &gaps, &node));
        l->pool[cells.first + c] = node;
    }
    *x = cells;
    return HB_OK;
}

/* Notes a count of the ones of numbers 0 and 1, as one of other numbers is that of all rows. */
static void note_ones(hb_lowering *l)
{
    const hb_item *item = l->graph.position.item;
    uint32_t i = 0;
    while (i < l->notes.ones_count && l->notes.ones[i] != item) {
        i++;
    }
    if (i == l->notes.ones_count && i < HB_MOST_SETTLED) {
        l->notes.ones[l->notes.ones_count++] = item;
    }
}

/* Whether a count of a value is that of the rows that it has: so it is of columns without gaps, but of numbers of 0 and
 * 1, which may be a condition. Keys are those for either. */
static hb_status finds_rows(hb_lowering *l, const hb_lang_function *function, hb_value *x, bool *counts)
{
    const hb_graph *g = &l->graph;
    *counts = function->counts && g->params != NULL && x->type != NULL && x->kind == HB_TYPE_ROWS &&
              hb_value_encrypted(x) && hb_types_counts_rows(x->type);
    if (!*counts || !hb_meaning_is_plain(hb_value_meaning(x, 0))) {
        return HB_OK;
    }
    HB_TRY(hb_lower_load(l, x));
    const hb_interval values = g->nodes[l->pool[x->first]].range.interval;
    *counts = values.known && !hb_interval_within(values, hb_truth_range(l));
    if (!*counts && values.known && !g->semantics->reals) {
        note_ones(l);
    }
    return *counts || !g->semantics->reals
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                            "%s: compare them, as x.p > 0.5, or count all rows, count()",
                            values.known ? "count takes conditions and columns, and here are reals from 0 to 1, which "
                                           "may be either"
                                         : "count takes conditions and columns, and the range of these reals, which "
                                           "would tell, is unknown");
}

/* A count of the rows that x has: of those that a condition selects, or of all, which are no secret. Their number is a
 * known one beside x where it is computed with. */
static hb_status count_rows_of(hb_lowering *l, hb_value *x, const hb_value *condition, hb_aggregated *out)
{
    const hb_number one = {.integer = 1, .real = 1};
    uint32_t known;
    bool all = true;
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_graph_known(&l->graph, l->pool[x->first], true, one, &known));
    out->none = condition != NULL && hb_lower_selects_none(l, condition);
    if (condition != NULL && !out->none) {
        HB_TRY(hb_lower_selects_all(l, condition, &all));
    }
    if (all || out->none) {
        return HB_OK;
    }
    if (hb_value_plain(condition)) {
        out->mask = l->pool[condition->first];
        return HB_OK;
    }
    out->x = *condition;
    return hb_lower_in_rows(l, &out->x);
}

/* Finds the rows that count, for each column: rows whose cell is present, and among them the rows that a condition
 * selects. A column without gaps has the cells of all rows. */
static hb_status find_present(hb_lowering *l, const hb_type *type, hb_aggregated *out)
{
    hb_value made;
    if (!hb_type_has_gaps(type) || hb_epilogue_is_itself(out->function->epilogue)) {
        return HB_OK;
    }
    HB_TRY(hb_lower_columns(l, out->x.columns, &made));
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, made.columns); c++) {
        const hb_column_gaps gaps = hb_type_gaps(type, c);
        uint32_t node = out->counted;
        if (gaps.count > 0) {
            HB_TRY(hb_lower_present(l, &gaps, &node));
        }
        if (gaps.count > 0 && out->counted != HB_NO_NODE) {
            HB_TRY(hb_graph_multiply(&l->graph, node, out->counted, &node));
        }
        l->pool[made.first + c] = node;
    }
    out->present = made.first;
    return HB_OK;
}

/* Takes the values in front of where, and its condition apart. */
static hb_status take_selected(hb_lowering *l, const hb_value *selected, hb_value *x, hb_aggregated *out)
{
    const hb_value *condition = hb_lower_condition_of(l, selected);
    const uint32_t node = l->pool[condition->first];
    bool all = false;
    out->none = hb_lower_selects_none(l, condition);
    if (!out->none) {
        HB_TRY(hb_lower_selects_all(l, condition, &all));
    }
    *x = *selected;
    if (all || out->none) { /* the rows that it has, also where values stand in all of them */
        return condition->kind == HB_TYPE_ROWS ? hb_lower_in_rows(l, x) : HB_OK;
    }
    if (hb_value_plain(condition)) {
        out->mask = node;
        return hb_lower_in_rows(l, x);
    }
    out->counted = node;
    HB_TRY(hb_lower_selected(l, selected, x));
    return x->kind == HB_TYPE_ROWS ? hb_graph_in_rows(&l->graph, node, &out->counted) : HB_OK;
}

hb_status hb_lower_aggregated(hb_lowering *l, const hb_item *item, const hb_value *argument, hb_aggregated *out)
{
    const hb_lang_function *function = hb_lang_function_of(item);
    *out = (hb_aggregated){.item = item,
                           .function = function,
                           .counted = HB_NO_NODE,
                           .present = HB_NO_NODE,
                           .mask = HB_NO_NODE,
                           .secret = HB_NO_NODE};
    if (item->arguments == 0) {
        return HB_OK;
    }
    hb_value x = *argument;
    const bool gaps = argument->type != NULL && hb_type_has_gaps(argument->type);
    const hb_value *condition = hb_lower_condition_of(l, argument);
    bool rows = false;
    if (gaps) {
        HB_TRY(take_gaps(l, function, &x));
    } else {
        HB_TRY(finds_rows(l, function, &x, &rows));
    }
    if (rows) {
        return count_rows_of(l, &x, condition, out);
    }
    if (function->counts && !hb_value_plain(&x) && !(gaps && hb_types_counts_cells(argument->type))) {
        HB_TRY(hb_lower_require_condition(l, function->call.name, &x));
    }
    const hb_value all = x;
    if (condition != NULL) {
        HB_TRY(take_selected(l, &all, &x, out));
    }
    if (function->counts && hb_value_plain(&x)) {
        return count_plain(l, &x, out);
    }
    HB_TRY(hb_lower_load(l, &x));
    out->one_row = x.kind == HB_TYPE_TOTALS;
    const uint32_t node = l->pool[x.first];
    const bool counts = function->counts && x.columns == 1;
    out->none = out->none || (counts && is_never(l, node));
    out->counted = out->none ? HB_NO_NODE : out->counted;
    if (counts && out->none) {
        const hb_column_gaps own = gaps ? hb_type_gaps(argument->type, 0) : (hb_column_gaps){0};
        return own.count > 0 ? hb_lower_present(l, &own, &out->secret) : HB_OK;
    }
    if (counts && out->counted == HB_NO_NODE && hb_node_is_known(&l->graph, node)) { /* all, as count() */
        return HB_OK;
    }
    out->x = x;
    return gaps && !out->none ? find_present(l, argument->type, out) : HB_OK;
}

uint32_t hb_aggregate_power(const hb_epilogue *epilogue)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < epilogue->parts; i++) {
        most = epilogue->power[i] > most ? epilogue->power[i] : most;
    }
    HB_ASSERT(most <= HB_AGGREGATE_MOST_POWER);
    return most;
}

hb_status hb_lower_next_power(hb_lowering *l, uint32_t node, uint32_t *power)
{
    if (*power == HB_NO_NODE) {
        *power = node;
        return HB_OK;
    }
    return hb_graph_multiply(&l->graph, *power, node, power);
}
