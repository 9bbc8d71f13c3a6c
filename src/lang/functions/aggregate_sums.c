/* Aggregates over all rows: their sums, and how decryption works results out from these. */
#include "aggregate.h"
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "plain_conditions.h"
#include "table/grouping.h"

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
