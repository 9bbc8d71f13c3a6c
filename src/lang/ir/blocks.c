#include "blocks.h"

#include <stdlib.h>

#include "levels.h"
#include "multiples.h"
#include "polynomial.h"
#include "scheme/codec.h"
#include "scheme/matrix.h"

/* --- products with matrices */

enum { MATRIX_COPIES = 4 }; /* up to so many copies of a column a matrix makes with no more rotations, and less error */
#define MOST_DENSE ((uint64_t)1 << 26) /* numbers of a matrix that has room for all of them: 512 MiB */

hb_status hb_graph_matrix_by(hb_graph *g, uint32_t a, const hb_block_matrix *matrix, double factor, uint32_t *out)
{
    uint32_t number;
    if (g->params == NULL) {
        return HB_FAIL_AT(
            HB_EUSAGE, g->syntax->text, g->position.item->at,
            "the rotations that this takes within slots follow from the datasets: make the pair with "
            "keygen --relin, and encrypt with --pack rows; then hebatch eval says which keys are missing");
    }
    HB_TRY(hb_graph_require_level(g, a, "this product"));
    hb_block_matrix own = *matrix;
    own.alone = g->nodes[a].shape.tail_zero;
    const hb_status st = hb_block_lists_matrix(&g->constants.blocks, g->found.matrices, g->spec, &own, factor, &number);
    if (st == HB_ECONFIG) {
        return HB_FAIL_AT(st, g->syntax->text, g->position.item->at,
                          "a product with a matrix, a sum of columns or a single column, of rows within slots takes "
                          "parameters that are not like SEAL's; encrypt with --pack columns");
    }
    HB_TRY(st);
    return hb_graph_unary(g, HB_OP_MATRIX, a, number, out);
}

hb_status hb_graph_matrix(hb_graph *g, uint32_t a, const hb_block_matrix *matrix, uint32_t *out)
{
    double before = 1;
    uint32_t x = hb_graph_without_number(g, a, &before);
    if (x == HB_NO_NODE) {
        HB_TRY(hb_graph_take_number(g, a, &before, &x));
    }
    if (before != 1) { /* the number goes into the weights */
        return hb_graph_matrix_by(g, x, matrix, before, out);
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    return hb_graph_matrix_by(g, a, matrix, 1, out);
}

hb_status hb_graph_dense_matrix(const hb_graph *g, uint32_t rows, uint32_t columns, double **values)
{
    const uint64_t count = (uint64_t)rows * columns;
    if (count > MOST_DENSE) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "this takes a matrix of %u x %u numbers within slots, and there is room for 2^26: "
                          "--pack columns takes none",
                          rows, columns);
    }
    *values = calloc(count > 0 ? (size_t)count : 1, sizeof **values);
    return *values != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
}

/* The matrix, whose values are not set, with ones in `count` of its columns alone, from the first one that is asked
 * for. */
static hb_status multiply_ones(hb_graph *g, uint32_t a, hb_block_matrix ones, uint32_t first, uint32_t count,
                               uint32_t *out)
{
    const size_t columns = hb_block_matrix_values(&ones) / ones.rows;
    double *values;
    HB_TRY(hb_graph_dense_matrix(g, ones.rows, (uint32_t)columns, &values));
    for (uint32_t i = 0; i < ones.rows; i++) {
        for (uint32_t j = first; j < first + count; j++) {
            values[(size_t)i * columns + j] = 1;
        }
    }
    ones.values = values;
    const hb_status st = hb_graph_matrix(g, a, &ones, out);
    free(values);
    return st;
}

hb_status hb_graph_column(hb_graph *g, uint32_t a, uint32_t slot, uint32_t *out)
{
    const hb_block_matrix ones = {.rows = 1, .columns = g->nodes[a].shape.width, .block = (uint32_t)g->block};
    *out = a;
    return ones.columns == 1 ? HB_OK : multiply_ones(g, a, ones, slot, 1, out);
}

hb_status hb_graph_row_sum_spread(hb_graph *g, uint32_t a, uint32_t width, uint32_t *out)
{
    const hb_node *x = &g->nodes[a];
    const hb_block_matrix ones = {
        .rows = width, .columns = x->shape.width, .block = (uint32_t)g->block, .from = x->shape.image};
    return multiply_ones(g, a, ones, 0, hb_node_columns(x), out);
}

hb_status hb_graph_within_groups(hb_graph *g, uint32_t a, uint32_t group, double own, double others, uint32_t *out)
{
    const uint32_t width = g->nodes[a].shape.width;
    double *values;
    HB_TRY(hb_graph_dense_matrix(g, width, width, &values));
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t first = i - i % group;
        for (uint32_t j = first; j < first + group; j++) {
            values[(size_t)i * width + j] = i == j ? own : others;
        }
    }
    const hb_block_matrix matrix = {.rows = width, .columns = width, .block = (uint32_t)g->block, .values = values};
    const hb_status st = hb_graph_matrix(g, a, &matrix, out);
    free(values);
    return st;
}

/* The matrix of columns that were picked; NULL: it is none. */
static const hb_block_matrix *picked(const hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    const hb_matrix_entry *entry = x->op == HB_OP_MATRIX ? hb_matrix_of(g, x) : NULL;
    return entry != NULL && entry->matrix.picks != NULL ? &entry->matrix : NULL;
}

hb_status hb_graph_pick_columns(hb_graph *g, uint32_t a, const uint32_t *slots, uint32_t count, bool once,
                                uint32_t *out)
{
    const hb_block_matrix *before = once ? picked(g, a) : NULL;
    const uint32_t known = g->params != NULL ? count : 0; /* else columns are not known, and there is no product */
    uint32_t *picks = calloc(count, sizeof *picks);
    double *values = calloc(count, sizeof *values);
    if (picks == NULL || values == NULL) {
        free(picks);
        free(values);
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint32_t i = 0; i < known; i++) {
        picks[i] = before != NULL ? before->picks[slots[i]] : slots[i];
        values[i] = before != NULL ? before->values[slots[i]] : 1;
    }
    a = before != NULL ? g->nodes[a].a : a;
    const hb_block_matrix matrix = {.rows = count,
                                    .columns = g->nodes[a].shape.width,
                                    .block = (uint32_t)g->block,
                                    .values = values,
                                    .picks = picks};
    const hb_status st = hb_graph_matrix(g, a, &matrix, out);
    free(picks);
    free(values);
    return st;
}

hb_status hb_graph_row_spread(hb_graph *g, uint32_t a, uint32_t like, uint32_t *out)
{
    const hb_node *x = &g->nodes[like];
    const uint32_t width = x->shape.width, block = (uint32_t)g->block;
    const hb_block_matrix ones = {.rows = width, .columns = 1, .block = block, .to = x->shape.image};
    if (width <= MATRIX_COPIES || x->shape.image.gap > 1) {
        return multiply_ones(g, a, ones, 0, 1, out);
    }
    /* Copies are added up where the other slots are 0. Which keys that takes does not follow from whether they are. */
    if (g->nodes[a].shape.tail_zero || g->params == NULL) {
        HB_TRY(hb_graph_gather(g, a, &a));
    } else {
        HB_TRY(multiply_ones(g, a, (hb_block_matrix){.rows = 1, .columns = 1, .block = block}, 0, 1, &a));
    }
    return hb_graph_unary(g, HB_OP_ROW_SPREAD, a, width, out);
}

/* --- sums of columns */

hb_status hb_graph_row_sum(hb_graph *g, uint32_t a, uint32_t *out)
{
    *out = a;
    if (g->nodes[a].shape.width == 1) {
        return HB_OK;
    }
    if (!g->nodes[a].shape.tail_zero || hb_node_columns(&g->nodes[a]) < g->nodes[a].shape.width) {
        return hb_graph_row_sum_spread(g, a, 1, out);
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    uint32_t terms = 1;
    while (terms < g->nodes[a].shape.width) {
        terms *= 2;
    }
    return hb_graph_unary(g, HB_OP_ROW_SUM, a, terms, out);
}

/* --- rows of constants */

hb_status hb_graph_add_row(hb_graph *g, uint32_t a, const double *values, uint32_t *out)
{
    uint32_t number;
    HB_TRY(hb_graph_gather(g, a, &a));
    HB_TRY(hb_block_lists_row(&g->constants.blocks, values, g->nodes[a].shape.width, &number));
    return hb_graph_unary(g, HB_OP_ADD_ROW, a, number, out);
}
