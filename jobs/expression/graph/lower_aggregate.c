/* Aggregates over all rows, or over those that a condition selects. What is no sum itself is sums, and what they stand
 * for is worked out once they are decrypted (io/base/grouping.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "function.h"
#include "io/base/grouping.h"
#include "lower.h"
#include "lower_aggregate.h"
#include "lower_plain.h"
#include "semantics.h"

hb_status hb_lower_where(hb_lowering *l, hb_value *x, hb_value *condition, hb_value *out)
{
    const hb_graph *g = &l->graph;
    if (x->kind != HB_VALUE_ROWS && x->kind != HB_VALUE_TABLE) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "in front of where are values with rows; count(condition) counts");
    }
    HB_TRY(hb_lower_require_condition(l, "where", condition));
    if ((condition->kind != HB_VALUE_ROWS && !hb_value_plain(condition)) || hb_value_width(condition) != 1) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "behind where is one condition on rows");
    }
    HB_TRY(hb_lower_load(l, x));
    *out = (hb_value){.kind = HB_VALUE_WHERE};
    return hb_lower_keep_pair(l, (const hb_value[2]){*x, *condition}, &out->first);
}

/* Of no rows everybody knows the sum. */
static hb_status require_rows(const hb_lowering *l, const hb_mask *mask)
{
    const hb_graph *g = &l->graph;
    return mask->count > 0 ? HB_OK
                           : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
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
    HB_TRY(require_rows(l, hb_node_mask(&l->graph, mask)));
    return hb_graph_with_plain(&l->graph, HB_OP_MULTIPLY_PLAIN, node, mask, true, out);
}

void hb_lower_narrow_sum(hb_lowering *l, uint32_t node, uint64_t rows, uint32_t total)
{
    const hb_interval x = l->graph.nodes[node].interval;
    const int64_t times = rows < INT64_MAX ? (int64_t)rows : INT64_MAX;
    const hb_interval count = x.real ? hb_interval_of_reals((double)rows, (double)rows) : hb_interval_of(times, times);
    hb_graph_narrow(&l->graph, total, hb_interval_multiply(x, count));
}

hb_status hb_lower_selected(hb_lowering *l, const hb_value *where, hb_value *out)
{
    hb_value x = l->pairs[where->first][0], condition = l->pairs[where->first][1];
    const hb_column *names = x.names;
    const hb_mask *mask = hb_value_plain(&condition) ? hb_node_mask(&l->graph, l->pool[condition.first]) : NULL;
    HB_TRY(mask != NULL ? require_rows(l, mask) : HB_OK);
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &x, &condition, out));
    out->names = names;
    return HB_OK;
}

/* Rows that conditions on plain tables select, which are no secret but beside what is encrypted. */
static hb_status count_plain(hb_lowering *l, hb_value *x, hb_aggregated *out)
{
    HB_TRY(hb_lower_require_condition(l, "count", x));
    if (x->columns != 1) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, out->item->at, "count is of one condition on plain tables");
    }
    return hb_lower_plain_both(l, l->pool[x->first], out->mask, &out->mask);
}

hb_status hb_lower_aggregated(hb_lowering *l, const hb_item *item, const hb_value *argument, hb_aggregated *out)
{
    const hb_graph *g = &l->graph;
    *out = (hb_aggregated){.item = item, .counted = HB_NO_NODE, .mask = HB_NO_NODE};
    if (item->arguments == 0) {
        return HB_OK;
    }
    hb_value x = *argument;
    if (x.kind == HB_VALUE_WHERE) {
        const hb_value *condition = &l->pairs[x.first][1];
        const bool plain = hb_value_plain(condition);
        *(plain ? &out->mask : &out->counted) = l->pool[condition->first];
        if (plain) {
            x = l->pairs[x.first][0];
        } else {
            HB_TRY(hb_lower_selected(l, argument, &x));
        }
    }
    if (item->call == HB_CALL_COUNT && hb_value_plain(&x)) {
        return count_plain(l, &x, out);
    }
    if (x.kind == HB_VALUE_TOTALS || !hb_value_encrypted(&x)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "%s takes encrypted values with rows",
                          hb_call_names[item->call]);
    }
    if (hb_graph_packed(g)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "%s of rows within slots is not computed; encrypt by columns, --pack columns",
                          hb_call_names[item->call]);
    }
    HB_TRY(hb_lower_load(l, &x));
    if (item->call == HB_CALL_COUNT) {
        HB_TRY(argument->kind == HB_VALUE_WHERE ? HB_OK : hb_lower_require_condition(l, "count", &x));
    }
    out->x = x;
    return HB_OK;
}

/* Whether a call divides by a count, and squares are needed as well. */
static bool is_mean(hb_call call)
{
    return call == HB_CALL_MEAN || call == HB_CALL_VAR;
}

hb_status hb_lower_square(hb_lowering *l, uint32_t node, uint32_t *out)
{
    return hb_graph_multiply(&l->graph, node, node, out);
}

/* --- over all rows */

static hb_status put_name(const hb_lowering *l, const hb_aggregated *of, uint32_t c, const char *form, char **name)
{
    const bool named = of->x.names != NULL && of->x.names[c].name != NULL && of->x.names[c].name[0] != '\0';
    if (named) {
        return asprintf(name, form, of->x.names[c].name) >= 0 ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    return hb_lower_name(l, of->item->from, of->item->to, form, name);
}

/* The scale of the squares of values; what is too large is none. */
static hb_meaning square_of(const hb_meaning *meaning)
{
    const uint64_t scale = hb_meaning_scale(meaning);
    return (hb_meaning){.scale = scale <= HB_MOST_SCALE / scale ? scale * scale : 1};
}

static hb_meaning meaning_of(const hb_aggregated *of, uint32_t c)
{
    const bool number = of->x.names != NULL && of->x.names[c].meaning.kind == HB_MEANING_NUMBER;
    return (hb_meaning){.scale = number ? of->x.names[c].meaning.scale : 0};
}

static hb_status sum_into(hb_lowering *l, uint32_t node, uint32_t mask, uint32_t column, const hb_value *out)
{
    uint32_t total, masked;
    l->graph.value_column = column;
    HB_TRY(hb_lower_masked(l, node, mask, &masked));
    HB_TRY(hb_graph_sum(&l->graph, masked, &total));
    if (mask != HB_NO_NODE) {
        hb_lower_narrow_sum(l, node, hb_mask_rows(&l->graph, mask), total);
    }
    l->pool[out->first + column] = total;
    return HB_OK;
}

/* Sums, of a variance squares too, a count if it is no public number; and what they stand for. */
static hb_status means(hb_lowering *l, const hb_aggregated *of, hb_value *out)
{
    const uint32_t columns = of->x.columns;
    const bool squares = of->item->call == HB_CALL_VAR, counted = of->counted != HB_NO_NODE;
    const bool masked = of->mask != HB_NO_NODE;
    const uint32_t parts = columns * (squares ? 2 : 1) + counted;
    const uint64_t count = counted ? parts - 1 : masked ? parts : HB_GROUPED_ROWS;
    hb_schema *made = NULL;
    HB_TRY(hb_lower_columns(l, parts, out));
    HB_TRY(hb_lower_make_columns(l, parts, &made));
    HB_TRY(hb_grouping_alloc(1, 0, columns, &made->grouping));
    made->grouping->parts = parts;
    made->grouping->rows = l->graph.rows;
    if (masked) {
        HB_TRY(hb_grouping_alloc_counts(made->grouping, 1));
        made->grouping->counts[0] = hb_mask_rows(&l->graph, of->mask);
    }
    for (uint32_t c = 0; c < columns; c++) {
        const uint32_t node = l->pool[of->x.first + c], square = columns + c;
        hb_grouped_column *shown = &made->grouping->column[c];
        HB_TRY(sum_into(l, node, of->mask, c, out));
        HB_TRY(put_name(l, of, c, "sum(%s)", &made->column[c].name));
        made->column[c].meaning = meaning_of(of, c);
        HB_TRY(put_name(l, of, c, "%s", &shown->name));
        *shown = (hb_grouped_column){.name = shown->name, .kind = HB_GROUPED_MEAN, .part = {c, count}};
        if (squares) {
            uint32_t product;
            HB_TRY(hb_lower_square(l, node, &product));
            HB_TRY(sum_into(l, product, of->mask, square, out));
            HB_TRY(put_name(l, of, c, "squares(%s)", &made->column[square].name));
            made->column[square].meaning = square_of(&made->column[c].meaning);
            *shown = (hb_grouped_column){.name = shown->name, .kind = HB_GROUPED_VARIANCE, .part = {square, c, count}};
        }
    }
    if (counted) {
        HB_TRY(sum_into(l, of->counted, HB_NO_NODE, parts - 1, out));
        HB_TRY(put_name(l, of, 0, "count(%s)", &made->column[parts - 1].name));
    }
    out->names = made->column;
    out->grouping = made->grouping;
    return HB_OK;
}

/* The number of rows, or of those that a condition on plain tables selects, which no ciphertext is needed for. */
static hb_status count_rows(hb_lowering *l, const hb_item *item, uint32_t mask, hb_value *out)
{
    hb_schema *made = NULL;
    HB_TRY(hb_lower_make_columns(l, 0, &made));
    HB_TRY(hb_grouping_alloc(1, 0, 1, &made->grouping));
    made->grouping->column[0].part[0] = HB_GROUPED_ROWS;
    made->grouping->rows = l->graph.rows;
    out->grouping = made->grouping;
    if (mask != HB_NO_NODE) {
        HB_TRY(hb_grouping_alloc_counts(made->grouping, 1));
        made->grouping->counts[0] = hb_mask_rows(&l->graph, mask);
        made->grouping->column[0].part[0] = 0; /* there are no columns before it */
    }
    return hb_lower_name(l, item->from, item->to - (item->arguments == 0 ? 2 : 0), "%s",
                         &made->grouping->column[0].name);
}

static hb_status sums(hb_lowering *l, const hb_aggregated *of, hb_value *out)
{
    out->names = of->item->call == HB_CALL_SUM ? of->x.names : NULL;
    HB_TRY(hb_lower_columns(l, of->x.columns, out));
    for (uint32_t c = 0; c < of->x.columns; c++) {
        HB_TRY(sum_into(l, l->pool[of->x.first + c], of->mask, c, out));
    }
    return HB_OK;
}

hb_status hb_lower_aggregate(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    if (item->grouped) {
        *out = (hb_value){.kind = HB_VALUE_GROUPED, .text = item};
        const hb_value none = {.kind = HB_VALUE_NUMBER};
        const hb_value *x = item->arguments > 0 ? &arguments[0] : &none;
        return hb_lower_keep_pair(l, (const hb_value[2]){*x, none}, &out->first);
    }
    hb_aggregated of;
    HB_TRY(hb_lower_aggregated(l, item, arguments, &of));
    *out = (hb_value){.kind = HB_VALUE_TOTALS};
    if (is_mean(item->call)) {
        return means(l, &of, out);
    }
    return of.x.columns == 0 ? count_rows(l, item, of.mask, out) : sums(l, &of, out);
}
