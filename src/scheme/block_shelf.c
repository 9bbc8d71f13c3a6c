#include "block_shelf.h"

#include <stdlib.h>
#include <string.h>

#include "params.h"

static void add_image(hb_digest_state *state, const hb_block_image *image)
{
    hb_digest_add_u64(state, image->height);
    hb_digest_add_u64(state, image->width);
    hb_digest_add_u64(state, image->gap);
    hb_digest_add_u64(state, image->channels);
}

static void add_matrix(hb_digest_state *state, const hb_block_matrix *matrix)
{
    const uint64_t numbers[] = {matrix->rows,   matrix->columns, matrix->block,
                                matrix->kernel, matrix->alone,   matrix->picks != NULL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hb_digest_add_u64(state, numbers[i]);
    }
    add_image(state, &matrix->from);
    add_image(state, &matrix->to);
    hb_digest_add(state, matrix->values, hb_block_matrix_values(matrix) * sizeof *matrix->values);
    if (matrix->picks != NULL) {
        hb_digest_add(state, matrix->picks, matrix->rows * sizeof *matrix->picks);
    }
}

/* The numbers by which the map is made; the others are of errors. */
static void add_outline(hb_digest_state *state, const hb_block_outline *x)
{
    const uint64_t numbers[] = {x->block,     x->span,   x->parts,  x->copies, x->baby,
                                x->diagonals, x->babies, x->giants, x->sums};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hb_digest_add_u64(state, numbers[i]);
    }
}

void hb_block_map_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params *params, const hb_block_map_wanted *wanted)
{
    uint8_t own[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_params_digest(own, &params->spec);
    hb_digest_begin(&state, "hebatch matrix");
    hb_digest_add(&state, own, sizeof own);
    hb_digest_add_u64(&state, wanted->limbs);
    add_outline(&state, wanted->outline);
    hb_digest_add_u64(&state, wanted->pair != NULL);
    if (wanted->pair == NULL) {
        add_matrix(&state, wanted->matrix);
    }
    for (size_t i = 0; wanted->pair != NULL && i < 2; i++) {
        const hb_block_matrix *matrix = wanted->pair->matrix[i];
        hb_digest_add_u64(&state, matrix != NULL);
        if (matrix != NULL) {
            add_outline(&state, &wanted->pair->outline[i]);
            add_matrix(&state, matrix);
        }
    }
    hb_digest_end(&state, digest);
}

hb_block_map *hb_block_shelf_take(hb_block_shelf *shelf, const hb_params *params, const hb_shelved *wanted)
{
    for (size_t i = 0; i < shelf->count; i++) {
        if (memcmp(shelf->list[i].digest, wanted->digest, sizeof wanted->digest) == 0) {
            const hb_shelved own = shelf->list[i];
            shelf->count--;
            memmove(&shelf->list[i], &shelf->list[i + 1], (shelf->count - i) * sizeof *shelf->list);
            shelf->bytes -= own.bytes;
            shelf->found += own.bytes;
            hb_block_map_use(own.map, params);
            return own.map;
        }
    }
    shelf->missing += wanted->bytes;
    return NULL;
}

void hb_block_shelf_put(hb_block_shelf *shelf, hb_shelved own)
{
    hb_shelved *longer = realloc(shelf->list, (shelf->count + 1) * sizeof *longer);
    if (longer == NULL) {
        hb_block_map_close(own.map);
        return;
    }
    shelf->list = longer;
    longer[shelf->count++] = own;
    shelf->bytes += own.bytes;
}

void hb_block_shelf_bound(hb_block_shelf *shelf, const hb_params *params, uint64_t most)
{
    size_t gone = 0;
    while (gone < shelf->count && (shelf->bytes > most || most == 0)) {
        shelf->bytes -= shelf->list[gone].bytes;
        hb_block_map_use(shelf->list[gone].map, params);
        hb_block_map_close(shelf->list[gone++].map);
    }
    shelf->count -= gone;
    if (shelf->count == 0) {
        free(shelf->list);
        shelf->list = NULL;
    } else {
        memmove(shelf->list, shelf->list + gone, shelf->count * sizeof *shelf->list);
    }
}
