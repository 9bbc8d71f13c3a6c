/* Matrices within a sample: matrix(x, rows, columns) says that columns are one, row by row; transpose(A). Products:
 * matrix.c. */
#include <stdlib.h>

#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/types/lang_function.h"

/* --- their types */

/* Entries are numbers of one scale, as each of them may be added to each other one. */
static hb_status take_entries(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)item;
    HB_TRY(hb_types_numbers(t, operands, 1));
    to->scale = hb_type_scale(&operands[0]);
    return hb_types_scale(t, &operands[0], to->scale);
}

static hb_status side_of(const hb_types *t, const hb_type *value, const char *what, uint32_t *out)
{
    int64_t number;
    if (!hb_type_whole(&t->context, value, &number) || number < 1 || number > HB_GRAPH_MAX_NODES) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "the %s of matrix(x, rows, columns) are a constant from 1 to %d", what, HB_GRAPH_MAX_NODES);
    }
    *out = (uint32_t)number;
    return HB_OK;
}

static hb_status shape_of_matrix(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    uint32_t rows = 0, columns = 0;
    HB_TRY(side_of(t, &operands[1], "rows", &rows));
    HB_TRY(side_of(t, &operands[2], "columns", &columns));
    if ((uint64_t)rows * columns != x->columns && !t->context.keys_only) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at,
                          "a matrix of %u x %u stands in %llu columns, row by row, and here %s %u", rows, columns,
                          (unsigned long long)rows * columns, x->columns == 1 ? "is" : "are", x->columns);
    }
    if (x->image.gap > 0) {
        return hb_types_refuse(t,
                               "the columns of a matrix stand in their order, and these are an image: W @ x has them "
                               "in their order");
    }
    *out = (hb_type){.kind = x->kind, .columns = x->columns, .names = x->names, .matrix = {rows, columns}};
    return HB_OK;
}

static hb_status shape_of_transpose(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    (void)item;
    if (!hb_type_is_matrix(x)) {
        return hb_types_refuse(t, "transpose takes a matrix, as matrix(x, rows, columns) makes one of columns");
    }
    *out = (hb_type){.kind = x->kind, .columns = x->columns, .matrix = {x->matrix.columns, x->matrix.rows}};
    return HB_OK;
}

/* --- their values */

static hb_status lower_matrix(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    (void)l;
    (void)item;
    *out = arguments[0];
    return HB_OK;
}

/* Rows within slots: the columns in these slots. */
static hb_status pick(hb_lowering *l, const hb_value *x, const uint32_t *from, hb_value *out)
{
    HB_TRY(hb_lower_columns(l, 1, out));
    hb_graph_at_column(&l->graph, 0, 1);
    return hb_graph_pick_columns(&l->graph, l->pool[x->first], from, x->width, true, &l->pool[out->first]);
}

/* Entry (i, j) of the result is entry (j, i). */
static hb_status lower_transpose(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value *x = &arguments[0];
    const hb_matrix_shape shape = x->type->matrix;
    const uint32_t entries = l->graph.params != NULL ? hb_value_width(x) : 0; /* else columns are not known */
    uint32_t *from = malloc((entries + (size_t)1) * sizeof *from);
    (void)item;
    if (from == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint32_t i = 0; i < entries; i++) {
        from[i] = i % shape.rows * shape.columns + i / shape.rows;
    }
    *out = (hb_value){.kind = x->kind, .width = x->width};
    const hb_status st = x->width > 0 ? pick(l, x, from, out) : hb_lower_columns(l, x->columns, out);
    for (uint32_t i = 0; st == HB_OK && x->width == 0 && i < x->columns; i++) {
        l->pool[out->first + i] = l->pool[x->first + (i < entries ? from[i] : i)];
    }
    free(from);
    return st;
}

const hb_lang_function hb_lang_function_matrix = {
    .call = {.name = "matrix",
             .form = "matrix(x, rows, columns)",
             .says = "the columns of x as a matrix of each sample, which stands in them row by row "
                     "([matrices](matrices.md))",
             .least = 3,
             .most = 3,
             .matrix = true},
    .meaning = {take_entries, HB_RESULT_NUMBER},
    .shape = shape_of_matrix,
    .encrypted = true,
    .lower = lower_matrix,
};
const hb_lang_function hb_lang_function_transpose = {
    .call = {.name = "transpose",
             .form = "transpose(A)",
             .says = "a matrix with rows and columns exchanged ([matrices](matrices.md))",
             .least = 1,
             .most = 1,
             .matrix = true},
    .meaning = {take_entries, HB_RESULT_NUMBER},
    .shape = shape_of_transpose,
    .encrypted = true,
    .lower = lower_transpose,
};
