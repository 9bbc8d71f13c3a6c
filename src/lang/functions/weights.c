/* W @ x of weights: the numbers of a plain table as constants, so that a row of products is rescaled once, times
 * columns or each column of a matrix; rows of an encrypted table. Products of two matrices: matrix.c. */
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "lang/value/plain.h"

/* Finds the plain table that a value is, looked at. */
static hb_status plain_weights(hb_lowering *l, const hb_value *weights, const char *place, const hb_operand **out)
{
    const hb_graph *g = &l->graph;
    const hb_operand *operand = weights->whole;
    if (operand == NULL) {
        HB_TRY(hb_lower_plain_table(l, weights, &operand));
    }
    if (operand->cells == NULL && g->params != NULL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          operand->schema->rows == 0
                              ? "%.40s has no rows, and so no weights"
                              : "%.40s has too many numbers for weights, which are read beforehand: 2^24 at most",
                          operand->name);
    }
    *out = operand;
    return hb_lower_require_all_rows(l, g->position.item, operand, place);
}

/* One product of a table with columns, or with each column of a matrix: those of them that any row has a weight for. */
typedef struct product {
    const hb_operand *table;
    uint32_t width;    /* of the table */
    uint32_t step;     /* columns of the matrix, whose entries stand row by row; 1: a vector */
    uint32_t *columns; /* [count] among the table's */
    uint32_t count;
    uint32_t *nodes;    /* [count] and ... */
    hb_number *numbers; /* ... [count]: of one row */
} product;

/* Adds weight * x to *sum, HB_NO_NODE at first. */
static hb_status add_term(hb_graph *g, uint32_t x, hb_number weight, uint32_t *sum)
{
    uint32_t term;
    HB_TRY(hb_graph_scale(g, x, weight, &term));
    if (*sum == HB_NO_NODE) {
        *sum = term;
        return HB_OK;
    }
    return hb_graph_add(g, *sum, term, sum);
}

/* Linear combinations have three terms or more, with real weights. Rows of many zeros, a quarter of a row beside
 * others, are alone; else zeros are terms, and rows have the same columns. */
static hb_status row_of(hb_lowering *l, product *p, const uint32_t *x, const hb_number *row, uint32_t *out)
{
    hb_graph *g = &l->graph;
    uint32_t terms = 0, count = 0;
    bool real = true;
    for (uint32_t j = 0; j < p->count; j++) {
        terms += !hb_graph_is_zero(g, row[p->columns[j]]);
        real = real && row[p->columns[j]].imaginary == 0;
    }
    const bool sparse = terms < p->count / 4 || terms < 3;
    *out = HB_NO_NODE;
    for (uint32_t j = 0; j < p->count; j++) {
        const hb_number number = row[p->columns[j]];
        hb_value weight;
        if (sparse && hb_graph_is_zero(g, number)) {
            continue;
        }
        HB_TRY(hb_lower_cell(l, number, &weight));
        p->nodes[count] = x[p->columns[j] * p->step];
        p->numbers[count++] = weight.number;
    }
    if (terms >= 3 && real) {
        HB_TRY(g->semantics->combine(g, p->nodes, p->numbers, count, false, out));
    }
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    for (uint32_t j = 0; j < p->count; j++) {
        if (!hb_graph_is_zero(g, row[p->columns[j]])) {
            HB_TRY(add_term(g, x[p->columns[j] * p->step], row[p->columns[j]], out));
        }
    }
    return HB_OK;
}

static hb_status fail_zeros(const hb_lowering *l, const hb_operand *table, uint32_t row)
{
    return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                      "row %u of %.40s has only zeros: the result is 0 whatever was encrypted, and everyone could read "
                      "it (a transparent ciphertext, which is refused)",
                      row + 1, table->name);
}

static hb_status rows_of(hb_lowering *l, product *p, const hb_value *x, hb_value *out)
{
    hb_graph *g = &l->graph;
    for (uint32_t i = 0; hb_graph_at_column(g, i, out->columns); i++) {
        const uint32_t row = i / p->step;
        uint32_t node;
        HB_TRY(row_of(l, p, l->pool + x->first + i % p->step, p->table->cells + (size_t)row * p->width, &node));
        if (node == HB_NO_NODE) {
            return fail_zeros(l, p->table, row);
        }
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

static hb_status multiply(hb_lowering *l, const hb_operand *table, const hb_value *x, hb_value *out)
{
    const uint32_t width = (uint32_t)table->schema->columns;
    product p = {.table = table, .width = width, .step = x->columns / width};
    hb_status st = HB_OK;
    p.columns = malloc(width * sizeof *p.columns);
    p.nodes = malloc(width * sizeof *p.nodes);
    p.numbers = malloc(width * sizeof *p.numbers);
    if (!p.columns || !p.nodes || !p.numbers) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a row of weights");
        goto done;
    }
    for (uint32_t j = 0; j < width; j++) {
        bool any = false;
        for (uint64_t i = 0; i < table->schema->rows && !any; i++) {
            any = !hb_graph_is_zero(&l->graph, table->cells[i * width + j]);
        }
        p.columns[p.count] = j;
        p.count += any;
    }
    st = rows_of(l, &p, x, out);
done:
    if (p.numbers != NULL) {
        hb_wipe(p.numbers, width * sizeof *p.numbers);
    }
    free(p.columns);
    free(p.nodes);
    free(p.numbers);
    return st;
}

/* The numbers of a table, which the caller wipes and frees. */
static hb_status reals_of(const hb_lowering *l, const hb_operand *table, double **out)
{
    const hb_graph *g = &l->graph;
    const size_t count = (size_t)table->schema->rows * (size_t)table->schema->columns;
    double *values = malloc(count * sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the weights of an expression");
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = table->cells[i].real;
        if (table->cells[i].imaginary != 0) {
            hb_wipe(values, count * sizeof *values);
            free(values);
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "rows within slots take real weights, and some of %.40s are complex", table->name);
        }
    }
    *out = values;
    return HB_OK;
}

hb_status hb_lower_real_weights(hb_lowering *l, const hb_value *weights, const char *place, const hb_operand **table,
                                double **values)
{
    HB_TRY(plain_weights(l, weights, place, table));
    return reals_of(l, *table, values);
}

/* Refuses rows of zeros. */
static hb_status check_rows(hb_lowering *l, const hb_operand *table, const double *values)
{
    const uint64_t columns = table->schema->columns;
    for (uint64_t i = 0; i < table->schema->rows; i++) {
        bool any = false;
        for (uint64_t j = 0; j < columns && !any; j++) {
            any = values[i * columns + j] != 0;
        }
        if (!any) {
            return fail_zeros(l, table, (uint32_t)i);
        }
    }
    return HB_OK;
}

/* The matrix that multiplies `step` vectors at once, whose entries stand side by side: each weight stands on a diagonal
 * of step x step. Errors of hb_graph_dense_matrix. */
static hb_status repeat_weights(const hb_graph *g, const hb_operand *table, uint32_t step, double **values)
{
    const uint32_t rows = (uint32_t)table->schema->rows, columns = (uint32_t)table->schema->columns;
    double *repeated;
    HB_TRY(hb_graph_dense_matrix(g, rows * step, columns * step, &repeated));
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            for (size_t c = 0; c < step; c++) {
                repeated[(i * step + c) * columns * step + j * step + c] = (*values)[i * columns + j];
            }
        }
    }
    hb_wipe(*values, (size_t)rows * columns * sizeof **values);
    free(*values);
    *values = repeated;
    return HB_OK;
}

/* For rows within slots: one product of all columns; `step`: of a matrix. */
static hb_status multiply_within(hb_lowering *l, const hb_operand *table, const hb_value *x, uint32_t step,
                                 hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint64_t rows = table->schema->rows * step;
    const hb_node *a = &g->nodes[l->pool[x->first]];
    if (rows > g->block) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s has %llu rows, and the result %llu columns; rows of %.40s are in blocks of %llu "
                          "slots: encrypt it with --block %llu or more",
                          table->name, (unsigned long long)table->schema->rows, (unsigned long long)rows,
                          g->first->name, (unsigned long long)g->block,
                          (unsigned long long)hb_packing_least_block(rows));
    }
    const hb_block_image from = a->shape.image;
    const uint32_t width = a->shape.width;
    size_t count = (size_t)table->schema->rows * table->schema->columns;
    double *values;
    HB_TRY(reals_of(l, table, &values));
    hb_status st;
    uint32_t node;
    HB_GOTO(check_rows(l, table, values));
    if (step > 1) {
        HB_GOTO(repeat_weights(g, table, step, &values));
        count *= (size_t)step * step;
    }
    const hb_block_matrix matrix = {
        .rows = (uint32_t)rows, .columns = width, .block = (uint32_t)g->block, .values = values, .from = from};
    HB_GOTO(hb_lower_columns(l, 1, out));
    HB_GOTO(hb_graph_matrix(g, l->pool[x->first], &matrix, &node));
    l->pool[out->first] = node;
done:
    hb_wipe(values, count * sizeof *values);
    free(values);
    return st;
}

/* Row k of the weights times columns, added up before they are relinearized. */
static hb_status encrypted_row(hb_lowering *l, const hb_operand *weights, uint32_t k, const hb_value *x, uint32_t *out)
{
    hb_graph *g = &l->graph;
    *out = HB_NO_NODE;
    /* Where only keys are asked for, the columns of W are not known: its last one stands for the others, whose keys are
     * the same. */
    const uint32_t last = (uint32_t)weights->schema->columns - 1;
    for (uint32_t j = 0; j < x->columns; j++) {
        uint32_t node;
        HB_TRY(hb_lower_encrypted_weight(l, weights, k, j < last ? j : last, &node));
        HB_TRY(hb_graph_multiply(g, l->pool[x->first + j], node, &node));
        HB_TRY(*out == HB_NO_NODE ? HB_OK : hb_graph_add(g, *out, node, &node));
        *out = node;
    }
    return HB_OK;
}

static hb_status encrypted_matrix(hb_lowering *l, const hb_operand *weights, hb_value *x, hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint64_t rows = weights->schema->rows, most = hb_graph_capacity(g);
    if (hb_graph_packed(g)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "encrypted weights of rows within slots: encrypt both sides of @ with --pack columns");
    }
    const bool known = g->params != NULL; /* where only keys are asked for, columns are not */
    if (!hb_value_encrypted(x) || (known && weights->schema->columns != hb_value_width(x))) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "on the right of @ are as many encrypted columns as %.40s has, %llu", weights->name,
                          (unsigned long long)weights->schema->columns);
    }
    if (rows == 0 || rows > most) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s has %llu rows; encrypted weights have 1 to %llu, those of a ciphertext", weights->name,
                          (unsigned long long)rows, (unsigned long long)most);
    }
    HB_TRY(hb_lower_require_all_rows(l, g->position.item, weights, "on the left of @"));
    HB_TRY(hb_lower_load(l, x));
    *out = (hb_value){.kind = x->kind};
    HB_TRY(hb_lower_columns(l, (uint32_t)rows, out));
    for (uint32_t k = 0; hb_graph_at_column(g, k, (uint32_t)rows); k++) {
        uint32_t node;
        HB_TRY(encrypted_row(l, weights, k, x, &node));
        l->pool[out->first + k] = node;
    }
    return HB_OK;
}

hb_status hb_lower_weights(hb_lowering *l, hb_value *weights, hb_value *x, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const hb_operand *table = NULL;
    if (weights->whole != NULL && hb_lower_is_encrypted_weights(l, weights->whole)) {
        return encrypted_matrix(l, weights->whole, x, out);
    }
    if (g->params == NULL) { /* products with numbers need no keys */
        HB_TRY(hb_lower_load(l, x));
        *out = *x;
        return HB_OK;
    }
    HB_TRY(plain_weights(l, weights, "on the left of @", &table));
    HB_TRY(hb_lower_load(l, x));
    const uint32_t step = hb_type_is_matrix(x->type) ? x->type->matrix.columns : 1;
    const uint32_t columns = (x->width > 0 ? hb_node_columns(&g->nodes[l->pool[x->first]]) : x->columns) / step;
    if (table->schema->columns != columns) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s has weights for %llu columns in a row, and the right side has %u column%s",
                          table->name, (unsigned long long)table->schema->columns, columns, columns == 1 ? "" : "s");
    }
    *out = (hb_value){.kind = x->kind, .width = x->width > 0 ? (uint32_t)table->schema->rows * step : 0};
    if (x->width > 0) {
        return multiply_within(l, table, x, step, out);
    }
    HB_TRY(hb_lower_columns(l, (uint32_t)table->schema->rows * step, out));
    return multiply(l, table, x, out);
}
