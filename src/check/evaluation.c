/* The evaluator on both engines: its operations in the order and the layout of a job, on any words. Whether products
 * decrypt to products is not asked here: keys are as random as ciphertexts. */
#include <stdlib.h>

#include "check_private.h"
#include "scheme/evaluator.h"

/* An evaluator on each side, with operands and a key of the same random words. */
typedef struct evaluations {
    hb_check_pair pair;
    const hb_params *params;
    uint32_t limbs;
    hb_evaluator *evaluator[HB_SIDES];
    hb_switch_key key[HB_SIDES];
    hb_ciphertexts a[HB_SIDES], product[HB_SIDES], r[HB_SIDES];
} evaluations;

/* r's first ciphertext serves all of a. */
static hb_status multiply(evaluations *x, int side)
{
    const hb_ciphertexts one = hb_ciphertexts_view(x->r[side], x->pair.engine[side], x->params, 2, 1, x->limbs);
    return hb_evaluator_multiply(x->evaluator[side], x->product[side], x->a[side], one);
}

static hb_status square(evaluations *x, int side)
{
    return hb_evaluator_multiply(x->evaluator[side], x->product[side], x->a[side], x->a[side]);
}

/* The words of the key are any: the same serve for all kinds. */
static const hb_switch_key *key_as(evaluations *x, int side, hb_key_source source, uint32_t element)
{
    x->key[side].source = source;
    x->key[side].element = element;
    return &x->key[side];
}

/* Nothing is done where keys cannot be switched; the result is compared all the same. */
static hb_status relinearize(evaluations *x, int side)
{
    if (!hb_params_can_switch(x->params)) {
        return HB_OK;
    }
    return hb_evaluator_relinearize(x->evaluator[side], x->r[side], x->product[side],
                                    key_as(x, side, HB_FROM_SQUARE, HB_RELINEARIZATION));
}

static hb_status rotate(evaluations *x, int side)
{
    if (!hb_params_can_switch(x->params)) {
        return HB_OK;
    }
    return hb_evaluator_galois(x->evaluator[side], x->r[side], x->a[side], key_as(x, side, HB_FROM_AUTOMORPHISM, 3));
}

/* In the form of ciphertexts, by a key that switches first. */
static hb_status rotate_last(evaluations *x, int side)
{
    return hb_evaluator_galois(x->evaluator[side], x->r[side], x->a[side], key_as(x, side, HB_TO_AUTOMORPHISM, 3));
}

static hb_status rotate_last_and_add(evaluations *x, int side)
{
    return hb_evaluator_galois_add(x->evaluator[side], x->r[side], x->r[side], key_as(x, side, HB_TO_AUTOMORPHISM, 5));
}

static hb_status change_key(evaluations *x, int side)
{
    if (!hb_params_can_switch(x->params)) {
        return HB_OK;
    }
    return hb_evaluator_change_key(x->evaluator[side], x->r[side], x->a[side], key_as(x, side, HB_FROM_SECRET, 0));
}

/* The same words, read as values at roots of unity. */
static hb_ciphertexts transformed(hb_ciphertexts a)
{
    a.form = HB_NTT_FORM;
    return a;
}

static hb_status relinearize_transformed(evaluations *x, int side)
{
    return hb_evaluator_relinearize(x->evaluator[side], transformed(x->r[side]), transformed(x->product[side]),
                                    key_as(x, side, HB_FROM_SQUARE, HB_RELINEARIZATION));
}

static hb_status rotate_transformed(evaluations *x, int side)
{
    return hb_evaluator_galois(x->evaluator[side], transformed(x->r[side]), transformed(x->a[side]),
                               key_as(x, side, HB_TO_AUTOMORPHISM, 3));
}

static hb_status change_key_transformed(evaluations *x, int side)
{
    return hb_evaluator_change_key(x->evaluator[side], transformed(x->r[side]), transformed(x->a[side]),
                                   key_as(x, side, HB_FROM_SECRET, 0));
}

/* By one key that counts as two. */
static hb_status rotate_and_add(evaluations *x, int side)
{
    const hb_switch_key *key = key_as(x, side, HB_TO_AUTOMORPHISM, 3), *both[] = {key, key};
    return hb_evaluator_galois_sum(x->evaluator[side], transformed(x->r[side]), both, 2);
}

/* Whether there is a level below. */
static bool goes_down(const evaluations *x)
{
    const uint32_t own = hb_params_level_limbs(x->params);
    return x->limbs > own && x->params->levels[x->limbs - own].basis.limbs != 0;
}

static hb_ciphertexts below(const evaluations *x, int side, hb_ciphertexts a)
{
    const uint32_t limbs = x->limbs - hb_params_level_limbs(x->params);
    return hb_ciphertexts_view(a, x->pair.engine[side], x->params, a.size, hb_ciphertexts_count(a), limbs);
}

static hb_status relinearize_rescale(evaluations *x, int side)
{
    if (!goes_down(x)) {
        return HB_OK;
    }
    return hb_evaluator_relinearize_rescale(x->evaluator[side], transformed(below(x, side, x->r[side])),
                                            transformed(x->product[side]),
                                            key_as(x, side, HB_FROM_SQUARE, HB_RELINEARIZATION));
}

static hb_status add_number(evaluations *x, int side)
{
    return hb_evaluator_add_number(x->evaluator[side], x->r[side], x->a[side], -3);
}

static hb_status multiply_number(evaluations *x, int side)
{
    return hb_evaluator_multiply_number(x->evaluator[side], x->r[side], x->a[side], 5);
}

static hb_status adjust(evaluations *x, int side)
{
    return goes_down(x) ? hb_evaluator_adjust(x->evaluator[side], below(x, side, x->r[side]), x->a[side]) : HB_OK;
}

/* Brings what was adjusted up again. */
static hb_status extend(evaluations *x, int side)
{
    return goes_down(x) ? hb_evaluator_extend(x->evaluator[side], x->a[side], below(x, side, x->r[side])) : HB_OK;
}

/* Goes to the level below where there is one, else adds; of three components. */
static hb_status drop_a_prime(evaluations *x, int side)
{
    if (!goes_down(x)) {
        return hb_evaluator_add(x->evaluator[side], x->product[side], x->product[side], x->a[side]);
    }
    return hb_evaluator_mod_switch(x->evaluator[side], below(x, side, x->product[side]), x->product[side]);
}

/* One step on both sides, and where in `evaluations` its result is. */
typedef struct step {
    const char *name;
    hb_status (*act)(evaluations *x, int side);
    size_t result; /* offsetof ciphertexts */
    bool centred;  /* only with digits that are centred */
} step;

static const step steps[] = {
    {"multiplication", multiply, offsetof(evaluations, product), false},
    {"relinearization", relinearize, offsetof(evaluations, r), false},
    {"squaring", square, offsetof(evaluations, product), false},
    {"rotation", rotate, offsetof(evaluations, r), false},
    {"change of keys", change_key, offsetof(evaluations, r), false},
    {"rotation behind the switch", rotate_last, offsetof(evaluations, r), true},
    {"sum with a rotation behind the switch", rotate_last_and_add, offsetof(evaluations, r), true},
    {"relinearization in NTT form", relinearize_transformed, offsetof(evaluations, r), true},
    {"rotation in NTT form", rotate_transformed, offsetof(evaluations, r), true},
    {"change of keys in NTT form", change_key_transformed, offsetof(evaluations, r), true},
    {"sum of rotations in NTT form", rotate_and_add, offsetof(evaluations, r), true},
    {"relinearization with rescaling", relinearize_rescale, offsetof(evaluations, r), true},
    {"sum with a number", add_number, offsetof(evaluations, r), false},
    {"product with a number", multiply_number, offsetof(evaluations, r), false},
    {"adjusting", adjust, offsetof(evaluations, r), false},
    {"extension", extend, offsetof(evaluations, a), false},
    {"modulus switching", drop_a_prime, offsetof(evaluations, product), false},
};

/* Fills a batch with the same random residues on both sides. */
static hb_status fill(evaluations *x, const hb_batch to[HB_SIDES], uint64_t *state)
{
    const size_t n = x->params->ring.n;
    for (size_t i = 0; i < to[0].count * to[0].limbs * n; i++) {
        x->pair.host[i] = hb_check_residue(x->params->ring.moduli[to[0].ids[i / n % to[0].limbs]].value, state);
    }
    for (int side = 0; side < HB_SIDES; side++) {
        HB_TRY(hb_upload(x->pair.engine[side], to[side].data, x->pair.host,
                         to[side].count * to[side].stride * sizeof(uint64_t)));
        HB_TRY(hb_finish(x->pair.engine[side]));
    }
    return HB_OK;
}

/* Opens the evaluator of a side, and allocates its operands. */
static hb_status open_side(evaluations *x, int side, size_t count)
{
    hb_engine *e = x->pair.engine[side];
    const hb_params *p = x->params;
    const hb_evaluator_requirements requirements = {
        .limbs = x->limbs, .count = count, .size = 2, .switching = hb_params_can_switch(p)};
    HB_TRY(hb_evaluator_open(e, p, &requirements, &x->evaluator[side]));
    x->key[side] = (hb_switch_key){.engine = e, .params = p, .gadget = &p->gadget, .limbs = x->limbs};
    HB_TRY(hb_batch_alloc(e, &x->key[side].parts, 2 * (size_t)x->limbs, p->key_limbs, p->ids));
    HB_TRY(hb_ciphertexts_alloc(&x->a[side], e, p, 2, count, x->limbs));
    HB_TRY(hb_ciphertexts_alloc(&x->r[side], e, p, 2, count, x->limbs));
    return hb_ciphertexts_alloc(&x->product[side], e, p, 3, count, x->limbs);
}

static hb_status fill_both(evaluations *x)
{
    uint64_t state = x->limbs;
    const hb_batch key[] = {x->key[0].parts, x->key[1].parts}, a[] = {x->a[0].all, x->a[1].all};
    const hb_batch r[] = {x->r[0].all, x->r[1].all}, product[] = {x->product[0].all, x->product[1].all};
    HB_TRY(fill(x, key, &state));
    HB_TRY(fill(x, a, &state));
    HB_TRY(fill(x, r, &state));
    return fill(x, product, &state);
}

/* Takes one step on both sides and compares all components. */
static hb_status take(evaluations *x, const step *one)
{
    hb_batch result[HB_SIDES];
    for (int side = 0; side < HB_SIDES; side++) {
        HB_TRY(hb_check_named(one->name, one->act(x, side)));
        result[side] = ((const hb_ciphertexts *)(const void *)((const char *)x + one->result))[side].all;
    }
    const hb_check_area area = hb_check_area_of(result, x->params->ring.n);
    return hb_check_compare(&x->pair, one->name, &area);
}

hb_status hb_engine_check_evaluation(hb_engine *engine, hb_engine *cpu, const hb_params *params, uint32_t limbs,
                                     size_t count)
{
    /* Host memory for the largest operand or result. */
    const size_t key = 2 * (size_t)limbs * params->key_limbs, product = 3 * count * limbs;
    evaluations x = {.pair = {.engine = {engine, cpu}}, .params = params, .limbs = limbs};
    hb_status st = HB_OK;
    x.pair.host = malloc((key > product ? key : product) * params->ring.n * sizeof *x.pair.host);
    if (x.pair.host == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory to check the engine with"));
    }
    for (int side = 0; side < HB_SIDES; side++) {
        HB_GOTO(hb_check_named("evaluator", open_side(&x, side, count)));
    }
    HB_GOTO(hb_check_named("upload", fill_both(&x)));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (!steps[i].centred || params->gadget.centred) {
            HB_GOTO(take(&x, &steps[i]));
        }
    }
done:
    for (int side = 0; side < HB_SIDES; side++) {
        hb_evaluator_close(x.evaluator[side]);
        hb_batch_free(x.pair.engine[side], &x.key[side].parts);
        hb_batch_free(x.pair.engine[side], &x.a[side].all);
        hb_batch_free(x.pair.engine[side], &x.r[side].all);
        hb_batch_free(x.pair.engine[side], &x.product[side].all);
    }
    free(x.pair.host);
    return st;
}
