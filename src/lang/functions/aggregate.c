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
    return f->counts && !hb_types_counts_cells(x) ? hb_types_condition(t, f->call.name, x) : HB_OK;
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
                              "count is of columns that have masks, or of a condition: pick the columns to count");
        }
        HB_TRY(hb_lower_present(l, &gaps, &node));
        l->pool[cells.first + c] = node;
    }
    *x = cells;
    return HB_OK;
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
    if (gaps) {
        HB_TRY(take_gaps(l, function, &x));
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

/* --- over all rows */

static hb_status put_name(const hb_lowering *l, const hb_aggregated *of, uint32_t c, const char *form, char **name)
{
    const bool named = of->x.names != NULL && of->x.names[c].name != NULL && of->x.names[c].name[0] != '\0';
    if (named) {
        return hb_name_print(name, form, of->x.names[c].name);
    }
    return hb_words_name(l->graph.syntax, of->item->from, of->item->to, form, name);
}

/* The scale of a power of values; a scale that is too large is none. Sums of values count what these do. */
static hb_meaning power_of(const hb_aggregated *of, uint32_t c, uint32_t power)
{
    const uint64_t own = hb_meaning_scale(hb_value_meaning(&of->x, c));
    uint64_t scale = own;
    for (uint32_t p = 1; p < power && scale > 0; p++) {
        scale = scale <= HB_MOST_SCALE / own ? scale * own : 0;
    }
    return (hb_meaning){.scale = scale > 1 ? scale : 0,
                        .unit = power == 1 ? hb_meaning_span(hb_value_meaning(&of->x, c)) : HB_TIME_NONE};
}

static hb_status sum_into(hb_lowering *l, uint32_t node, uint32_t mask, uint32_t column, const hb_value *out)
{
    uint32_t total, masked;
    hb_graph_at_column(&l->graph, column, out->columns);
    HB_TRY(hb_lower_masked(l, node, mask, &masked));
    HB_TRY(hb_graph_sum(&l->graph, masked, &total));
    if (mask != HB_NO_NODE) {
        const hb_interval values = l->graph.nodes[node].range.interval;
        hb_lower_narrow_sum(l, values, hb_plain_chosen(&l->graph, mask), total);
    }
    l->pool[out->first + column] = total;
    return HB_OK;
}

/* The sums of one column's powers, those of each power behind the sums of all columns of the power before. */
static hb_status sum_powers(hb_lowering *l, const hb_aggregated *of, uint32_t c, hb_schema *made, const hb_value *out)
{
    static const char *const called[HB_AGGREGATE_MOST_POWER + 1] = {NULL, "sum(%s)", "squares(%s)"};
    const uint32_t node = l->pool[of->x.first + c];
    uint32_t power = HB_NO_NODE;
    for (uint32_t p = 1; p <= hb_aggregate_power(of->function->epilogue); p++) {
        const uint32_t place = (p - 1) * of->x.columns + c;
        HB_TRY(hb_lower_next_power(l, node, &power));
        HB_TRY(sum_into(l, power, of->mask, place, out));
        HB_TRY(put_name(l, of, c, called[p], &made->column[place].name));
        made->column[place].meaning = power_of(of, c, p);
    }
    return HB_OK;
}

/* Whether a count is a public number, and not that of all rows: of rows that a plain condition selects, of one row, or
 * of none. */
static bool is_counted_plainly(const hb_aggregated *of)
{
    return of->mask != HB_NO_NODE || of->one_row || of->none;
}

static hb_status put_plain_count(const hb_lowering *l, const hb_aggregated *of, hb_grouping *grouping)
{
    HB_TRY(hb_grouping_alloc_counts(grouping, 1));
    grouping->counts[0] = of->none                 ? 0
                          : of->mask != HB_NO_NODE ? hb_plain_chosen(&l->graph, of->mask)
                          : of->one_row            ? 1
                                                   : l->graph.rows;
    return HB_OK;
}

/* The node of the rows that count for a column; HB_NO_NODE: their number is public. */
static uint32_t counted_of(const hb_lowering *l, const hb_aggregated *of, uint32_t c)
{
    return of->present != HB_NO_NODE ? l->pool[of->present + c] : of->counted;
}

/* How many counts are no public numbers: each column with gaps has its own, beside others that have none. Columns
 * without gaps share one. */
static uint32_t encrypted_counts(const hb_lowering *l, const hb_aggregated *of)
{
    const uint32_t columns = of->present != HB_NO_NODE ? of->x.columns : 1;
    uint32_t count = 0;
    for (uint32_t c = 0; c < columns; c++) {
        count += counted_of(l, of, c) != HB_NO_NODE;
    }
    return count;
}

/* Makes the sums of counts behind those of values. */
static hb_status sum_counts(hb_lowering *l, const hb_aggregated *of, uint32_t sums, hb_schema *made,
                            const hb_value *out)
{
    for (uint32_t c = 0, at = sums; at < out->columns; c++) {
        if (counted_of(l, of, c) != HB_NO_NODE) {
            HB_TRY(sum_into(l, counted_of(l, of, c), of->mask, at, out));
            HB_TRY(put_name(l, of, c, "count(%s)", &made->column[at].name));
            at++;
        }
    }
    return HB_OK;
}

/* The sums that an epilogue takes, with counts if they are no public numbers, and their meanings. */
static hb_status worked_out(hb_lowering *l, const hb_aggregated *of, hb_value *out)
{
    const hb_epilogue *epilogue = of->function->epilogue;
    const uint32_t columns = of->x.columns, counts = encrypted_counts(l, of);
    const uint32_t sums = columns * hb_aggregate_power(epilogue), parts = sums + counts;
    const bool gaps = of->present != HB_NO_NODE, plainly = is_counted_plainly(of) && counts < (gaps ? columns : 1);
    uint64_t next = sums;
    hb_schema *made = NULL;
    HB_TRY(hb_lower_columns(l, parts, out));
    HB_TRY(hb_made_columns_add(&l->columns, parts, &made));
    HB_TRY(hb_grouping_alloc(1, 0, columns, &made->grouping));
    made->grouping->parts = parts;
    made->grouping->rows = l->graph.rows;
    if (plainly) {
        HB_TRY(put_plain_count(l, of, made->grouping));
    }
    for (uint32_t c = 0; c < columns; c++) {
        const bool open = counted_of(l, of, c) != HB_NO_NODE;
        const uint64_t count = open ? next : plainly ? parts : HB_GROUPED_ROWS;
        hb_grouped_column *shown = &made->grouping->column[c];
        next += open && gaps;
        HB_TRY(sum_powers(l, of, c, made, out));
        HB_TRY(put_name(l, of, c, "%s", &shown->name));
        shown->epilogue = epilogue;
        for (uint32_t i = 0; i < epilogue->parts; i++) {
            shown->part[i] = epilogue->power[i] == 0 ? count : (epilogue->power[i] - 1) * columns + c;
        }
    }
    HB_TRY(sum_counts(l, of, sums, made, out));
    out->names = made->column;
    out->grouping = made->grouping;
    out->means = hb_made_columns_means(made);
    return HB_OK;
}

/* The number of rows, or of those that a condition on plain tables selects, for which no ciphertext is needed. */
static hb_status count_rows(hb_lowering *l, const hb_aggregated *of, hb_value *out)
{
    const hb_item *item = of->item;
    hb_schema *made = NULL;
    HB_TRY(hb_made_columns_add(&l->columns, 0, &made));
    HB_TRY(hb_grouping_alloc(1, 0, 1, &made->grouping));
    made->grouping->column[0].part[0] = HB_GROUPED_ROWS;
    made->grouping->rows = l->graph.rows;
    out->grouping = made->grouping;
    if (is_counted_plainly(of) || item->arguments > 0) {
        HB_TRY(put_plain_count(l, of, made->grouping));
        made->grouping->column[0].part[0] = 0; /* there are no columns before it */
    }
    return hb_words_name(l->graph.syntax, item->from, item->to - (item->arguments == 0 ? 2 : 0), "%s",
                         &made->grouping->column[0].name);
}

static hb_status sums(hb_lowering *l, const hb_aggregated *of, hb_value *out)
{
    out->names = of->function->counts ? NULL : of->x.names;
    out->means = hb_means_all(hb_meaning_decimals(1)); /* of a count; a sum gets its own */
    HB_TRY(hb_lower_columns(l, of->x.columns, out));
    for (uint32_t c = 0; c < of->x.columns; c++) {
        HB_TRY(sum_into(l, l->pool[of->x.first + c], of->mask, c, out));
    }
    return HB_OK;
}

/* A count of no rows of a column with masks: 0, as a sum of its mask would be. */
static hb_status count_none(hb_lowering *l, const hb_aggregated *of, hb_value *out)
{
    out->means = hb_means_all(hb_meaning_decimals(1));
    HB_TRY(hb_lower_columns(l, 1, out));
    HB_TRY(sum_into(l, of->secret, HB_NO_NODE, 0, out));
    return hb_lower_zero_totals(l, out);
}

hb_status hb_lower_aggregate(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_aggregated of;
    HB_TRY(hb_lower_aggregated(l, item, arguments, &of));
    *out = (hb_value){.kind = HB_TYPE_TOTALS};
    if (of.secret != HB_NO_NODE && !hb_graph_packed(&l->graph)) {
        return count_none(l, &of, out);
    }
    if (!hb_epilogue_is_itself(of.function->epilogue)) {
        return worked_out(l, &of, out);
    }
    return of.x.columns == 0 ? count_rows(l, &of, out) : sums(l, &of, out);
}
