/* Products: W @ x, with the numbers of a plain table as constants, so that a row of products is rescaled once; A @ B of
 * encrypted matrices. */
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "lang/value/plain.h"

hb_status hb_lower_plain_weights(hb_lowering *l, const hb_value *weights, const char *place, const hb_operand **out)
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

/* One product of a table with columns: those of them that any row has a weight for. */
typedef struct product {
    const hb_operand *table;
    uint32_t *columns; /* [count] among the right side's */
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
        p->nodes[count] = x[p->columns[j]];
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
            HB_TRY(add_term(g, x[p->columns[j]], row[p->columns[j]], out));
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
        uint32_t node;
        HB_TRY(row_of(l, p, l->pool + x->first, p->table->cells + (size_t)i * x->columns, &node));
        if (node == HB_NO_NODE) {
            return fail_zeros(l, p->table, i);
        }
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

static hb_status multiply(hb_lowering *l, const hb_operand *table, const hb_value *x, hb_value *out)
{
    product p = {.table = table};
    hb_status st = HB_OK;
    p.columns = malloc(x->columns * sizeof *p.columns);
    p.nodes = malloc(x->columns * sizeof *p.nodes);
    p.numbers = malloc(x->columns * sizeof *p.numbers);
    if (!p.columns || !p.nodes || !p.numbers) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a row of weights");
        goto done;
    }
    for (uint32_t j = 0; j < x->columns; j++) {
        bool any = false;
        for (uint32_t i = 0; i < out->columns && !any; i++) {
            any = !hb_graph_is_zero(&l->graph, table->cells[(size_t)i * x->columns + j]);
        }
        p.columns[p.count] = j;
        p.count += any;
    }
    st = rows_of(l, &p, x, out);
done:
    if (p.numbers != NULL) {
        hb_wipe(p.numbers, x->columns * sizeof *p.numbers);
    }
    free(p.columns);
    free(p.nodes);
    free(p.numbers);
    return st;
}

hb_status hb_lower_reals(const hb_lowering *l, const hb_operand *table, double **out)
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

/* For rows within slots: one product of all columns. */
static hb_status multiply_within(hb_lowering *l, const hb_operand *table, const hb_value *x, hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint64_t rows = table->schema->rows, columns = table->schema->columns;
    const hb_node *a = &g->nodes[l->pool[x->first]];
    if (rows > g->block) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s has %llu rows, and the result as many columns; rows of %.40s are in blocks of %llu "
                          "slots: encrypt it with --block %llu or more",
                          table->name, (unsigned long long)rows, g->first->name, (unsigned long long)g->block,
                          (unsigned long long)hb_packing_least_block(rows));
    }
    double *values;
    HB_TRY(hb_lower_reals(l, table, &values));
    hb_status st;
    uint32_t node;
    for (uint64_t i = 0; i < rows; i++) {
        bool any = false;
        for (uint64_t j = 0; j < columns && !any; j++) {
            any = values[i * columns + j] != 0;
        }
        HB_GOTO(any ? HB_OK : fail_zeros(l, table, (uint32_t)i));
    }
    const hb_block_matrix matrix = {.rows = (uint32_t)rows,
                                    .columns = a->shape.width,
                                    .block = (uint32_t)g->block,
                                    .values = values,
                                    .from = a->shape.image};
    HB_GOTO(hb_lower_columns(l, 1, out));
    HB_GOTO(hb_graph_matrix(g, l->pool[x->first], &matrix, &node));
    l->pool[out->first] = node;
done:
    hb_wipe(values, rows * columns * sizeof *values);
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

/* --- of two matrices within a sample */

/* One entry: the sum of so many products, of which the first factors stand one behind the other, and the second ones
 * `step` apart. Products are added before they are relinearized. */
static hb_status entry(hb_lowering *l, uint32_t a, uint32_t b, uint32_t count, uint32_t step, uint32_t *out)
{
    hb_graph *g = &l->graph;
    HB_TRY(hb_graph_multiply(g, l->pool[a], l->pool[b], out));
    for (uint32_t i = 1; i < count; i++) {
        uint32_t term;
        HB_TRY(hb_graph_multiply(g, l->pool[a + i], l->pool[b + i * step], &term));
        HB_TRY(hb_graph_add(g, *out, term, out));
    }
    return HB_OK;
}

/* Refuses a product of more products of ciphertexts than an expression has room for. */
static hb_status check_products(const hb_lowering *l, const hb_matrix_shape *a, uint32_t columns)
{
    const hb_graph *g = &l->graph;
    const uint64_t products = (uint64_t)a->rows * a->columns * columns;
    return 2 * products <= HB_GRAPH_MAX_NODES
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                            "a matrix of %u x %u times one of %u x %u takes %llu products of ciphertexts, and an "
                            "expression has at most %d",
                            a->rows, a->columns, a->columns, columns, (unsigned long long)products,
                            HB_GRAPH_MAX_NODES / 2);
}

static hb_status by_columns(hb_lowering *l, const hb_matrix_shape *a, uint32_t columns, const hb_value *x,
                            const hb_value *y, hb_value *out)
{
    const bool known = l->graph.params != NULL; /* where only keys are asked for, columns are not */
    HB_TRY(check_products(l, a, columns));
    HB_TRY(hb_lower_columns(l, l->type->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, out->columns); i++) {
        const uint32_t left = known ? x->first + i / columns * a->columns : x->first;
        const uint32_t right = known ? y->first + i % columns : y->first;
        uint32_t node;
        HB_TRY(entry(l, left, right, known ? a->columns : 1, columns, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* --- the same of rows within slots
 *
 * The product of A, m x k, and B, k x n, as of X. Jiang, M. Kim, K. Lauter, Y. Song, "Secure Outsourced Matrix
 * Computation and Application to Neural Networks" (CCS 2018), for any m, k and n. In step l entry (i, j) holds A(i, i +
 * j + l) and B(i + j + l, j), indices modulo k: the products of k steps add up to A B. Step 0 is made of A and B, and
 * the others of step 0, shifted to the left and up, with two diagonals each. Steps have the shape of the product, so
 * that at most n columns of A and as many rows of B are taken at a time. */

/* Up to so many steps are each made of A and B: with more rotations, and in one level less. */
enum { STEPS_AT_ONCE = 4 };

typedef struct steps {
    hb_graph *graph;
    uint32_t m, k, n;      /* of the product */
    uint32_t first, count; /* the columns of A and rows of B that are taken */
    uint32_t *slots;       /* [m n, and k n] room */
} steps;

/* Makes step l of the left matrix from `a`, which is it, or step 0 of it. */
static hb_status left_step(const steps *s, uint32_t a, uint32_t l, bool shifted, uint32_t *out)
{
    for (uint32_t i = 0; i < s->m; i++) {
        for (uint32_t j = 0; j < s->n; j++) {
            s->slots[i * s->n + j] = shifted ? i * s->n + (j + l < s->n ? j + l : j + l - s->count)
                                             : i * s->k + s->first + (i + j + l) % s->count;
        }
    }
    return hb_graph_pick_columns(s->graph, a, s->slots, s->m * s->n, !shifted, out);
}

/* Makes step l of the right matrix, or all rows of step 0, which steps are shifted from. */
static hb_status right_step(const steps *s, uint32_t b, uint32_t l, bool shifted, uint32_t *out)
{
    const uint32_t all = s->m > s->count ? s->m : s->count, rows = !shifted && s->count > STEPS_AT_ONCE ? all : s->m;
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < s->n; j++) {
            s->slots[i * s->n + j] = shifted ? (i + l < all ? i + l : i + l - s->count) * s->n + j
                                             : (s->first + (i + j + l) % s->count) * s->n + j;
        }
    }
    return hb_graph_pick_columns(s->graph, b, s->slots, rows * s->n, !shifted, out);
}

/* Adds the products of all steps of these columns and rows to *sum, HB_NO_NODE at first. */
static hb_status add_steps(const steps *s, uint32_t a, uint32_t b, uint32_t *sum)
{
    const bool shifts = s->count > STEPS_AT_ONCE;
    uint32_t left = a, right = b;
    if (shifts) {
        HB_TRY(left_step(s, a, 0, false, &left));
        HB_TRY(right_step(s, b, 0, false, &right));
    }
    for (uint32_t l = 0; l < s->count; l++) {
        uint32_t x = left, y = right, term;
        if (!shifts || l > 0) {
            HB_TRY(left_step(s, left, l, shifts, &x));
        }
        if (!shifts || l > 0 || s->m < s->count) {
            HB_TRY(right_step(s, right, l, shifts, &y));
        }
        HB_TRY(hb_graph_multiply(s->graph, x, y, &term));
        if (*sum != HB_NO_NODE) {
            HB_TRY(hb_graph_add(s->graph, *sum, term, &term));
        }
        *sum = term;
    }
    return HB_OK;
}

/* Times a vector: it stands beside each row of A, and the products of a row are added up. */
static hb_status times_vector(const steps *s, uint32_t a, uint32_t b, uint32_t *out)
{
    const size_t columns = (size_t)s->m * s->k;
    double *ones = calloc(s->m * columns, sizeof *ones);
    uint32_t node;
    hb_status st;
    if (ones == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint32_t i = 0; i < columns; i++) {
        s->slots[i] = i % s->k;
        ones[i / s->k * columns + i] = 1;
    }
    const hb_block_matrix sums = {
        .rows = s->m, .columns = (uint32_t)columns, .block = (uint32_t)s->graph->block, .values = ones};
    HB_GOTO(hb_graph_pick_columns(s->graph, b, s->slots, (uint32_t)columns, true, &node));
    HB_GOTO(hb_graph_multiply(s->graph, a, node, &node));
    HB_GOTO(hb_graph_matrix(s->graph, node, &sums, &node));
    *out = node;
done:
    free(ones);
    return st;
}

static hb_status within_slots(hb_lowering *l, const hb_matrix_shape *shape, uint32_t columns, uint32_t a, uint32_t b,
                              hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint64_t entries = (uint64_t)shape->rows * columns, block = g->block;
    if (entries > block) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the product is a matrix of %u x %u; rows of %.40s are in blocks of %llu slots: encrypt it "
                          "with --block %llu or more",
                          shape->rows, columns, g->first->name, (unsigned long long)block,
                          (unsigned long long)hb_packing_least_block(entries));
    }
    steps s = {
        .graph = g, .m = shape->rows, .k = shape->columns, .n = columns, .slots = calloc(block, sizeof(uint32_t))};
    uint32_t sum = HB_NO_NODE;
    if (s.slots == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    hb_graph_at_column(g, 0, 1);
    hb_status st = columns == 1 ? times_vector(&s, a, b, &sum) : HB_OK;
    for (uint32_t first = 0; st == HB_OK && columns > 1 && first < s.k; first += s.count) {
        s.first = first;
        s.count = s.k - first < s.n ? s.k - first : s.n;
        st = add_steps(&s, a, b, &sum);
    }
    free(s.slots);
    HB_TRY(st);
    HB_TRY(hb_lower_columns(l, 1, out));
    l->pool[out->first] = sum;
    return HB_OK;
}

static hb_status multiply_matrices(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    const hb_matrix_shape a = x->type->matrix;
    const uint32_t columns = hb_type_is_matrix(y->type) ? y->type->matrix.columns : 1;
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_lower_load(l, y));
    const bool rows = x->kind == HB_TYPE_ROWS || y->kind == HB_TYPE_ROWS;
    *out = (hb_value){.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS, .width = x->width > 0 ? a.rows * columns : 0};
    return x->width > 0 ? within_slots(l, &a, columns, l->pool[x->first], l->pool[y->first], out)
                        : by_columns(l, &a, columns, x, y, out);
}

hb_status hb_lower_matrix(hb_lowering *l, hb_value *weights, hb_value *x, hb_value *out)
{
    hb_graph *g = &l->graph;
    const hb_operand *table = NULL;
    if (g->params == NULL && hb_graph_packed(g)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the rotations of a product with a matrix within slots follow from its weights or shapes; "
                          "hebatch eval says which keys are missing");
    }
    if (hb_type_is_matrix(weights->type)) {
        return multiply_matrices(l, weights, x, out);
    }
    if (weights->whole != NULL && hb_lower_is_encrypted_weights(l, weights->whole)) {
        return encrypted_matrix(l, weights->whole, x, out);
    }
    if (g->params == NULL) { /* products with numbers need no keys */
        HB_TRY(hb_lower_load(l, x));
        *out = *x;
        return HB_OK;
    }
    HB_TRY(hb_lower_plain_weights(l, weights, "on the left of @", &table));
    HB_TRY(hb_lower_load(l, x));
    const uint32_t columns = x->width > 0 ? hb_node_columns(&g->nodes[l->pool[x->first]]) : x->columns;
    if (table->schema->columns != columns) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s has weights for %llu columns in a row, and the right side has %u column%s",
                          table->name, (unsigned long long)table->schema->columns, columns, columns == 1 ? "" : "s");
    }
    *out = (hb_value){.kind = x->kind, .width = x->width > 0 ? (uint32_t)table->schema->rows : 0};
    if (x->width > 0) {
        return multiply_within(l, table, x, out);
    }
    HB_TRY(hb_lower_columns(l, (uint32_t)table->schema->rows, out));
    return multiply(l, table, x, out);
}
