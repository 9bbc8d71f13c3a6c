#include "discrete_results.h"

#include <math.h>

#include "lang/analysis/error_analysis.h"
#include "lang/ir/semantics.h"
#include "table/grouping.h"
#include "table/iblt.h"

/* Whether the cells of a value's node are shown as labels, dates or truth values. */
static bool is_discrete(const hb_graph *g, const hb_value *value, uint32_t column)
{
    const uint32_t first = value->width > 0 ? 0 : column, count = value->width > 0 ? value->width : 1;
    bool discrete = false;
    if (value->kind == HB_TYPE_ROWS && value->width == 0 && column >= hb_type_meant_columns(value->type)) {
        return g->semantics->reals; /* a mask, behind the columns: 0 or 1 */
    }
    for (uint32_t i = 0; i < count; i++) {
        discrete = discrete || hb_meaning_is_discrete(hb_value_meaning(value, first + i));
    }
    return g->semantics->reals && discrete;
}

/* Refuses labels and dates that a comparison of reals chooses: from a value within its gap it makes something between
 * two of them, which may be a third one. Between truth values there is none, and --gap says that no value is there. */
static hb_status check_chosen(hb_compilation *c, uint32_t node, const hb_symbol *symbol)
{
    const hb_graph *g = &c->lowering.graph;
    const double gap = g->nodes[node].range.threshold_gap;
    const hb_interval values = hb_interval_to_reals(g->nodes[node].range.interval);
    const bool others = !values.known || values.high - values.low >= 2;
    if (gap == 0 || c->lowering.approximations.gap > 0 || !others) {
        return HB_OK;
    }
    c->lowering.hopeless = true;
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, symbol->item->at,
                      "the labels or dates of this result depend on a comparison of reals, and a row that is nearer to "
                      "its threshold than %.3g could get one that is neither of the two; store the comparison and "
                      "choose after decrypting, or say with --gap how near rows come",
                      gap);
}

/* Refuses counts and digits of fetched rows whose errors could hide the rows (src/table/iblt.h). */
static hb_status check_fetched(hb_compilation *c, const hb_symbol *symbol, uint32_t column)
{
    const hb_grouping *g = symbol->value.grouping;
    const uint32_t digits = g != NULL && g->cells > 0 ? hb_iblt_digits(g->rows) : 0;
    const hb_wanted_bits wanted = {HB_IBLT_WANTED, digits > 0 ? log2((double)g->unit) : 0, c->source->trust,
                                   " to tell the rows that are fetched apart"};
    if (digits == 0 || column % hb_iblt_each(digits, g->keys.columns) > digits) {
        return HB_OK;
    }
    return hb_facts_check_wanted(&c->facts, c->lowering.pool[symbol->value.first + column], symbol->item, &wanted);
}

hb_status hb_discrete_check(hb_compilation *c, const hb_symbol *symbol, uint32_t column)
{
    /* A value that is off by a half could be another one. */
    const hb_wanted_bits whole = {
        .bits = 1, .trust = c->source->trust, .reason = " of labels, dates and truth values, which errors make others"};
    const uint32_t node = c->lowering.pool[symbol->value.first + column];
    if (is_discrete(&c->lowering.graph, &symbol->value, column)) {
        HB_TRY(check_chosen(c, node, symbol));
        HB_TRY(hb_facts_check_wanted(&c->facts, node, symbol->item, &whole));
    }
    return check_fetched(c, symbol, column);
}
