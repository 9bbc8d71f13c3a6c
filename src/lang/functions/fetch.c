/* fetch(x where condition, 10): the rows that a condition selects, up to a bound. What is stored are sums of powers of
 * the first column over these rows, and of the other columns times such powers; which rows they are of is worked out
 * when they are decrypted (src/table/fetched.h). So it takes a product for each power and column, and rows are not
 * moved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/ir/indicator.h"
#include "lang/ir/semantics.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/value/lang_function.h"
#include "table/fetched.h"
#include "table/grouping.h"

static hb_status check(const hb_lowering *l, const hb_value *x, int64_t bound)
{
    const hb_graph *g = &l->graph;
    const char *text = g->syntax->text;
    const uint32_t at = g->position.item->at;
    if (g->semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "rows are fetched of integers: keys of reals are not exact");
    }
    if (hb_spec_residues(g->spec) > 1) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "rows are fetched of one plain modulus, and here are several (--wide)");
    }
    if (bound < 1 || bound > HB_MOST_FETCHED) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "1 to %u rows are fetched", HB_MOST_FETCHED);
    }
    if (!hb_value_encrypted(x)) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "rows are fetched of encrypted values");
    }
    for (uint32_t c = 0; g->params != NULL && c < x->columns; c++) {
        const hb_interval values = g->nodes[l->pool[x->first + c]].range.interval;
        if (!values.known || (uint64_t)values.most - (uint64_t)values.least >= hb_graph_modulus(g)) {
            return HB_FAIL_AT(
                HB_EUSAGE, text, at,
                "the values of column %u are not known to be fewer than t, and rows that are fetched need "
                "that: declare them, --range",
                c + 1);
        }
    }
    return g->params != NULL && hb_graph_modulus(g) <= (uint64_t)bound
               ? HB_FAIL_AT(HB_EUSAGE, text, at, "so many rows need a larger t")
               : HB_OK;
}

static hb_status describe(const hb_lowering *l, const hb_value *x, hb_grouping *grouping)
{
    const hb_graph *g = &l->graph;
    for (uint32_t c = 0; c < x->columns; c++) {
        hb_column *column = &grouping->keys.column[c];
        const hb_interval values = g->nodes[l->pool[x->first + c]].range.interval;
        const bool named = x->names != NULL && x->names[c].name != NULL && x->names[c].name[0] != '\0';
        if (asprintf(&column->name, named ? "%s" : "column%.0s%u", named ? x->names[c].name : "", c + 1) < 0) {
            column->name = NULL;
            return HB_FAIL(HB_ENOMEM, "no memory for a name");
        }
        column->meaning = hb_meaning_share(hb_value_meaning(x, c));
        column->ranged = true;
        column->is_signed = values.known && values.least < 0;
        column->least = values.known ? (uint64_t)values.least : 0;
        column->most = values.known ? (uint64_t)values.most : 0;
    }
    return HB_OK;
}

/* The sums of one column; their range is that of residues, which they are. */
static hb_status put_sums(hb_lowering *l, uint32_t a, uint32_t key, uint32_t count, uint32_t *totals)
{
    hb_graph *g = &l->graph;
    HB_TRY(hb_graph_power_sums(g, a, key, count, totals));
    for (uint32_t j = 0; j < count && g->params != NULL; j++) {
        hb_graph_values_are(g, totals[j], hb_interval_held(g->spec, true));
        g->nodes[totals[j]].range.magnitude = hb_interval_magnitude(g->nodes[totals[j]].range.interval);
    }
    return HB_OK;
}

/* rows: of which some are selected. */
static hb_status sums(hb_lowering *l, const hb_value *x, uint32_t condition, uint32_t bound, uint64_t rows,
                      hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint32_t key = l->pool[x->first];
    uint32_t totals[HB_MOST_FETCHED + 1];
    for (uint32_t c = 0, at = 0; hb_graph_at_column(g, c, x->columns); c++) {
        const uint32_t count = bound + (c == 0);
        uint32_t a = condition;
        if (c > 0) {
            HB_TRY(hb_graph_multiply(g, condition, l->pool[x->first + c], &a));
        }
        HB_TRY(put_sums(l, a, key, count, totals));
        memcpy(l->pool + out->first + at, totals, count * sizeof *totals);
        at += count;
    }
    /* Their number is told from larger ones only where t is above that of all rows. */
    hb_node *number = &g->nodes[l->pool[out->first]];
    hb_graph_values_are(g, l->pool[out->first], hb_interval_of(0, rows < INT64_MAX ? (int64_t)rows : INT64_MAX));
    number->range.magnitude = hb_interval_magnitude(number->range.interval);
    return HB_OK;
}

static hb_status name_columns(hb_schema *made)
{
    for (uint64_t c = 0; c < made->columns; c++) {
        if (asprintf(&made->column[c].name, "power%llu", (unsigned long long)c) < 0) {
            made->column[c].name = NULL;
            return HB_FAIL(HB_ENOMEM, "no memory for a name");
        }
    }
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_graph *g = &l->graph;
    int64_t bound;
    hb_schema *made = NULL;
    if (!hb_lower_whole(l, &arguments[1], &bound)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "how many rows are fetched at most is a constant");
    }
    const hb_value *selection = hb_lower_condition_of(l, &arguments[0]);
    if (selection == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "rows are fetched by a condition, as in fetch((p.id, p.age) where p.age > 90, 10)");
    }
    hb_value x = arguments[0], selected = *selection;
    const bool one_row = x.kind == HB_VALUE_TOTALS && selected.kind == HB_VALUE_TOTALS;
    const uint64_t rows = one_row ? 1 : g->rows;
    HB_TRY(hb_lower_load(l, &x));
    if (!one_row) {
        HB_TRY(hb_lower_in_rows(l, &x));
        HB_TRY(hb_lower_in_rows(l, &selected));
    }
    HB_TRY(check(l, &x, bound));
    uint32_t condition = l->pool[selected.first];
    if (!one_row && !g->nodes[condition].shape.padding_zero) {
        HB_TRY(hb_graph_mask(g, condition, &condition));
    }
    const uint32_t parts = (uint32_t)bound * x.columns + 1;
    *out = (hb_value){.kind = HB_VALUE_TOTALS};
    HB_TRY(hb_lower_columns(l, parts, out));
    HB_TRY(hb_lower_make_columns(l, parts, &made));
    HB_TRY(name_columns(made));
    HB_TRY(hb_grouping_alloc(1, x.columns, 0, &made->grouping));
    HB_TRY(describe(l, &x, made->grouping));
    HB_TRY(sums(l, &x, condition, (uint32_t)bound, rows, out));
    made->grouping->parts = parts;
    made->grouping->rows = rows;
    made->grouping->fetched = (uint64_t)bound;
    made->grouping->modulus = hb_graph_modulus(g);
    out->names = made->column;
    out->grouping = made->grouping;
    return hb_lower_column_meanings(l, made->column, parts, &out->means);
}

const hb_lang_function hb_lang_function_fetch = {
    .call = {.name = "fetch", .form = "fetch(x where condition, 10)", .least = 2, .most = 2, .aggregate = true},
    .meaning = {hb_take_whole_second, HB_RESULT_OWN},
    .ungrouped = "rows that are fetched are a table by themselves",
    .lower = lower,
};
