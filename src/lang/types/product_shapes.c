/* The shapes of products with @: of weights with columns or with a matrix, and of two matrices. */
#include <inttypes.h>

#include "type_rules.h"

hb_status hb_types_weights(const hb_types *t, const hb_type *weights, const char *place)
{
    return hb_type_plain(weights)
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                            "%s stands a plain table, or one computed from plain tables; its rows are the "
                            "weights of the columns on the other side",
                            place);
}

static hb_status check_entries(const hb_types *t, uint64_t rows, uint32_t columns)
{
    return rows <= HB_GRAPH_MAX_NODES && rows * columns <= HB_GRAPH_MAX_NODES
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                            "the product is a matrix of %" PRIu64 " x %u, which has more than %d entries", rows,
                            columns, HB_GRAPH_MAX_NODES);
}

/* W, m x k, times a matrix of k x n. */
static hb_status weights_by_matrix(const hb_types *t, const hb_type *weights, const hb_type *x, hb_type *out)
{
    const hb_matrix_shape b = x->matrix;
    if (t->context.keys_only) { /* products with numbers need no keys */
        *out = (hb_type){.kind = x->kind, .columns = x->columns, .matrix = b};
        return HB_OK;
    }
    if (!hb_type_plain(weights)) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "on the right of @ is a matrix of %u x %u, and on the left neither a matrix, as "
                          "matrix(x, %u, %u) is one, nor a plain table of weights",
                          b.rows, b.columns, b.rows, b.rows);
    }
    if (weights->columns != b.rows) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "weights of %" PRIu64 " x %u times a matrix of %u x %u: the left side has as many columns as "
                          "the right one has rows; transpose(A) exchanges them",
                          weights->rows, weights->columns, b.rows, b.columns);
    }
    HB_TRY(check_entries(t, weights->rows, b.columns));
    *out = (hb_type){.kind = x->kind,
                     .columns = (uint32_t)weights->rows * b.columns,
                     .matrix = {(uint32_t)weights->rows, b.columns}};
    return HB_OK;
}

/* y: another matrix, or columns that are a vector. */
static hb_status product_of_matrices(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out)
{
    const bool vector = !hb_type_is_matrix(y);
    const hb_matrix_shape *a = &x->matrix, b = vector ? (hb_matrix_shape){y->columns, 1} : y->matrix;
    if (!hb_type_encrypted(x) || !hb_type_encrypted(y)) {
        return hb_types_refuse(t, "on the right of a matrix stands an encrypted value; a plain W stands on the left: "
                                  "A W is transpose(V @ transpose(A)), where V is W with rows and columns exchanged");
    }
    if (a->columns != b.rows && !t->context.keys_only) { /* where only keys are asked for, rows of W are not known */
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "a matrix of %u x %u times %s of %u x %u: the left one has as many columns as the right one "
                          "has rows; transpose(A) exchanges them",
                          a->rows, a->columns, vector ? "a vector" : "one", b.rows, b.columns);
    }
    HB_TRY(check_entries(t, a->rows, b.columns));
    const bool rows = x->kind == HB_TYPE_ROWS || y->kind == HB_TYPE_ROWS;
    *out = (hb_type){.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS,
                     .columns = t->context.keys_only ? x->columns : a->rows * b.columns, /* keys are the same for all */
                     .matrix = vector ? (hb_matrix_shape){0} : (hb_matrix_shape){a->rows, b.columns}};
    return HB_OK;
}

hb_status hb_shape_product(const hb_types *t, const hb_type *weights, const hb_type *x, hb_type *out)
{
    const hb_types_context *w = &t->context;
    if (hb_type_is_matrix(weights)) {
        return product_of_matrices(t, weights, x, out);
    }
    if (hb_type_is_matrix(x)) {
        return weights_by_matrix(t, weights, x, out);
    }
    const bool encrypted =
        weights->whole != NULL && weights->whole->encrypted && t->weights[weights->whole - w->operands];
    if (w->keys_only && !encrypted) { /* products with numbers need no keys */
        *out = (hb_type){.kind = x->kind, .columns = x->columns, .rows = x->rows, .names = x->names, .image = x->image};
        return HB_OK;
    }
    if (!encrypted) {
        HB_TRY(hb_types_weights(t, weights, "on the left of @"));
    }
    if (!hb_type_encrypted(x) && !encrypted) {
        return hb_types_refuse(t, "on the right of @ is an encrypted value");
    }
    const uint64_t rows = weights->rows;
    *out = (hb_type){.kind = x->kind, .columns = rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX};
    return HB_OK;
}
