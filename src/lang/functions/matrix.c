/* Products with a matrix: A @ B of two encrypted ones within a sample. W @ x of weights: weights.c. */
#include <stdlib.h>

#include "functions.h"
#include "lang/ir/blocks.h"

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
    double *ones;
    uint32_t node;
    hb_status st;
    HB_TRY(hb_graph_dense_matrix(s->graph, s->m, (uint32_t)columns, &ones));
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
    const hb_graph *g = &l->graph;
    if (g->params == NULL && hb_graph_packed(g)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the rotations of a product with a matrix within slots follow from its weights or shapes; "
                          "hebatch eval says which keys are missing");
    }
    return hb_type_is_matrix(weights->type) ? multiply_matrices(l, weights, x, out)
                                            : hb_lower_weights(l, weights, x, out);
}
