/* fetch(x where condition, 10): the rows that a condition selects, up to a bound. The dataset stores sums over these
 * rows, from which decryption computes them, so rows are not moved. Integers: sums of powers of the first column, and
 * of the other columns times such powers (src/table/fetched.h), a product for each power and column. Reals: sums over
 * cells of rows (src/table/iblt.h), a product for each column and one in the clear for each sum. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "fetch_cells.h"
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/ir/indicator.h"
#include "lang/ir/semantics.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/types/lang_function.h"
#include "plain_conditions.h"
#include "table/fetched.h"
#include "table/grouping.h"

/* The most sums of cells. */
enum { MOST_PARTS = 1 << 14 };

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_types_context *w = &t->context;
    int64_t bound;
    if (!hb_type_whole(w, &operands[1], &bound)) {
        return hb_types_refuse(t, "the most rows to fetch are a constant");
    }
    if (operands[0].item->kind != HB_ITEM_WHERE) {
        return hb_types_refuse(t, "fetch takes a condition, as in fetch((p.id, p.age) where p.age > 90, 10)");
    }
    if (w->semantics->reals && w->block > 1) {
        return hb_types_refuse(t, "fetch does not work on rows within slots; encrypt by columns, --pack columns");
    }
    if (hb_spec_residues(w->spec) > 1 && hb_type_has_gaps(&operands[0])) { /* as ask encrypts them */
        return hb_types_refuse(t, "fetch does not take columns that may have missing cells: encrypt them with "
                                  "--missing COLUMN=drop, or COLUMN=VALUE");
    }
    if (bound < 1 || bound > HB_MOST_FETCHED) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at, "1 to %u rows are fetched", HB_MOST_FETCHED);
    }
    *out = (hb_type){.kind = HB_TYPE_WORKED_OUT, .worked_out = "rows that are fetched"};
    return hb_type_encrypted(hb_types_operand(t, operands[0].item, 0))
               ? HB_OK
               : hb_types_refuse(t, "rows are fetched of encrypted values");
}

/* Keys are told apart modulo t, and so are as many numbers as rows. A search for parameters tries several plain moduli
 * where one is refused. */
static hb_status check(const hb_lowering *l, const hb_value *x, int64_t bound)
{
    const hb_graph *g = &l->graph;
    const char *text = g->syntax->text;
    const uint32_t at = g->position.item->at;
    if (hb_spec_residues(g->spec) > 1) {
        return HB_FAIL_AT(HB_EUSAGE, text, at,
                          "fetch works with one plain modulus, and here are several (--wide, or values that are too "
                          "large for one)");
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
        HB_TRY(named ? hb_name_print(&column->name, "%s", x->names[c].name)
                     : hb_name_print(&column->name, "column%u", c + 1));
        column->meaning = hb_meaning_share(hb_value_meaning(x, c));
        if (g->semantics->reals) {
            column->cells = HB_CELL_REAL;
            continue;
        }
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

/* Makes a column 0 in rows that are not selected, and in slots without any. */
static hb_status select_rows(hb_lowering *l, const hb_fetched_selection *from, uint32_t a, uint32_t *out)
{
    hb_graph *g = &l->graph;
    *out = a;
    if (from->condition != HB_NO_NODE) {
        return hb_graph_multiply(g, from->condition, a, out);
    }
    if (from->mask != HB_NO_NODE) {
        return hb_lower_masked(l, a, from->mask, out);
    }
    return g->nodes[a].shape.padding_zero || g->nodes[a].shape.total ? HB_OK : hb_graph_mask(g, a, out);
}

static hb_status zero_sums(hb_lowering *l, uint32_t key, const hb_value *out)
{
    uint32_t zero;
    HB_TRY(hb_graph_sum(&l->graph, key, &zero));
    HB_TRY(hb_graph_zero(&l->graph, zero, &zero));
    for (uint32_t i = 0; i < out->columns; i++) {
        l->pool[out->first + i] = zero;
    }
    return HB_OK;
}

/* Sums of the powers 1 .. bound of the key, with that of 0 before where it is encrypted how many rows are selected, and
 * of each other column times the powers 0 .. bound - 1. */
static hb_status sums(hb_lowering *l, const hb_value *x, const hb_fetched_selection *from, uint32_t bound,
                      hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint32_t key = l->pool[x->first];
    uint32_t totals[HB_MOST_FETCHED + 1];
    if (from->none) {
        return zero_sums(l, key, out);
    }
    for (uint32_t c = 0, at = 0; hb_graph_at_column(g, c, x->columns); c++) {
        const bool counts = c == 0 && from->condition != HB_NO_NODE;
        const uint32_t count = bound + counts;
        uint32_t a = from->condition;
        if (!counts) {
            HB_TRY(select_rows(l, from, l->pool[x->first + c], &a));
        }
        HB_TRY(put_sums(l, a, key, count, totals));
        memcpy(l->pool + out->first + at, totals, count * sizeof *totals);
        at += count;
    }
    if (from->condition != HB_NO_NODE) { /* their number is told from larger ones only where t is above all rows' */
        hb_node *number = &g->nodes[l->pool[out->first]];
        const int64_t rows = from->rows < INT64_MAX ? (int64_t)from->rows : INT64_MAX;
        hb_graph_values_are(g, l->pool[out->first], hb_interval_of(0, rows));
        number->range.magnitude = hb_interval_magnitude(number->range.interval);
    }
    return HB_OK;
}

static hb_status name_columns(hb_schema *made)
{
    for (uint64_t c = 0; c < made->columns; c++) {
        HB_TRY(hb_name_print(&made->column[c].name, "power%llu", (unsigned long long)c));
    }
    return HB_OK;
}

/* Finds which rows are selected; values of one row stand in every row beside others. */
static hb_status take_selection(hb_lowering *l, const hb_value *condition, hb_value *x, hb_fetched_selection *out)
{
    hb_graph *g = &l->graph;
    const bool one_row = x->kind == HB_TYPE_TOTALS && condition->kind == HB_TYPE_TOTALS;
    bool all;
    *out = (hb_fetched_selection){
        .condition = HB_NO_NODE, .mask = HB_NO_NODE, .one_row = one_row, .rows = one_row ? 1 : g->rows};
    if (!one_row) {
        HB_TRY(hb_lower_in_rows(l, x));
    }
    out->none = hb_lower_selects_none(l, condition);
    if (out->none) {
        out->rows = 0;
        return HB_OK;
    }
    HB_TRY(hb_lower_selects_all(l, condition, &all));
    const uint32_t node = l->pool[condition->first];
    if (all) {
        return HB_OK;
    }
    if (hb_value_plain(condition)) {
        out->mask = node;
        out->rows = hb_plain_chosen(g, node);
        return HB_OK;
    }
    out->condition = node;
    if (one_row) {
        return HB_OK;
    }
    HB_TRY(hb_graph_in_rows(g, node, &out->condition));
    return g->nodes[out->condition].shape.padding_zero ? HB_OK : hb_graph_mask(g, out->condition, &out->condition);
}

/* Refuses a public condition that selects too many rows; an encrypted one is looked at by decryption. */
static hb_status check_count(const hb_lowering *l, const hb_fetched_selection *from, uint64_t bound)
{
    if (from->condition != HB_NO_NODE || from->rows <= bound || l->graph.params == NULL) {
        return HB_OK;
    }
    return from->mask == HB_NO_NODE
               ? HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                            "all %llu rows are selected, and %llu are to be fetched", (unsigned long long)from->rows,
                            (unsigned long long)bound)
               : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                            "the condition selects %llu rows, as everybody knows, and %llu are fetched at most",
                            (unsigned long long)from->rows, (unsigned long long)bound);
}

static hb_status put_count(const hb_fetched_selection *from, hb_grouping *grouping)
{
    HB_TRY(hb_grouping_alloc_counts(grouping, 1));
    grouping->counts[0] = from->rows;
    return HB_OK;
}

/* Makes room for the sums, whose names and rows `grouping` describes. */
static hb_status make_parts(hb_lowering *l, const hb_value *x, uint32_t parts, hb_value *out, hb_schema **made)
{
    HB_TRY(hb_lower_columns(l, parts, out));
    HB_TRY(hb_made_columns_add(&l->columns, parts, made));
    HB_TRY(hb_grouping_alloc(1, x->columns, 0, &(*made)->grouping));
    (*made)->grouping->parts = parts;
    return describe(l, x, (*made)->grouping);
}

/* Sums of powers, of integers. */
static hb_status lower_integers(hb_lowering *l, const hb_value *x, const hb_fetched_selection *from, uint32_t bound,
                                hb_schema **made, hb_value *out)
{
    const bool counted = from->condition == HB_NO_NODE; /* in the clear */
    HB_TRY(check(l, x, bound));
    HB_TRY(make_parts(l, x, bound * x->columns + !counted, out, made));
    HB_TRY(name_columns(*made));
    (*made)->grouping->modulus = hb_graph_modulus(&l->graph);
    if (counted) {
        HB_TRY(put_count(from, (*made)->grouping));
    }
    (*made)->grouping->rows = from->rows;
    return sums(l, x, from, bound, out);
}

/* Names the sums of cells, and gives those of values their meaning, which says how small errors must be. */
static hb_status name_cells(const hb_value *x, const hb_iblt *table, hb_schema *made)
{
    const uint64_t each = hb_iblt_each(table->digits, x->columns);
    for (uint64_t p = 0; p < made->columns; p++) {
        const uint64_t cell = p / each, j = p % each;
        const unsigned long long number = j > table->digits ? j - 1 - table->digits : j > 0 ? j - 1 : 0;
        HB_TRY(hb_name_print(&made->column[p].name, "cell%llu.%s%llu", (unsigned long long)cell,
                             j == 0               ? "count"
                             : j <= table->digits ? "digit"
                                                  : "column",
                             number));
        if (j > table->digits) {
            made->column[p].meaning = hb_meaning_share(hb_value_meaning(x, (uint32_t)number));
        }
    }
    return HB_OK;
}

/* Returns the unit of counts: a whole number that no value exceeds. Rows that everybody knows to be selected count as
 * one: none counts as a part. */
static double unit_of(const hb_lowering *l, const hb_value *x, const hb_fetched_selection *from)
{
    double most = 1;
    for (uint32_t c = 0; c < x->columns && from->condition != HB_NO_NODE; c++) {
        const hb_interval values = l->graph.nodes[l->pool[x->first + c]].range.interval;
        most = values.known ? fmax(most, hb_interval_magnitude(values)) : most; /* else it is refused */
    }
    return fmin(ceil(most), ldexp(1, HB_IBLT_MOST_UNIT));
}

/* Sums over cells, of reals. */
static hb_status lower_reals(hb_lowering *l, const hb_value *x, const hb_fetched_selection *from, uint32_t bound,
                             hb_schema **made, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const uint64_t rows = from->one_row ? 1 : g->rows;
    hb_iblt table = hb_iblt_for(rows > 0 ? rows : 1, bound);
    const uint64_t parts = hb_iblt_sums(&table, x->columns);
    if (parts > MOST_PARTS) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%llu rows of %u columns take %llu sums, and %u are made at most: fetch fewer",
                          (unsigned long long)bound, x->columns, (unsigned long long)parts, MOST_PARTS);
    }
    HB_TRY(make_parts(l, x, (uint32_t)parts, out, made));
    HB_TRY(name_cells(x, &table, *made));
    table.unit = unit_of(l, x, from);
    (*made)->grouping->cells = table.cells;
    (*made)->grouping->unit = (uint64_t)table.unit;
    (*made)->grouping->rows = table.rows;
    uint32_t *selected = malloc(x->columns * sizeof *selected);
    hb_status st = selected != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    for (uint32_t c = 0; st == HB_OK && hb_graph_at_column(&l->graph, c, x->columns); c++) {
        selected[c] = l->pool[x->first + c];
        st = from->none ? HB_OK : select_rows(l, from, selected[c], &selected[c]);
    }
    const hb_node_list nodes = {selected, x->columns};
    st = st == HB_OK ? hb_fetch_cells(l, from, &table, bound, &nodes, l->pool + out->first) : st;
    free(selected);
    return st;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    int64_t bound;
    hb_schema *made = NULL;
    const hb_value *condition = hb_lower_condition_of(l, &arguments[0]);
    HB_ASSERT(hb_lower_whole(l, &arguments[1], &bound) && condition != NULL);
    (void)item;
    hb_value x = arguments[0];
    hb_fetched_selection from;
    HB_TRY(hb_lower_load(l, &x));
    HB_TRY(take_selection(l, condition, &x, &from));
    HB_TRY(check_count(l, &from, (uint64_t)bound));
    *out = (hb_value){.kind = HB_TYPE_TOTALS};
    HB_TRY((l->graph.semantics->reals ? lower_reals : lower_integers)(l, &x, &from, (uint32_t)bound, &made, out));
    made->grouping->fetched = (uint64_t)bound;
    out->names = made->column;
    out->grouping = made->grouping;
    out->means = hb_made_columns_means(made);
    return HB_OK;
}

const hb_lang_function hb_lang_function_fetch = {
    .call = {.name = "fetch",
             .form = "fetch(x where condition, 10)",
             .says = "the rows where the condition is true, if there are at most 10",
             .least = 2,
             .most = 2,
             .aggregate = true},
    .meaning = {hb_take_whole_second, HB_RESULT_OWN},
    .shape = shape,
    .ungrouped = "rows that are fetched are a table by themselves",
    .lower = lower,
};
