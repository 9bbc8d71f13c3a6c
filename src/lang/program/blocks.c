#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "scheme/matrix.h"

/* So many are kept, then the oldest makes room. */
enum { KEPT = 128 };

struct hb_kept_matrices {
    hb_matrix_entry *entries[KEPT]; /* NULL: none yet. Shared */
    uint32_t next;                  /* where the next one is kept */
};

static size_t bytes_of(const hb_block_matrix *matrix)
{
    return hb_block_matrix_values(matrix) * sizeof(double);
}

static bool same_shape(const hb_block_matrix *x, const hb_block_matrix *y)
{
    return x->rows == y->rows && x->columns == y->columns && x->block == y->block && x->kernel == y->kernel &&
           x->alone == y->alone && (x->picks != NULL) == (y->picks != NULL) &&
           hb_block_image_same(&x->from, &y->from) && hb_block_image_same(&x->to, &y->to);
}

static size_t bytes_of_picks(const hb_block_matrix *matrix)
{
    return matrix->picks != NULL ? matrix->rows * sizeof *matrix->picks : 0;
}

static bool same_picks(const hb_block_matrix *x, const hb_block_matrix *y)
{
    return x->picks == NULL || memcmp(x->picks, y->picks, bytes_of_picks(x)) == 0;
}

static bool same(const hb_block_matrix *x, const hb_block_matrix *y)
{
    return same_shape(x, y) && same_picks(x, y) && memcmp(x->values, y->values, bytes_of(x)) == 0;
}

/* Whether entries are at the same places. */
static bool alike(const hb_block_matrix *x, const hb_block_matrix *y)
{
    const size_t count = same_shape(x, y) && same_picks(x, y) ? hb_block_matrix_values(x) : 0;
    size_t i = 0;
    while (i < count && (x->values[i] == 0) == (y->values[i] == 0)) {
        i++;
    }
    return count > 0 && i == count;
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

/* --- matrices */

/* Gives one up, which may be NULL. */
static void release(hb_matrix_entry *entry)
{
    if (entry == NULL || --entry->holders > 0) {
        return;
    }
    discard((double *)entry->matrix.values, bytes_of(&entry->matrix));
    free((uint32_t *)entry->matrix.picks);
    if (entry->sums != NULL) {
        hb_wipe(entry->sums, entry->matrix.rows * sizeof *entry->sums);
    }
    free(entry->sums);
    free(entry->steps);
    release(entry->part[0]);
    release(entry->part[1]);
    free(entry);
}

/* Finds how it is computed, its sums being there; like: one with entries at the same places, or NULL. */
static hb_status outline(hb_matrix_entry *entry, const hb_params_spec *spec, const hb_matrix_entry *like)
{
    const hb_block_matrix *matrix = &entry->matrix;
    if (like == NULL) {
        HB_TRY(hb_matrix_outline(spec, matrix, entry->sums, &entry->outline));
        return hb_matrix_steps(spec, &(hb_block_pair){.matrix = {matrix}}, &entry->outline, &entry->steps,
                               &entry->map_steps, &entry->step_count);
    }
    entry->steps = malloc((like->step_count + (size_t)1) * sizeof *entry->steps);
    if (entry->steps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the rotations of a matrix");
    }
    memcpy(entry->steps, like->steps, like->step_count * sizeof *entry->steps);
    entry->map_steps = like->map_steps;
    entry->step_count = like->step_count;
    entry->outline = like->outline;
    return hb_matrix_outline_values(spec, matrix, entry->sums, &entry->outline);
}

static hb_status fill(hb_matrix_entry *entry, const hb_params_spec *spec, const hb_block_matrix *matrix,
                      const hb_matrix_entry *like)
{
    double *values = NULL;
    HB_TRY(copy(&values, matrix->values, bytes_of(matrix)));
    entry->matrix.values = values;
    if (matrix->picks != NULL) {
        uint32_t *picks = malloc(bytes_of_picks(matrix));
        if (picks == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the slots of an expression");
        }
        memcpy(picks, matrix->picks, bytes_of_picks(matrix));
        entry->matrix.picks = picks;
    }
    entry->sums = calloc(matrix->rows, sizeof *entry->sums);
    if (entry->sums == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the weights of an expression");
    }
    hb_block_matrix_sums(matrix, entry->sums);
    return outline(entry, spec, like);
}

/* Makes one that the caller holds. */
static hb_status make(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_matrix_entry *like,
                      hb_matrix_entry **out)
{
    hb_matrix_entry *entry = calloc(1, sizeof *entry);
    *out = NULL;
    if (entry == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the matrices of an expression");
    }
    *entry = (hb_matrix_entry){.n = spec->n, .holders = 1, .matrix = *matrix};
    entry->matrix.values = NULL;
    entry->matrix.picks = NULL;
    const hb_status st = fill(entry, spec, matrix, like);
    if (st != HB_OK) {
        release(entry);
        return st;
    }
    *out = entry;
    return HB_OK;
}

static hb_matrix_entry *find_kept(const hb_kept_matrices *kept, const hb_params_spec *spec,
                                  const hb_block_matrix *matrix,
                                  bool (*as)(const hb_block_matrix *x, const hb_block_matrix *y))
{
    for (uint32_t i = 0; i < KEPT && kept->entries[i] != NULL; i++) {
        if (kept->entries[i]->n == spec->n && as(&kept->entries[i]->matrix, matrix)) {
            return kept->entries[i];
        }
    }
    return NULL;
}

/* Finds the matrix in the cache, or makes it; the caller holds it. */
static hb_status find_or_make(hb_kept_matrices *kept, const hb_params_spec *spec, const hb_block_matrix *matrix,
                              hb_matrix_entry **out)
{
    if (kept == NULL || !hb_params_have_matrices(spec)) {
        return make(spec, matrix, NULL, out);
    }
    *out = find_kept(kept, spec, matrix, same);
    if (*out == NULL) { /* the same weights times a number, most of all */
        HB_TRY(make(spec, matrix, find_kept(kept, spec, matrix, alike), out));
        release(kept->entries[kept->next]);
        kept->entries[kept->next] = *out;
        kept->next = (kept->next + 1) % KEPT;
    }
    (*out)->holders++;
    return HB_OK;
}

hb_status hb_kept_matrices_open(hb_kept_matrices **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for matrices");
}

void hb_kept_matrices_close(hb_kept_matrices *kept)
{
    for (uint32_t i = 0; kept != NULL && i < KEPT; i++) {
        release(kept->entries[i]);
    }
    free(kept);
}

/* Puts an entry that the caller holds into the list, which holds it then; else it is given up. */
static hb_status append(hb_block_lists *lists, hb_matrix_entry *entry, uint32_t *number)
{
    hb_matrix_entry **longer = realloc(lists->matrices, (lists->matrix_count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        release(entry);
        return HB_FAIL(HB_ENOMEM, "no memory for the matrices of an expression");
    }
    lists->matrices = longer;
    longer[lists->matrix_count] = entry;
    *number = lists->matrix_count++;
    return HB_OK;
}

static hb_status find_matrix(hb_block_lists *lists, hb_kept_matrices *kept, const hb_params_spec *spec,
                             const hb_block_matrix *matrix, uint32_t *number)
{
    hb_matrix_entry *found;
    for (uint32_t i = 0; i < lists->matrix_count; i++) {
        if (lists->matrices[i]->part[0] == NULL && same(&lists->matrices[i]->matrix, matrix)) {
            *number = i;
            return HB_OK;
        }
    }
    HB_TRY(find_or_make(kept, spec, matrix, &found));
    return append(lists, found, number);
}

hb_status hb_block_lists_matrix(hb_block_lists *lists, hb_kept_matrices *kept, const hb_params_spec *spec,
                                const hb_block_matrix *matrix, double factor, uint32_t *number)
{
    if (factor == 1) {
        return find_matrix(lists, kept, spec, matrix, number);
    }
    const size_t count = hb_block_matrix_values(matrix);
    double *values = malloc(count * sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the weights of an expression");
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = matrix->values[i] * factor;
    }
    hb_block_matrix scaled = *matrix;
    scaled.values = values;
    const hb_status st = find_matrix(lists, kept, spec, &scaled, number);
    hb_wipe(values, count * sizeof *values);
    free(values);
    return st;
}

/* Fills an entry whose parts are there. */
static hb_status fill_pair(hb_matrix_entry *entry, const hb_params_spec *spec)
{
    for (uint32_t k = 0; k < 2; k++) {
        entry->pair.matrix[k] = &entry->part[k]->matrix;
        entry->pair.outline[k] = entry->part[k]->outline;
    }
    return hb_matrix_steps(spec, &entry->pair, &entry->outline, &entry->steps, &entry->map_steps, &entry->step_count);
}

hb_status hb_block_lists_pair(hb_block_lists *lists, const hb_params_spec *spec, const uint32_t of[2], uint32_t *number)
{
    hb_matrix_entry *const parts[2] = {lists->matrices[of[0]], lists->matrices[of[1]]};
    for (uint32_t i = 0; i < lists->matrix_count; i++) {
        if (lists->matrices[i]->part[0] == parts[0] && lists->matrices[i]->part[1] == parts[1]) {
            *number = i;
            return HB_OK;
        }
    }
    hb_matrix_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the matrices of an expression");
    }
    *entry = (hb_matrix_entry){.n = spec->n, .holders = 1, .matrix = parts[0]->matrix, .part = {parts[0], parts[1]}};
    entry->matrix.values = NULL;
    entry->matrix.picks = NULL;
    parts[0]->holders++;
    parts[1]->holders++;
    const hb_status st = fill_pair(entry, spec);
    if (st != HB_OK) {
        release(entry);
        return st;
    }
    return append(lists, entry, number);
}

/* --- rows */

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
        release(lists->matrices[i]);
    }
    for (uint32_t i = 0; i < lists->row_count; i++) {
        discard(lists->rows[i].values, lists->rows[i].columns * sizeof *lists->rows[i].values);
    }
    free(lists->matrices);
    free(lists->rows);
    *lists = (hb_block_lists){0};
}
