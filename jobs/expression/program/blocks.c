#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "scheme/matrix.h"

static size_t bytes_of(const hb_block_matrix *matrix)
{
    return hb_block_matrix_values(matrix) * sizeof(double);
}

static bool same(const hb_block_matrix *x, const hb_block_matrix *y)
{
    return x->rows == y->rows && x->columns == y->columns && x->block == y->block && x->kernel == y->kernel &&
           x->alone == y->alone && hb_block_image_same(&x->from, &y->from) && hb_block_image_same(&x->to, &y->to) &&
           memcmp(x->values, y->values, bytes_of(x)) == 0;
}

/* A copy of numbers, which may be those of a private table. */
static hb_status copy(double **to, const double *values, size_t bytes)
{
    *to = malloc(bytes);
    if (*to == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the weights of an expression");
    }
    memcpy(*to, values, bytes);
    return HB_OK;
}

static void discard(double *values, size_t bytes)
{
    if (values != NULL) {
        hb_wipe(values, bytes);
    }
    free(values);
}

static void matrix_clear(hb_matrix_entry *entry)
{
    discard((double *)entry->matrix.values, bytes_of(&entry->matrix));
    free(entry->steps);
}

static hb_status matrix_init(hb_matrix_entry *entry, const hb_params_spec *spec, const hb_block_matrix *matrix)
{
    double *values = NULL;
    *entry = (hb_matrix_entry){.matrix = *matrix};
    entry->matrix.values = NULL;
    HB_TRY(copy(&values, matrix->values, bytes_of(matrix)));
    entry->matrix.values = values;
    HB_TRY(hb_matrix_outline(spec, matrix, &entry->outline));
    return hb_matrix_steps(spec, matrix, &entry->outline, &entry->steps, &entry->map_steps, &entry->step_count);
}

hb_status hb_block_lists_matrix(hb_block_lists *lists, const hb_params_spec *spec, const hb_block_matrix *matrix,
                                uint32_t *number)
{
    for (uint32_t i = 0; i < lists->matrix_count; i++) {
        if (same(&lists->matrices[i].matrix, matrix)) {
            *number = i;
            return HB_OK;
        }
    }
    hb_matrix_entry made;
    hb_status st = matrix_init(&made, spec, matrix);
    hb_matrix_entry *longer =
        st == HB_OK ? realloc(lists->matrices, (lists->matrix_count + (size_t)1) * sizeof *longer) : NULL;
    if (longer == NULL) {
        matrix_clear(&made);
        return st != HB_OK ? st : HB_FAIL(HB_ENOMEM, "no memory for the matrices of an expression");
    }
    lists->matrices = longer;
    longer[lists->matrix_count] = made;
    *number = lists->matrix_count++;
    return HB_OK;
}

hb_status hb_block_lists_row(hb_block_lists *lists, const double *values, uint32_t columns, uint32_t *number)
{
    const size_t bytes = columns * sizeof *values;
    for (uint32_t i = 0; i < lists->row_count; i++) {
        if (lists->rows[i].columns == columns && memcmp(lists->rows[i].values, values, bytes) == 0) {
            *number = i;
            return HB_OK;
        }
    }
    hb_row_entry *longer = realloc(lists->rows, (lists->row_count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of an expression");
    }
    lists->rows = longer;
    longer[lists->row_count] = (hb_row_entry){.columns = columns};
    HB_TRY(copy(&longer[lists->row_count].values, values, bytes));
    *number = lists->row_count++;
    return HB_OK;
}

void hb_block_lists_clear(hb_block_lists *lists)
{
    for (uint32_t i = 0; i < lists->matrix_count; i++) {
        matrix_clear(&lists->matrices[i]);
    }
    for (uint32_t i = 0; i < lists->row_count; i++) {
        discard(lists->rows[i].values, lists->rows[i].columns * sizeof *lists->rows[i].values);
    }
    free(lists->matrices);
    free(lists->rows);
    *lists = (hb_block_lists){0};
}
