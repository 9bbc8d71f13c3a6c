#include "linear.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "codec.h"
#include "linear_plan.h"
#include "ring/permutation.h"
#include "ring/real_arith.h"
#include "rlwe/rotation.h"

/* A rotation; of step 0 there is nothing. */
typedef struct rotation {
    int64_t step;
    uint32_t element;
    hb_permutation automorphism; /* of NTT form */
} rotation;

struct hb_linear_map {
    hb_engine *engine;
    const hb_params *params;
    const hb_gadget_level *level;
    size_t count; /* ciphertexts at a time */
    hb_linear_plan plan;
    rotation *baby, *giant; /* [plan.babies], [plan.giants] */
    hb_batch plain;         /* [plan.terms][switch limbs], NTT form */
    uint64_t *work;
    size_t work_words;
};

/* Words of what one ciphertext takes, of a plan with so many giant steps: digits, products, a rotation and the sums of all giant steps modulo the level's
 * primes and the special ones; P c_0, coefficients and quotients modulo the level's. */
static size_t words_each(const hb_params *params, const hb_gadget_level *level, uint32_t giants)
{
    const size_t wide = (size_t)level->digits + 4 + 2 * (size_t)giants;
    return hb_words_of(params, wide, level->switch_ids, level->switch_limbs) +
           hb_words_of(params, 3, params->ids, level->limbs);
}

size_t hb_linear_map_words(const hb_linear_map *map)
{
    return words_each(map->params, map->level, map->plan.giants);
}

static uint64_t rotations_of(const int64_t *steps, uint32_t count)
{
    uint64_t rotations = 0;
    for (uint32_t i = 0; i < count; i++) {
        rotations += steps[i] != 0;
    }
    return rotations;
}

/* Bytes of diagonals and rotations. */
static uint64_t constant_bytes(const hb_params *params, const hb_gadget_level *level, const hb_linear_plan *plan)
{
    const uint64_t rotations = rotations_of(plan->baby, plan->babies) + rotations_of(plan->giant, plan->giants);
    const size_t plain = hb_words_of(params, plan->terms, level->switch_ids, level->switch_limbs);
    return plain * sizeof(uint64_t) + rotations * 2 * params->ring.n * sizeof(uint32_t);
}

uint64_t hb_linear_map_bytes(const hb_linear_map *map)
{
    return map->work_words * sizeof(uint64_t) + constant_bytes(map->params, map->level, &map->plan);
}

hb_status hb_linear_memory_of(hb_linear_memory *memory, const hb_params *params, const hb_linear_spec *spec,
                              const hb_diagonals *diagonals)
{
    const hb_gadget_level *level = &params->gadget.levels[spec->limbs];
    hb_linear_plan plan;
    const hb_status st = hb_linear_plan_init(&plan, params->ring.n / 2, spec->baby, diagonals);
    if (st == HB_OK) {
        memory->words = words_each(params, level, plan.giants);
        memory->bytes = spec->count * memory->words * sizeof(uint64_t) + constant_bytes(params, level, &plan);
    }
    hb_linear_plan_clear(&plan);
    return st;
}

/* Makes the rotations of a list of steps. */
static hb_status open_rotations(const hb_linear_map *map, rotation **out, const int64_t *steps, uint32_t count)
{
    rotation *list = calloc(count, sizeof *list);
    *out = list;
    if (list == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the rotations of a linear map");
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i].step = steps[i];
        if (steps[i] != 0) {
            list[i].element = hb_galois_rotation(map->params->ring.n, hb_ckks_generator(&map->params->spec), steps[i]);
            HB_TRY(hb_permutation_init_galois(&list[i].automorphism, map->engine, list[i].element));
        }
    }
    return HB_OK;
}

static void close_rotations(const hb_linear_map *map, rotation *list, uint32_t count)
{
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        hb_permutation_clear(&list[i].automorphism, map->engine);
    }
    free(list);
}

/* --- diagonals as plaintexts */

/* What encoding takes. */
typedef struct encoder {
    hb_codec *codec;
    uint64_t *values; /* host, [N] */
    hb_batch slots;   /* [1], doubles */
    hb_exact_scale scale;
} encoder;

static void encoder_clear(encoder *x, hb_engine *e)
{
    hb_ckks_codec_close(x->codec);
    hb_batch_free(e, &x->slots);
    free(x->values);
}

static hb_status encoder_init(encoder *x, hb_engine *e, const hb_params *params, hb_exact_scale scale)
{
    x->scale = scale;
    x->values = calloc(params->ring.n, sizeof *x->values);
    if (x->values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a diagonal");
    }
    HB_TRY(hb_ckks_codec_open(e, params, HB_ENCODE_SLOTS, &x->codec));
    return hb_batch_alloc(e, &x->slots, 1, 1, &params->common_id);
}

/* Encodes diagonal i, rotated to the right by the giant step that comes behind it. Waits. */
static hb_status encode(const hb_linear_map *map, const encoder *x, const hb_diagonals *diagonals, uint32_t i)
{
    const size_t n = map->params->ring.n / 2, by = (size_t)map->plan.giant[map->plan.term[i].giant];
    const double *from = diagonals->values + 2 * n * i;
    hb_refusal refusal;
    for (size_t part = 0; part < 2; part++) {
        for (size_t j = 0; j < n; j++) {
            x->values[part * n + (j + by) % n] = hb_real_word(from[part * n + j]);
        }
    }
    HB_TRY(hb_upload(map->engine, x->slots.data, x->values, 2 * n * sizeof *x->values));
    HB_TRY(hb_ckks_encode_at(x->codec, hb_batch_slice(map->plain, i, 1), x->slots, x->scale));
    /* Also waits: the values are the next diagonal's. */
    HB_TRY(hb_ckks_codec_refused(x->codec, &refusal));
    return refusal.any ? HB_FAIL(HB_EDATA, "diagonal %" PRId64 " of a linear map is too large for a scale of 2^%.1f",
                                 diagonals->numbers[i], hb_exact_scale_log2(x->scale))
                       : HB_OK;
}

static hb_status encode_all(const hb_linear_map *map, const hb_diagonals *diagonals, hb_exact_scale scale)
{
    encoder x = {.codec = NULL};
    hb_status st;
    HB_GOTO(encoder_init(&x, map->engine, map->params, scale));
    for (uint32_t i = 0; i < map->plan.terms; i++) {
        HB_GOTO(encode(map, &x, diagonals, i));
    }
done:
    encoder_clear(&x, map->engine);
    return st;
}

hb_status hb_linear_map_open(hb_engine *engine, const hb_params *params, const hb_linear_spec *spec,
                             const hb_diagonals *diagonals, hb_linear_map **out)
{
    *out = NULL;
    HB_ASSERT(spec->limbs > hb_params_level_limbs(params) && spec->limbs <= params->data_limbs);
    HB_TRY(hb_params_require_switching(params));
    if (!hb_spec_switches_first(&params->spec)) {
        return HB_FAIL(HB_ECONFIG,
                       "parameters %s are like Microsoft SEAL's, and those have no linear maps of diagonals",
                       params->name);
    }
    hb_linear_map *map = calloc(1, sizeof *map);
    if (map == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear map");
    }
    *map = (hb_linear_map){
        .engine = engine, .params = params, .level = &params->gadget.levels[spec->limbs], .count = spec->count};
    void *work = NULL;
    hb_status st;
    HB_GOTO(hb_linear_plan_init(&map->plan, params->ring.n / 2, spec->baby, diagonals));
    HB_GOTO(open_rotations(map, &map->baby, map->plan.baby, map->plan.babies));
    HB_GOTO(open_rotations(map, &map->giant, map->plan.giant, map->plan.giants));
    HB_GOTO(hb_batch_alloc(engine, &map->plain, map->plan.terms, map->level->switch_limbs, map->level->switch_ids));
    HB_GOTO(encode_all(map, diagonals, spec->scale));
    map->work_words = map->count * hb_linear_map_words(map);
    if (map->count > 0) {
        HB_GOTO(hb_alloc(engine, map->work_words * sizeof *map->work, &work));
        map->work = work;
    }
    *out = map;
    return HB_OK;
done:
    hb_linear_map_close(map);
    return st;
}

void hb_linear_map_close(hb_linear_map *map)
{
    if (map == NULL) {
        return;
    }
    close_rotations(map, map->baby, map->plan.babies);
    close_rotations(map, map->giant, map->plan.giants);
    hb_linear_plan_clear(&map->plan);
    hb_batch_free(map->engine, &map->plain);
    hb_free(map->engine, map->work);
    free(map);
}

/* --- application */

/* One batch of ciphertexts at work. Sums of giant steps, products and rotations are ciphertexts of 2 components modulo
 * the level's primes and the special ones, times P. */
typedef struct application {
    hb_evaluator *ev;
    const hb_linear_map *map;
    const hb_switch_keys *keys;
    size_t count;
    hb_digits digits;
    hb_batch products, rotated;
    hb_batch sums; /* [giants][2 * count] */
    hb_batch multiple, coefficients, quotients;
} application;

static application begin(hb_evaluator *ev, const hb_linear_map *map, const hb_switch_keys *keys, hb_workspace workspace,
                         size_t count)
{
    const hb_gadget_level *level = map->level;
    const uint32_t limbs = level->switch_limbs;
    const uint16_t *ids = level->switch_ids;
    application x = {.ev = ev, .map = map, .keys = keys, .count = count};
    const hb_batch digits = hb_workspace_take(&workspace, ev, count * level->digits, limbs, ids);
    x.digits = hb_digits_on(ev->engine, &map->params->gadget, level->limbs, digits.data, count);
    x.products = hb_workspace_take(&workspace, ev, 2 * count, limbs, ids);
    x.rotated = hb_workspace_take(&workspace, ev, 2 * count, limbs, ids);
    x.sums = hb_workspace_take(&workspace, ev, 2 * count * map->plan.giants, limbs, ids);
    x.multiple = hb_workspace_take(&workspace, ev, count, level->limbs, map->params->ids);
    x.coefficients = hb_workspace_take(&workspace, ev, count, level->limbs, map->params->ids);
    x.quotients = hb_workspace_take(&workspace, ev, count, level->limbs, map->params->ids);
    return x;
}

static hb_batch sum_of(const application *x, uint32_t giant)
{
    return hb_batch_slice(x->sums, 2 * x->count * giant, 2 * x->count);
}

/* The limbs of the level of component 0 of the products. */
static hb_batch level_of_products(const application *x)
{
    return hb_batch_limbs(x->ev->engine, hb_batch_slice(x->products, 0, x->count), 0, x->map->level->limbs);
}

/* Multiplies the digits by the key of a rotation. */
static hb_status multiply_key(const application *x, const rotation *by)
{
    const hb_switch_key *key = hb_rotation_key(x->ev, x->keys, by->element, x->map->level->limbs);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key to rotate by %" PRId64, by->step);
    }
    return hb_switch_key_multiply(x->ev->engine, x->products, x->digits, key);
}

/* Sets `rotated` to P times the ciphertexts: 0 modulo the special primes. */
static hb_status take_all(const application *x, const hb_batch c[2], const uint64_t *factors)
{
    hb_engine *e = x->ev->engine;
    const uint32_t limbs = x->map->level->limbs, special = x->map->level->switch_limbs - limbs;
    for (size_t i = 0; i < 2; i++) {
        const hb_batch to = hb_batch_slice(x->rotated, i * x->count, x->count);
        HB_TRY(hb_scale(e, hb_batch_limbs(e, to, 0, limbs), c[i], factors));
    }
    return hb_clear(e, hb_batch_limbs(e, x->rotated, limbs, special));
}

/* Sets `rotated` to P times the ciphertexts, rotated by a baby step. */
static hb_status take_rotated(const application *x, const rotation *by)
{
    hb_engine *e = x->ev->engine;
    const hb_batch level = level_of_products(x);
    HB_TRY(multiply_key(x, by));
    HB_TRY(hb_add(e, level, level, x->multiple));
    return hb_permute(e, x->rotated, x->products, by->automorphism.map);
}

/* Adds what is rotated by baby step b, times its diagonals, to the sums of their giant steps. */
static hb_status add_terms(const application *x, uint32_t b)
{
    hb_engine *e = x->ev->engine;
    for (uint32_t i = 0; i < x->map->plan.terms; i++) {
        const hb_linear_term term = x->map->plan.term[i];
        if (term.baby != b) {
            continue;
        }
        const hb_batch sum = sum_of(x, term.giant), plain = hb_batch_slice(x->map->plain, i, 1);
        HB_TRY(hb_mul(e, term.first ? sum : x->products, x->rotated, plain));
        HB_TRY(term.first ? HB_OK : hb_add(e, sum, sum, x->products));
    }
    return HB_OK;
}

static hb_status add_babies(const application *x, const hb_batch c[2])
{
    uint64_t factors[HB_MAX_LIMBS];
    hb_gadget_factors(&x->map->params->gadget, &x->map->params->ring, c[0].ids, c[0].limbs, factors);
    HB_TRY(hb_digits_make(x->ev->engine, x->digits, c[1], x->coefficients, HB_NTT_FORM));
    HB_TRY(hb_scale(x->ev->engine, x->multiple, c[0], factors));
    for (uint32_t b = 0; b < x->map->plan.babies; b++) {
        const rotation *by = &x->map->baby[b];
        HB_TRY(by->step == 0 ? take_all(x, c, factors) : take_rotated(x, by));
        HB_TRY(add_terms(x, b));
    }
    return HB_OK;
}

/* Rotates the sum of a giant step: r = phi(c_0 + d_0, d_1), d of c_1 / P. r may be the sum. */
static hb_status rotate_sum(const application *x, hb_batch r, uint32_t giant)
{
    hb_engine *e = x->ev->engine;
    const rotation *by = &x->map->giant[giant];
    const hb_batch sum = sum_of(x, giant), c0 = hb_batch_slice(sum, 0, x->count),
                   c1 = hb_batch_slice(sum, x->count, x->count), d0 = hb_batch_slice(x->products, 0, x->count);
    HB_TRY(hb_mod_down_apply(e, x->quotients, (hb_batch){.data = NULL}, c1, x->quotients, &x->map->level->down,
                             HB_NTT_FORM));
    HB_TRY(hb_digits_make(e, x->digits, x->quotients, x->coefficients, HB_NTT_FORM));
    HB_TRY(multiply_key(x, by));
    HB_TRY(hb_add(e, d0, d0, c0));
    return hb_permute(e, r, x->products, by->automorphism.map);
}

/* Adds the sums of all giant steps, rotated; *total is where that stands. */
static hb_status add_giants(const application *x, hb_batch *total)
{
    const hb_linear_plan *plan = &x->map->plan;
    *total = sum_of(x, 0);
    for (uint32_t g = 0; g < plan->giants; g++) {
        const bool first = g == 0;
        if (plan->giant[g] != 0) {
            HB_TRY(rotate_sum(x, first ? *total : x->rotated, g));
        }
        if (!first) {
            HB_TRY(hb_add(x->ev->engine, *total, *total, plan->giant[g] != 0 ? x->rotated : sum_of(x, g)));
        }
    }
    return HB_OK;
}

static hb_status apply(const application *x, hb_ciphertexts r, hb_ciphertexts a, size_t first)
{
    const hb_batch c[2] = {hb_component_slice(a, 0, first, x->count), hb_component_slice(a, 1, first, x->count)};
    hb_batch total;
    HB_TRY(add_babies(x, c));
    HB_TRY(add_giants(x, &total));
    for (uint32_t i = 0; i < 2; i++) {
        const hb_batch to = hb_component_slice(r, i, first, x->count);
        HB_TRY(hb_mod_down_apply(x->ev->engine, to, (hb_batch){.data = NULL},
                                 hb_batch_slice(total, i * x->count, x->count), to, &x->map->level->down_rescale,
                                 HB_NTT_FORM));
    }
    return HB_OK;
}

hb_status hb_linear_apply_in(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_linear_map *map,
                             const hb_switch_keys *keys, hb_workspace work)
{
    const size_t count = hb_ciphertexts_count(a), fit = work.words / hb_linear_map_words(map);
    HB_ASSERT(a.size == 2 && r.size == 2 && a.form == HB_NTT_FORM && hb_ciphertexts_count(r) == count && fit >= 1);
    HB_ASSERT(a.all.limbs == map->level->limbs && r.all.limbs == map->level->down_rescale.limbs);
    for (hb_chunk c = hb_chunks(count, fit); hb_chunk_next(&c);) {
        const application x = begin(ev, map, keys, work, c.count);
        HB_TRY(apply(&x, r, a, c.first));
    }
    return HB_OK;
}

hb_status hb_linear_apply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_linear_map *map,
                          const hb_switch_keys *keys)
{
    return hb_linear_apply_in(ev, r, a, map, keys, (hb_workspace){map->work, map->work_words});
}
