#include "block_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "block_diagonals.h"
#include "repeated.h"
#include "rlwe/rotation.h"

/* Costs in switches of keys (`hebatch bench circuits`): of a baby step, whose digits are made once for all, of a giant
 * step, of a rotation that adds up parts, and of a product with a diagonal. */
static const double baby_cost = HB_HOISTED_SWITCH, giant_cost = 1, part_cost = 1, diagonal_cost = 0.04;
/* How many times as long a product with one part may take: with several slots behind the rows are not 0. */
static const double worth = 1.75;
/* How many times as long with the vector once as with it twice, which doubles its errors. */
static const double worth_twice = 1.25;

typedef struct matrix_map {
    hb_block_map map; /* first */
    hb_linear_map *linear;
    uint32_t copies[2], span[2]; /* of the vectors of a pair; 0: it is one matrix */
} matrix_map;

static size_t slots_of(const hb_params_spec *spec)
{
    return spec->n / 2;
}

static uint32_t power_above(uint32_t x)
{
    uint32_t power = 1;
    while (power < x) {
        power *= 2;
    }
    return power;
}

/* The squares of all entries. */
static double squares_of(const hb_block_sums *rows, uint32_t count)
{
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        squares += rows[i].squares;
    }
    return squares;
}

/* The outline and cost of the product with that span and copies. */
static hb_status look(const hb_params_spec *spec, const hb_block_matrix *matrix, uint32_t span, uint32_t copies,
                      hb_block_outline *out)
{
    const size_t slots = slots_of(spec);
    const uint32_t wide = power_above(matrix->columns);
    hb_block_diagonals d;
    hb_linear_shape shape;
    hb_status st;
    *out = (hb_block_outline){.block = matrix->block, .span = span, .parts = wide > span ? wide / span : 1};
    out->copies = copies;
    out->baby = 1;
    HB_GOTO(hb_block_diagonals_init(&d, matrix, out, slots, false));
    out->most = d.most;
    HB_GOTO(hb_linear_baby(&out->baby, slots, &d.diagonals));
    HB_GOTO(hb_linear_shape_of(&shape, slots, out->baby, &d.diagonals));
    out->diagonals = shape.diagonals;
    out->babies = shape.babies;
    out->giants = shape.giants;
    out->sums = shape.sums;
done:
    hb_block_diagonals_clear(&d);
    return st;
}

static double cost_of(const hb_block_outline *x)
{
    return baby_cost * x->babies + giant_cost * x->giants + part_cost * (log2(x->parts) + x->copies - 1) +
           diagonal_cost * x->diagonals;
}

hb_status hb_ckks_matrix_outline(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                                 hb_block_outline *out)
{
    const uint32_t least = power_above(matrix->rows), wide = power_above(matrix->columns);
    HB_ASSERT(matrix->rows >= 1 && matrix->columns >= 1 && least <= matrix->block && wide <= matrix->block);
    if (slots_of(spec) % matrix->block != 0) { /* of other parameters, which are tried */
        return HB_FAIL(HB_ECONFIG, "blocks of %u slots in ciphertexts of %zu", matrix->block, slots_of(spec));
    }
    hb_block_outline one, best;
    HB_TRY(look(spec, matrix, least > wide ? least : wide, 1, &one));
    if (matrix->alone && one.span <= matrix->block / 2) {
        hb_block_outline twice;
        HB_TRY(look(spec, matrix, one.span, 2, &twice));
        one = cost_of(&one) > worth_twice * cost_of(&twice) ? twice : one;
    }
    best = one;
    for (uint32_t span = one.span / 2; span >= least && span > 0; span /= 2) {
        hb_block_outline other;
        HB_TRY(look(spec, matrix, span, 1, &other));
        best = cost_of(&other) < cost_of(&best) ? other : best;
    }
    *out = cost_of(&one) > worth * cost_of(&best) ? best : one;
    out->squares = squares_of(rows, matrix->rows);
    out->gain = hb_block_sums_gain(rows, matrix->rows);
    return HB_OK;
}

hb_status hb_ckks_matrix_outline_values(const hb_params_spec *spec, const hb_block_matrix *matrix,
                                        const hb_block_sums *rows, hb_block_outline *outline)
{
    hb_block_diagonals d;
    const hb_status st = hb_block_diagonals_init(&d, matrix, outline, slots_of(spec), false);
    if (st == HB_OK) {
        HB_ASSERT(d.diagonals.count == outline->diagonals);
        outline->most = d.most;
        outline->squares = squares_of(rows, matrix->rows);
        outline->gain = hb_block_sums_gain(rows, matrix->rows);
    }
    hb_block_diagonals_clear(&d);
    return st;
}

/* --- rotations */

/* The diagonals of both matrices. The caller clears them whatever happens. */
static hb_status pair_diagonals(const hb_params_spec *spec, const hb_block_pair *pair, bool values,
                                hb_block_diagonals d[2], hb_linear_part parts[2])
{
    memset(d, 0, 2 * sizeof *d);
    for (uint32_t k = 0; k < 2; k++) {
        HB_TRY(hb_block_diagonals_init(&d[k], pair->matrix[k], &pair->outline[k], slots_of(spec), values));
        parts[k] = (hb_linear_part){&d[k].diagonals, pair->outline[k].baby};
    }
    return HB_OK;
}

static void clear_diagonals(hb_block_diagonals d[2])
{
    hb_block_diagonals_clear(&d[0]);
    hb_block_diagonals_clear(&d[1]);
}

/* Sets the counts of a pair by the baby steps of its parts. */
static hb_status count_pair(const hb_params_spec *spec, hb_block_pair *pair, const hb_linear_part parts[2],
                            hb_block_outline *both)
{
    hb_linear_shape all, own;
    HB_TRY(hb_linear_sum_shape_of(&all, slots_of(spec), parts, 2));
    for (uint32_t k = 0; k < 2; k++) {
        HB_TRY(hb_linear_shape_of(&own, slots_of(spec), parts[k].baby, parts[k].diagonals));
        pair->outline[k].baby = parts[k].baby;
        pair->outline[k].babies = own.babies;
        pair->outline[k].giants = k == 0 ? all.giants : 0;
        pair->outline[k].sums = k == 0 ? all.sums : 0;
    }
    *both = pair->outline[0];
    both->diagonals = all.diagonals;
    both->babies = all.babies;
    both->copies = pair->outline[0].copies + pair->outline[1].copies - 1;
    return HB_OK;
}

/* Chooses the baby steps of a pair, and lists its rotations. */
static hb_status plan_pair(const hb_params_spec *spec, hb_block_pair *pair, hb_block_outline *both, int64_t **steps,
                           uint32_t *count)
{
    hb_block_diagonals d[2];
    hb_linear_part parts[2];
    hb_status st;
    HB_ASSERT(pair->outline[0].parts == 1 && pair->outline[1].parts == 1);
    HB_GOTO(pair_diagonals(spec, pair, false, d, parts));
    HB_GOTO(hb_linear_sum_babies(parts, 2, slots_of(spec), baby_cost));
    HB_GOTO(count_pair(spec, pair, parts, both));
    *steps = calloc(2 * ((size_t)d[0].diagonals.count + d[1].diagonals.count) + 2, sizeof **steps);
    if (*steps == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the rotations of two matrices"));
    }
    HB_GOTO(hb_linear_sum_steps(count, *steps, slots_of(spec), parts, 2));
    for (uint32_t k = 0; k < 2; k++) {
        if (pair->outline[k].copies > 1) {
            (*steps)[(*count)++] = (int64_t)slots_of(spec) - pair->outline[k].span;
        }
    }
done:
    clear_diagonals(d);
    return st;
}

hb_status hb_ckks_matrix_steps(const hb_params_spec *spec, hb_block_pair *of, hb_block_outline *outline,
                               int64_t **steps, uint32_t *map_count, uint32_t *count)
{
    hb_block_diagonals d = {.numbers = NULL};
    hb_status st;
    *steps = NULL;
    if (of->matrix[1] != NULL) {
        HB_TRY(plan_pair(spec, of, outline, steps, count));
        *map_count = *count;
        return HB_OK;
    }
    HB_GOTO(hb_block_diagonals_init(&d, of->matrix[0], outline, slots_of(spec), false));
    *steps = calloc(2 * (size_t)d.diagonals.count + 1 + HB_GALOIS_MOST_STEPS, sizeof **steps);
    if (*steps == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the rotations of a matrix"));
    }
    HB_GOTO(hb_linear_steps(map_count, *steps, slots_of(spec), outline->baby, &d.diagonals));
    if (outline->copies > 1) {
        (*steps)[(*map_count)++] = (int64_t)slots_of(spec) - outline->span;
    }
    *count = *map_count + hb_galois_window_steps(outline->span, outline->parts, *steps + *map_count);
done:
    hb_block_diagonals_clear(&d);
    return st;
}

/* --- plaintexts */

static hb_linear_spec linear_spec(const hb_params *params, const hb_block_outline *outline, uint32_t limbs)
{
    return (hb_linear_spec){.limbs = limbs, .baby = outline->baby, .scale = hb_ckks_scale(params, limbs)};
}

/* Words of ciphertexts with the vector twice. */
static size_t copy_words(const hb_params *params, const hb_block_outline *outline, uint32_t limbs)
{
    return (outline->copies - 1) * hb_words_of(params, 2, params->ids, limbs);
}

hb_linear_memory hb_ckks_matrix_memory(const hb_params *params, const hb_block_outline *outline, uint32_t limbs)
{
    const hb_linear_spec spec = linear_spec(params, outline, limbs);
    const hb_linear_shape shape = {outline->diagonals, outline->babies, outline->giants, outline->sums, outline->block};
    hb_linear_memory memory = hb_linear_memory_of(params, &spec, shape);
    memory.words += copy_words(params, outline, limbs);
    return memory;
}

static hb_status open_linear(hb_engine *engine, const hb_params *params, const hb_block_map_wanted *wanted,
                             const hb_linear_spec *spec, matrix_map *map)
{
    hb_block_diagonals d[2] = {{.numbers = NULL}, {.numbers = NULL}};
    hb_linear_part parts[2];
    hb_status st;
    if (wanted->pair != NULL) {
        HB_GOTO(pair_diagonals(&params->spec, wanted->pair, true, d, parts));
        for (uint32_t k = 0; k < 2; k++) {
            map->copies[k] = wanted->pair->outline[k].copies;
            map->span[k] = wanted->pair->outline[k].span;
        }
        HB_GOTO(hb_linear_sum_open(engine, params, spec, parts, 2, &map->linear));
    } else {
        HB_GOTO(hb_block_diagonals_init(&d[0], wanted->matrix, wanted->outline, params->ring.n / 2, true));
        HB_GOTO(hb_linear_map_open(engine, params, spec, &d[0].diagonals, &map->linear));
    }
done:
    clear_diagonals(d);
    return st;
}

/* encoder: of the matrix's block. */
static hb_status open_one(hb_engine *engine, const hb_params *params, hb_block_map_wanted *wanted, hb_repeated *encoder)
{
    matrix_map *map = calloc(1, sizeof *map);
    if (map == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a matrix");
    }
    map->map = (hb_block_map){params, *wanted->outline};
    hb_linear_spec spec = linear_spec(params, wanted->outline, wanted->limbs);
    spec.encoder = encoder;
    const hb_status st = open_linear(engine, params, wanted, &spec, map);
    wanted->map = st == HB_OK ? &map->map : NULL;
    hb_ckks_matrix_close(st == HB_OK ? NULL : &map->map);
    return st;
}

static uint32_t block_of(const hb_block_map_wanted *wanted)
{
    return wanted->pair != NULL ? wanted->pair->matrix[0]->block : wanted->matrix->block;
}

/* Opens an encoder for matrices of a block among these, at any level. */
static hb_status open_encoder(hb_engine *engine, const hb_params *params, const hb_block_map_wanted *wanted,
                              uint32_t count, uint32_t block, hb_repeated **out)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t diagonals = wanted[i].outline->diagonals;
        most = block_of(&wanted[i]) == block && diagonals > most ? diagonals : most;
    }
    const size_t words = hb_repeated_words(params->ring.n, block);
    return hb_repeated_open(engine, params, hb_repeated_on(engine, NULL, most, params->key_limbs, params->ids, words),
                            out);
}

hb_status hb_ckks_matrices_open(hb_engine *engine, const hb_params *params, hb_block_map_wanted *wanted, uint32_t count)
{
    hb_repeated *encoder = NULL;
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = block_of(&wanted[i]);
        if (i == 0 || block != block_of(&wanted[i - 1])) {
            hb_repeated_close(encoder);
            encoder = NULL;
            HB_GOTO(open_encoder(engine, params, wanted + i, count - i, block, &encoder));
        }
        HB_GOTO(open_one(engine, params, &wanted[i], encoder));
    }
done:
    hb_repeated_close(encoder);
    for (uint32_t i = 0; st != HB_OK && i < count; i++) {
        hb_ckks_matrix_close(wanted[i].map);
        wanted[i].map = NULL;
    }
    return st;
}

void hb_ckks_matrix_use(hb_block_map *map, const hb_params *params)
{
    map->params = params;
    hb_linear_map_use(((matrix_map *)map)->linear, params);
}

void hb_ckks_matrix_close(hb_block_map *map)
{
    matrix_map *own = (matrix_map *)map;
    if (own != NULL) {
        hb_linear_map_close(own->linear);
        free(own);
    }
}

/* The rotations of the linear map come before or behind the others: the part that rotations first .. first + count of a
 * matrix are of it. A matrix without rotations has no parts. */
static hb_op_part rotations(const hb_block_outline *x, uint32_t first, uint32_t count)
{
    const uint32_t map = x->babies + x->giants, window = hb_bit_length(x->parts) - 1;
    const uint64_t all = (uint64_t)map + window + x->copies - 1;
    hb_op_part part = hb_op_part_of(first, count, all > 0 ? all : 1);
    part.name = "matrix";
    return part;
}

/* With the vector a second time behind itself. */
static hb_status apply_twice(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_block_map *map,
                             const hb_switch_keys *keys, hb_workspace work)
{
    const hb_linear_map *linear = ((const matrix_map *)map)->linear;
    const hb_rotation back = {hb_ckks_generator(&map->params->spec), -(int64_t)map->outline.span};
    const uint32_t limbs = a.all.limbs;
    const size_t each = hb_linear_map_words(linear) + copy_words(map->params, &map->outline, limbs);
    for (hb_chunk c = hb_chunks(hb_ciphertexts_count(a), work.words / each); hb_chunk_next(&c);) {
        hb_workspace left = work;
        const hb_batch all = hb_workspace_take(&left, ev, 2 * c.count, limbs, map->params->ids);
        const hb_ciphertexts twice = {.all = all, .size = 2, .form = a.form};
        for (uint32_t i = 0; i < 2; i++) {
            HB_TRY(hb_copy(ev->engine, hb_ciphertexts_component(twice, i), hb_component_slice(a, i, c.first, c.count)));
        }
        const hb_op_part outer =
            hb_op_part_enter(&ev->progress, hb_op_part_of(c.first, c.count, hb_ciphertexts_count(a)));
        const hb_op_part chunk = hb_op_part_enter(&ev->progress, rotations(&map->outline, 0, 1));
        HB_TRY(hb_sum_window(ev, twice, back, 2, keys));
        hb_op_part_next(&ev->progress, chunk, rotations(&map->outline, 1, map->outline.babies + map->outline.giants));
        HB_TRY(hb_linear_apply_at(ev, r, c.first, twice, linear, keys, left));
        hb_op_part_leave(&ev->progress, outer);
    }
    return HB_OK;
}

/* Takes memory for vectors of part k that are to stand in their blocks twice, and puts them there. */
static hb_status copy_twice(hb_evaluator *ev, hb_linear_operand *a, size_t count, const matrix_map *map, uint32_t k,
                            const hb_switch_keys *keys, hb_workspace *left)
{
    const hb_rotation back = {hb_ckks_generator(&map->map.params->spec), -(int64_t)map->span[k]};
    const hb_batch all = hb_workspace_take(left, ev, 2 * count, a->all.all.limbs, map->map.params->ids);
    const hb_ciphertexts twice = {.all = all, .size = 2, .form = a->all.form};
    for (uint32_t i = 0; i < 2; i++) {
        HB_TRY(hb_copy(ev->engine, hb_ciphertexts_component(twice, i), hb_component_slice(a->all, i, a->first, count)));
    }
    *a = (hb_linear_operand){twice, 0};
    return hb_sum_window(ev, twice, back, map->copies[k], keys);
}

static hb_status apply_pair(hb_evaluator *ev, hb_ciphertexts r, const hb_ciphertexts a[2], const hb_block_map *map,
                            const hb_switch_keys *keys, hb_workspace work)
{
    const matrix_map *own = (const matrix_map *)map;
    const size_t all = hb_ciphertexts_count(a[0]);
    const size_t each = hb_linear_map_words(own->linear) + copy_words(map->params, &map->outline, a[0].all.limbs);
    for (hb_chunk c = hb_chunks(all, work.words / each); hb_chunk_next(&c);) {
        hb_workspace left = work;
        hb_linear_operand of[2];
        const hb_op_part outer = hb_op_part_enter(&ev->progress, hb_op_part_of(c.first, c.count, all));
        for (uint32_t k = 0; k < 2; k++) {
            of[k] = (hb_linear_operand){a[k], c.first};
            if (own->copies[k] > 1) {
                HB_TRY(copy_twice(ev, &of[k], c.count, own, k, keys, &left));
            }
        }
        HB_TRY(hb_linear_sum_apply_at(ev, r, (hb_linear_place){c.first, c.count}, of, own->linear, keys, left));
        hb_op_part_leave(&ev->progress, outer);
    }
    return HB_OK;
}

hb_status hb_ckks_matrix_apply(hb_evaluator *ev, hb_ciphertexts r, const hb_ciphertexts *a, const hb_block_map *map,
                               const hb_switch_keys *keys, hb_workspace work)
{
    const uint32_t generator = hb_ckks_generator(&map->params->spec);
    if (((const matrix_map *)map)->copies[1] > 0) {
        return apply_pair(ev, r, a, map, keys, work);
    }
    if (map->outline.copies > 1) {
        return apply_twice(ev, r, a[0], map, keys, work);
    }
    const uint32_t first = map->outline.babies + map->outline.giants, window = hb_bit_length(map->outline.parts) - 1;
    const hb_op_part outer = hb_op_part_enter(&ev->progress, rotations(&map->outline, 0, first));
    HB_TRY(hb_linear_apply_in(ev, r, a[0], ((const matrix_map *)map)->linear, keys, work));
    hb_op_part_next(&ev->progress, outer, rotations(&map->outline, first, window));
    HB_TRY(hb_sum_window(ev, r, (hb_rotation){generator, map->outline.span}, map->outline.parts, keys));
    hb_op_part_leave(&ev->progress, outer);
    return HB_OK;
}

hb_quality hb_error_matrix(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                           uint32_t limbs, hb_error_factor a)
{
    const hb_linear_size size = {.diagonals = outline->diagonals,
                                 .giants = outline->giants,
                                 .most = log2(outline->most) + 0x1p-40,
                                 .mean = log2(outline->squares / matrix->block) / 2,
                                 .gain = &outline->gain,
                                 .whole = outline->parts == 1};
    a.error = hb_error_sum_window(params, limbs, a.error, outline->copies);
    const hb_quality parts = hb_error_linear(params, limbs, a, &size);
    return hb_error_sum_window(params, limbs - hb_params_level_limbs(params), parts, outline->parts);
}
