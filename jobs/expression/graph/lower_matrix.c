/* W @ x: the numbers of a plain table as constants, so that a row of products is rescaled once. */
#include <string.h>

#include "lower.h"
#include "semantics.h"

/* The table that the value is, whole and looked at; HB_EUSAGE. */
static hb_status table_of(const hb_lowering *l, const hb_value *weights, const hb_operand **out)
{
    const hb_graph *g = &l->graph;
    const hb_operand *operand = weights->whole;
    if (operand == NULL || operand->encrypted) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "on the left of @ is a plain table, whose rows are the weights of the columns on the right; "
                          "params suggest, to which all names are datasets, takes numbers, 0.5*x.1 + 2*x.2");
    }
    if (operand->cells == NULL && g->params != NULL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          operand->schema->rows == 0
                              ? "%.40s has no rows, and so no weights"
                              : "%.40s has too many numbers for weights, which are read beforehand",
                          operand->name);
    }
    *out = operand;
    return HB_OK;
}

/* Adds weight * x to *sum, HB_NO_NODE at first. */
static hb_status add_term(hb_graph *g, uint32_t x, hb_number weight, uint32_t *sum)
{
    uint32_t term;
    if (hb_graph_is_zero(g, weight)) {
        return HB_OK;
    }
    HB_TRY(hb_graph_scale(g, x, weight, &term));
    if (*sum == HB_NO_NODE) {
        *sum = term;
        return HB_OK;
    }
    return hb_graph_add(g, *sum, term, sum);
}

static hb_status row_of(hb_lowering *l, const hb_operand *table, uint32_t row, const hb_value *x, uint32_t *out)
{
    hb_graph *g = &l->graph;
    *out = HB_NO_NODE;
    for (uint32_t j = 0; j < x->columns; j++) {
        hb_value weight;
        HB_TRY(hb_lower_number(l, table->cells[(size_t)row * x->columns + j], false, &weight));
        HB_TRY(add_term(g, l->pool[x->first + j], weight.number, out));
    }
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                      "row %u of %.40s has only zeros: the result is 0 whatever was encrypted, and everyone could read "
                      "it (a transparent ciphertext, which is refused)",
                      row + 1, table->name);
}

hb_status hb_lower_matrix(hb_lowering *l, const hb_value *weights, hb_value *x, hb_value *out)
{
    hb_graph *g = &l->graph;
    const hb_operand *table = NULL;
    if (g->params == NULL) { /* numbers need no keys, whoever reads the weights */
        HB_TRY(hb_lower_load(l, x));
        *out = *x;
        return HB_OK;
    }
    HB_TRY(table_of(l, weights, &table));
    if (!hb_value_encrypted(x)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "on the right of @ is an encrypted value");
    }
    if (table->schema->columns != x->columns) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "%.40s has weights for %llu columns in a row, and the right side has %u columns", table->name,
                          (unsigned long long)table->schema->columns, x->columns);
    }
    HB_TRY(hb_lower_load(l, x));
    *out = (hb_value){.kind = x->kind};
    HB_TRY(hb_lower_columns(l, (uint32_t)table->schema->rows, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        g->value_column = i;
        uint32_t node;
        HB_TRY(row_of(l, table, i, x, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}
