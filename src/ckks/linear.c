#include "linear.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "linear_plan.h"
#include "repeated.h"
#include "ring/permutation.h"
#include "rlwe/rotation.h"

/* A rotation; of step 0 there is nothing. */
typedef struct rotation {
    int64_t step;
    uint32_t element;
    hb_permutation automorphism; /* of NTT form */
} rotation;

/* The map of one operand. */
typedef struct map_part {
    rotation *baby;  /* [babies of its plan] */
    uint32_t *which; /* [giants][babies]: the diagonal of both steps; HB_ROTATION_NONE: none */
    hb_batch plain;  /* [terms][switch limbs], NTT form, as hb_repeated_on has it */
} map_part;

struct hb_linear_map {
    hb_engine *engine;
    const hb_params *params;
    uint32_t limbs;
    const hb_gadget_level *level; /* of so many limbs */
    size_t count;                 /* ciphertexts at a time */
    uint32_t parts, giants;       /* maps that are added, and giant steps that all have */
    hb_linear_plan plan[HB_LINEAR_PARTS];
    map_part part[HB_LINEAR_PARTS];
    hb_linear_shape shape; /* of all */
    rotation *giant;       /* [giants] */
    uint64_t *work;
    size_t work_words;
};

/* Giant steps whose sums are switched at a time, at most: a GPU has more to do at once, and digits of so many are in
 * memory. */
enum { GIANTS_TOGETHER = 4 };

/* Returns the first giant step that is a rotation, of which there may be none. */
static uint32_t first_rotation(const hb_linear_map *map)
{
    return map->plan[0].giant[0] == 0 ? 1 : 0;
}

/* Returns how many of so many giant steps that are rotations are switched at a time. */
static uint32_t giants_together(uint32_t giants)
{
    return giants < 1 ? 1 : giants < GIANTS_TOGETHER ? giants : GIANTS_TOGETHER;
}

/* Words for one ciphertext: digits, the sums of all giant steps and of these, modulo the level's primes and the special
 * ones; coefficients and quotients modulo the level's. */
static size_t words_each(const hb_params *params, const hb_gadget_level *level, hb_linear_shape shape)
{
    const size_t together = giants_together(shape.giants), wide = level->digits * together + 2 * (size_t)shape.sums + 2;
    return hb_words_of(params, wide, level->switch_ids, level->switch_limbs) +
           hb_words_of(params, 2 * together, params->ids, level->limbs);
}

size_t hb_linear_map_words(const hb_linear_map *map)
{
    return words_each(map->params, map->level, map->shape);
}

/* Bytes of diagonals and rotations. */
static uint64_t constant_bytes(const hb_params *params, const hb_gadget_level *level, hb_linear_shape shape)
{
    const uint64_t rotations = (uint64_t)shape.babies + shape.giants;
    const size_t whole = hb_words_of(params, shape.diagonals, level->switch_ids, level->switch_limbs);
    const size_t plain = whole / params->ring.n * hb_repeated_words(params->ring.n, shape.period);
    return plain * sizeof(uint64_t) + rotations * 2 * params->ring.n * sizeof(uint32_t);
}

uint64_t hb_linear_map_bytes(const hb_linear_map *map)
{
    return map->work_words * sizeof(uint64_t) + constant_bytes(map->params, map->level, map->shape);
}

hb_linear_memory hb_linear_memory_of(const hb_params *params, const hb_linear_spec *spec, hb_linear_shape shape)
{
    const hb_gadget_level *level = &params->gadget.levels[spec->limbs];
    const size_t words = words_each(params, level, shape);
    return (hb_linear_memory){spec->count * words * sizeof(uint64_t) + constant_bytes(params, level, shape), words};
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

/* Finds the diagonal of every pair of steps. */
static hb_status make_table(map_part *own, const hb_linear_plan *plan)
{
    const size_t all = (size_t)plan->giants * plan->babies;
    own->which = calloc(all, sizeof *own->which);
    if (own->which == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the diagonals of a linear map");
    }
    for (size_t i = 0; i < all; i++) {
        own->which[i] = HB_ROTATION_NONE;
    }
    for (uint32_t i = 0; i < plan->terms; i++) {
        own->which[(size_t)plan->term[i].giant * plan->babies + plan->term[i].baby] = i;
    }
    return HB_OK;
}

/* --- diagonals as plaintexts */

/* The diagonals of a map as its plaintexts are made. */
typedef struct source {
    const hb_linear_plan *plan;
    const hb_diagonals *diagonals;
    size_t slots; /* that are encoded of each */
} source;

/* Puts diagonal i, rotated to the right by the giant step that comes behind it, where it is encoded. */
static void put(const void *context, size_t i, double *slots)
{
    const source *x = context;
    const hb_linear_plan *plan = x->plan;
    const size_t period = plan->period, half = x->slots;
    const size_t by = (size_t)plan->giant[plan->term[i].giant] % period;
    if (x->diagonals->make != NULL) {
        x->diagonals->make(x->diagonals->context, (uint32_t)i, by, slots, slots + half);
    }
    for (size_t part = 0; part < 2; part++) {
        double *to = slots + part * half;
        if (x->diagonals->make == NULL) {
            const double *from = x->diagonals->values + (2 * i + part) * period;
            memcpy(to, from + period - by, by * sizeof *to);
            memcpy(to + by, from, (period - by) * sizeof *to);
        }
        for (size_t j = period; j < half; j += period) {
            memcpy(to + j, to, period * sizeof *to);
        }
    }
}

static hb_status make_plain(hb_linear_map *map, uint32_t k, const hb_diagonals *diagonals, const hb_linear_spec *spec)
{
    const hb_gadget_level *level = map->level;
    const hb_linear_plan *plan = &map->plan[k];
    const size_t words = hb_repeated_words(map->params->ring.n, plan->period);
    hb_batch plain = hb_repeated_on(map->engine, NULL, plan->terms, level->switch_limbs, level->switch_ids, words);
    const source from = {plan, diagonals, plain.n / 2};
    hb_repeated *own = NULL;
    void *memory = NULL;
    size_t refused;
    HB_TRY(hb_alloc(map->engine, plain.count * plain.stride * sizeof *plain.data, &memory));
    plain.data = memory;
    map->part[k].plain = plain;
    if (spec->encoder == NULL) {
        HB_TRY(hb_repeated_open(map->engine, map->params, plain, &own));
    }
    const hb_status st =
        hb_repeated_encode(own != NULL ? own : spec->encoder, plain, spec->scale, put, &from, &refused);
    hb_repeated_close(own);
    HB_TRY(st);
    return refused == plain.count
               ? HB_OK
               : HB_FAIL(HB_EDATA, "diagonal %" PRId64 " of a linear map is too large for a scale of 2^%.1f",
                         diagonals->numbers[refused], hb_exact_scale_log2(spec->scale));
}

static hb_status open_part(hb_linear_map *map, uint32_t k, const hb_diagonals *diagonals, const hb_linear_spec *spec)
{
    HB_TRY(open_rotations(map, &map->part[k].baby, map->plan[k].baby, map->plan[k].babies));
    HB_TRY(make_table(&map->part[k], &map->plan[k]));
    return make_plain(map, k, diagonals, spec);
}

static hb_status plan_parts(hb_linear_map *map, const hb_linear_part *parts)
{
    const size_t slots = map->params->ring.n / 2;
    HB_TRY(hb_linear_plans_init(map->plan, slots, parts, map->parts));
    for (uint32_t k = 0; k < map->parts; k++) {
        HB_ASSERT(map->plan[k].period == map->plan[0].period);
    }
    map->giants = map->plan[0].giants;
    return hb_linear_sum_shape_of(&map->shape, slots, parts, map->parts);
}

hb_status hb_linear_sum_open(hb_engine *engine, const hb_params *params, const hb_linear_spec *spec,
                             const hb_linear_part *parts, uint32_t count, hb_linear_map **out)
{
    *out = NULL;
    HB_ASSERT(spec->limbs > hb_params_level_limbs(params) && spec->limbs <= params->data_limbs);
    HB_ASSERT(count >= 1 && count <= HB_LINEAR_PARTS);
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
    *map = (hb_linear_map){.engine = engine,
                           .params = params,
                           .limbs = spec->limbs,
                           .level = &params->gadget.levels[spec->limbs],
                           .count = spec->count,
                           .parts = count};
    void *work = NULL;
    hb_status st;
    HB_GOTO(plan_parts(map, parts));
    HB_GOTO(open_rotations(map, &map->giant, map->plan[0].giant, map->giants));
    for (uint32_t k = 0; k < count; k++) {
        HB_GOTO(open_part(map, k, parts[k].diagonals, spec));
    }
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

void hb_linear_map_use(hb_linear_map *map, const hb_params *params)
{
    map->params = params;
    map->level = &params->gadget.levels[map->limbs];
    for (uint32_t k = 0; k < map->parts; k++) {
        map->part[k].plain.ids = map->level->switch_ids;
    }
}

void hb_linear_map_close(hb_linear_map *map)
{
    if (map == NULL) {
        return;
    }
    close_rotations(map, map->giant, map->giants);
    for (uint32_t k = 0; k < map->parts; k++) {
        close_rotations(map, map->part[k].baby, map->plan[k].babies);
        free(map->part[k].which);
        hb_linear_plan_clear(&map->plan[k]);
        hb_batch_wipe(map->engine, map->part[k].plain); /* it may be of a private table */
        hb_batch_free(map->engine, &map->part[k].plain);
    }
    hb_free(map->engine, map->work);
    free(map);
}

/* --- application */

/* One batch of ciphertexts at work. Sums are ciphertexts of 2 components modulo the level's primes and the special
 * ones, times P. */
typedef struct application {
    hb_evaluator *ev;
    const hb_linear_map *map;
    const hb_switch_keys *keys;
    size_t count;
    uint64_t *digits;                 /* memory for those of `together` times count polynomials */
    hb_batch sums;                    /* [2 * giants * count]: component after component */
    hb_batch total;                   /* [2 * count] */
    hb_batch coefficients, quotients; /* [together * count] */
} application;

static application begin(hb_evaluator *ev, const hb_linear_map *map, const hb_switch_keys *keys, hb_workspace workspace,
                         size_t count)
{
    const hb_gadget_level *level = map->level;
    const uint32_t limbs = level->switch_limbs;
    const uint16_t *ids = level->switch_ids;
    const size_t together = count * giants_together(map->shape.giants);
    application x = {.ev = ev, .map = map, .keys = keys, .count = count};
    x.digits = hb_workspace_take(&workspace, ev, together * level->digits, limbs, ids).data;
    x.sums = hb_workspace_take(&workspace, ev, 2 * count * map->giants, limbs, ids);
    x.total = hb_workspace_take(&workspace, ev, 2 * count, limbs, ids);
    x.coefficients = hb_workspace_take(&workspace, ev, together, level->limbs, map->params->ids);
    x.quotients = hb_workspace_take(&workspace, ev, together, level->limbs, map->params->ids);
    return x;
}

/* Makes digits of polynomials, whose own limbs stay in `a`. */
static hb_status make_digits(const application *x, hb_digits *digits, hb_batch a)
{
    hb_engine *e = x->ev->engine;
    *digits = hb_digits_on(e, &x->map->params->gadget, x->map->level->limbs, x->digits, a.count);
    digits->own = a;
    return hb_digits_make(e, *digits, a, hb_batch_slice(x->coefficients, 0, a.count), HB_NTT_FORM);
}

/* Component k of the sums of giant steps first .. first + giants. */
static hb_batch sums_of(const application *x, uint32_t k, uint32_t first, uint32_t giants)
{
    return hb_batch_slice(x->sums, ((size_t)k * x->map->giants + first) * x->count, giants * x->count);
}

/* Makes the product of digits with the key of a rotation, and the rotation, a term of a sum. */
static hb_status add_rotation(const application *x, hb_rotation_term *term, hb_digits digits, const rotation *by)
{
    const hb_switch_key *key = hb_rotation_key(x->ev, x->keys, by->element, x->map->level->limbs);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key to rotate by %" PRId64, by->step);
    }
    HB_ASSERT(key->gadget == &x->map->params->gadget && key->parts.data != NULL);
    term->by = &by->automorphism;
    term->digits = digits.all;
    term->own = digits.own;
    term->key = key->parts;
    return HB_OK;
}

/* Tells that so many rotations are done. */
static void rotated(const application *x, uint32_t done)
{
    hb_op_step_done(&x->ev->progress, "matrix", done,
                    x->map->plan[0].babies + x->map->plan[1].babies + x->map->shape.giants);
}

/* Adds to the sums of all giant steps the operands of a part times P, rotated by its baby steps, times their diagonals;
 * the first part sets them. done: rotations before. */
static hb_status add_babies(const application *x, uint32_t k, const hb_batch c[2], uint32_t done)
{
    const hb_linear_map *map = x->map;
    const map_part *own = &map->part[k];
    const uint32_t babies = map->plan[k].babies;
    uint64_t factors[HB_MAX_LIMBS];
    hb_rotation_term terms[HB_ROTATION_TERMS];
    hb_limb_range ranges[HB_MAX_LIMBS];
    hb_digits digits;
    hb_gadget_factors(&map->params->gadget, &map->params->ring, c[0].ids, c[0].limbs, factors);
    hb_gadget_own_limbs(map->level, ranges);
    HB_TRY(make_digits(x, &digits, c[1]));
    for (hb_chunk at = hb_chunks(babies, HB_ROTATION_TERMS); hb_chunk_next(&at);) {
        const hb_rotation_sum sum = {.terms = terms,
                                     .count = (uint32_t)at.count,
                                     .ranges = ranges,
                                     .factors = factors,
                                     .plain = own->plain,
                                     .which = own->which + at.first,
                                     .row = babies,
                                     .add = k > 0 || at.first > 0};
        for (size_t i = 0; i < at.count; i++) {
            const rotation *by = &own->baby[at.first + i];
            terms[i] = (hb_rotation_term){.plus[0] = c[0]};
            if (by->step != 0) {
                HB_TRY(add_rotation(x, &terms[i], digits, by));
            } else {
                terms[i].plus[1] = c[1];
            }
        }
        HB_TRY(hb_rotation_sums(x->ev->engine, x->sums, map->giants, &sum));
        rotated(x, done + (uint32_t)(at.first + at.count));
    }
    return HB_OK;
}

/* Adds the sums of giant steps first .. to the total, rotated: phi(c_0 + d_0, d_1), d of c_1 / P. */
static hb_status add_rotated(const application *x, uint32_t first, uint32_t giants)
{
    hb_engine *e = x->ev->engine;
    const hb_linear_map *map = x->map;
    const hb_batch quotients = hb_batch_slice(x->quotients, 0, giants * x->count);
    const size_t each = x->count * map->level->digits;
    hb_rotation_term terms[GIANTS_TOGETHER + 1];
    hb_limb_range ranges[HB_MAX_LIMBS];
    hb_digits digits;
    HB_TRY(hb_mod_down_apply(e, quotients, (hb_batch){.data = NULL}, sums_of(x, 1, first, giants), quotients,
                             &map->level->down, HB_NTT_FORM));
    HB_TRY(make_digits(x, &digits, quotients));
    for (uint32_t g = 0; g < giants; g++) {
        terms[g] = (hb_rotation_term){.plus[0] = sums_of(x, 0, first + g, 1)};
        hb_digits some = digits;
        some.all = hb_batch_slice(digits.all, g * each, each);
        some.own = hb_batch_slice(digits.own, g * x->count, x->count);
        HB_TRY(add_rotation(x, &terms[g], some, &map->giant[first + g]));
    }
    hb_gadget_own_limbs(map->level, ranges);
    hb_rotation_sum sum = {.terms = terms, .count = giants, .ranges = ranges, .add = first > first_rotation(map)};
    /* The sum of giant step 0 joins the first ones. */
    if (!sum.add && first > 0) {
        terms[sum.count++] = (hb_rotation_term){.plus = {sums_of(x, 0, 0, 1), sums_of(x, 1, 0, 1)}};
    }
    return hb_rotation_sums(e, x->total, 1, &sum);
}

/* To ciphertexts of a from number `first` on, and of r as many behind number `at`. */
static hb_status apply(const application *x, hb_ciphertexts r, size_t at, const hb_linear_operand *a, size_t first)
{
    const uint32_t start = first_rotation(x->map), giants = x->map->shape.giants;
    uint32_t done = 0;
    for (uint32_t k = 0; k < x->map->parts; k++) {
        const hb_batch both[2] = {hb_component_slice(a[k].all, 0, a[k].first + first, x->count),
                                  hb_component_slice(a[k].all, 1, a[k].first + first, x->count)};
        HB_TRY(add_babies(x, k, both, done));
        done += x->map->plan[k].babies;
    }
    for (hb_chunk c = hb_chunks(giants, giants_together(giants)); hb_chunk_next(&c);) {
        HB_TRY(add_rotated(x, start + (uint32_t)c.first, (uint32_t)c.count));
        rotated(x, done + (uint32_t)(c.first + c.count));
    }
    /* Without a rotation the only sum is the total. */
    return hb_evaluator_divide_total(x->ev, r, at + first, giants > 0 ? x->total : x->sums,
                                     &x->map->level->down_rescale);
}

hb_status hb_linear_sum_apply_at(hb_evaluator *ev, hb_ciphertexts r, hb_linear_place at, const hb_linear_operand *a,
                                 const hb_linear_map *map, const hb_switch_keys *keys, hb_workspace work)
{
    const size_t fit = work.words / hb_linear_map_words(map);
    HB_ASSERT(r.size == 2 && hb_ciphertexts_count(r) >= at.first + at.count && fit >= 1);
    HB_ASSERT(r.all.limbs == map->level->down_rescale.limbs);
    for (uint32_t k = 0; k < map->parts; k++) {
        const hb_ciphertexts *all = &a[k].all;
        HB_ASSERT(all->size == 2 && all->form == HB_NTT_FORM && all->all.limbs == map->level->limbs);
        HB_ASSERT(hb_ciphertexts_count(*all) >= a[k].first + at.count);
    }
    for (hb_chunk c = hb_chunks(at.count, fit); hb_chunk_next(&c);) {
        const application x = begin(ev, map, keys, work, c.count);
        const hb_op_part outer = hb_op_part_enter(&ev->progress, hb_op_part_of(c.first, c.count, at.count));
        HB_TRY(apply(&x, r, at.first, a, c.first));
        hb_op_part_leave(&ev->progress, outer);
    }
    return HB_OK;
}

hb_status hb_linear_apply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_linear_map *map,
                          const hb_switch_keys *keys)
{
    return hb_linear_apply_in(ev, r, a, map, keys, (hb_workspace){map->work, map->work_words});
}
