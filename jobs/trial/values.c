#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "joint/combine.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* --- the plan */

/* A plan that is being made. */
typedef struct planning {
    hb_trial_plan *plan;
    const hb_params *params;
    const hb_joint_session *session;
    uint32_t keys; /* so far */
} planning;

/* The proven bound of a result; in BFV values do not matter. Noise that is planned by it hides secrets also from who
 * knows all seeds of inputs: all that is left of s_i c_1 then are terms of this bound (src/README.md, "Joint keys"). */
static double worst_of(const planning *x, const hb_trial_step *step)
{
    const hb_params *params = x->params;
    const uint32_t fresh = hb_params_fresh_limbs(params);
    const hb_quality one = hb_quality_fresh(params, true, HB_BINOMIAL);
    hb_quality_factor sum = {.quality = hb_quality_sum(params, one, x->session->owners), .size = 2};
    if (step->limbs < fresh) {
        sum.quality = hb_quality_adjust(params, fresh, sum, step->limbs);
    }
    switch (step->sort) {
    case HB_TRIAL_SUM:
        break;
    case HB_TRIAL_PRODUCT:
        sum.quality = hb_quality_square(params, step->limbs, sum);
        return hb_quality_switch(params, step->limbs, sum.quality, HB_SWITCH_RELIN).worst;
    case HB_TRIAL_ROTATION:
        return hb_quality_switch(params, step->limbs, sum.quality, HB_SWITCH_GALOIS).worst;
    }
    return sum.quality.worst;
}

static void name_step(hb_trial_step *step)
{
    switch (step->sort) {
    case HB_TRIAL_SUM:
        snprintf(step->name, sizeof step->name, "the sum of the inputs for set %" PRIu32, step->set + 1);
        break;
    case HB_TRIAL_PRODUCT:
        snprintf(step->name, sizeof step->name, "the product on %" PRIu32 " primes", step->limbs);
        break;
    case HB_TRIAL_ROTATION:
        snprintf(step->name, sizeof step->name, "the rotation by element %" PRIu32 " on %" PRIu32 " primes",
                 step->element, step->limbs);
        break;
    }
}

static hb_status add(planning *x, hb_trial_step step)
{
    hb_trial_plan *plan = x->plan;
    const hb_joint_session *session = x->session;
    name_step(&step);
    const hb_status st = hb_part_plan_make(x->params, step.limbs, worst_of(x, &step), session->threshold,
                                           session->results, 0, &step.plan);
    if (st == HB_EDATA) {
        hb_name_list_add(&plan->left_out, step.name);
        return HB_OK;
    }
    HB_TRY(st);
    plan->step[plan->shape.result_count] = step;
    plan->result[plan->shape.result_count++] = (hb_trial_result){.limbs = step.limbs, .set = step.set};
    return HB_OK;
}

/* The keys of a round, as hb_joint_combine makes them. */
static hb_status add_keys(planning *x, const hb_joint_session *made)
{
    if (made->relin_limbs != 0) {
        HB_TRY(add(x, (hb_trial_step){.sort = HB_TRIAL_PRODUCT, .limbs = made->relin_limbs, .key = x->keys++}));
    }
    for (uint32_t i = 0; i < made->rotation_count; i++) {
        const hb_joint_rotation rotation = made->rotations[i];
        HB_TRY(add(
            x, (hb_trial_step){
                   .sort = HB_TRIAL_ROTATION, .limbs = rotation.limbs, .key = x->keys++, .element = rotation.element}));
    }
    return HB_OK;
}

/* next: the keys of a round that is still to begin; NULL: none. */
static hb_status make_plan(hb_trial_plan *plan, const hb_params *params, const hb_joint_session *session,
                           const hb_joint_rounds *rounds, const hb_joint_session *next)
{
    planning x = {.plan = plan, .params = params, .session = session};
    const uint32_t sets = hb_trial_sets(session), limbs = hb_params_fresh_limbs(params);
    size_t most = sets + (size_t)session->rotation_count + 1;
    for (uint32_t i = 0; i < rounds->count; i++) {
        most += (size_t)rounds->file[i].round.session.rotation_count + 1;
    }
    most += next != NULL ? (size_t)next->rotation_count + 1 : 0;
    *plan = (hb_trial_plan){.shape = {.sets = sets, .limbs = limbs},
                            .result = calloc(most, sizeof *plan->result),
                            .step = calloc(most, sizeof *plan->step)};
    if (plan->result == NULL || plan->step == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the plan of a trial");
    }
    for (uint32_t i = 0; i < sets; i++) {
        HB_TRY(add(&x, (hb_trial_step){.sort = HB_TRIAL_SUM, .limbs = limbs, .set = i}));
    }
    HB_TRY(add_keys(&x, session));
    for (uint32_t i = 0; i < rounds->count; i++) {
        HB_TRY(add_keys(&x, &rounds->file[i].round.session));
    }
    if (next != NULL) {
        HB_TRY(add_keys(&x, next));
    }
    plan->shape.result = plan->result;
    return HB_OK;
}

static void plan_clear(hb_trial_plan *plan)
{
    free(plan->result);
    free(plan->step);
    memset(plan, 0, sizeof *plan);
}

hb_status hb_trial_count(const hb_params *params, const hb_joint_session *session, const hb_joint_rounds *rounds,
                         const hb_joint_session *next, uint32_t *most)
{
    hb_trial_plan plan;
    const hb_status st = make_plan(&plan, params, session, rounds, next);
    *most = 0;
    for (uint32_t i = 0; st == HB_OK && i < session->owners; i++) {
        const uint32_t takes = hb_trial_takes(&plan, session, i);
        *most = takes > *most ? takes : *most;
    }
    plan_clear(&plan);
    return st;
}

/* --- memory */

hb_status hb_trial_values_open(hb_trial_values *x, const hb_seat *seat, const hb_joint_rounds *rounds,
                               const hb_public_key *key)
{
    hb_engine *engine = seat->engine;
    const hb_params *params = seat->params;
    *x = (hb_trial_values){.params = params, .engine = engine};
    HB_TRY(make_plan(&x->plan, params, &seat->file->session, rounds, NULL));
    if (x->plan.shape.result_count == 0) {
        return HB_FAIL(HB_EDATA, "a trial of %" PRIu32 " inputs has no room in the noise budget",
                       seat->file->session.owners);
    }
    const uint32_t limbs = x->plan.shape.limbs, sets = x->plan.shape.sets;
    x->sum = calloc(sets, sizeof *x->sum);
    x->plain_sum = calloc(sets, sizeof *x->plain_sum);
    x->value = calloc(x->plan.shape.result_count, sizeof *x->value);
    if (x->sum == NULL || x->plain_sum == NULL || x->value == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a trial");
    }
    HB_TRY(hb_encryptor_open(engine, NULL, key, HB_BINOMIAL, 1, &x->encryptor));
    HB_TRY(hb_ciphertexts_alloc(&x->one, engine, params, 2, 1, limbs));
    HB_TRY(hb_plaintexts_alloc(&x->plain, engine, params, limbs, 1));
    for (uint32_t i = 0; i < sets; i++) {
        HB_TRY(hb_ciphertexts_alloc(&x->sum[i], engine, params, 2, 1, limbs));
        HB_TRY(hb_plaintexts_alloc(&x->plain_sum[i], engine, params, limbs, 1));
    }
    return HB_OK;
}

/* Results and sums are opened by all owners; an input's values are secret until then. */
void hb_trial_values_close(hb_trial_values *x)
{
    if (x->engine == NULL) {
        return;
    }
    hb_batch_wipe(x->engine, x->plain);
    hb_batch_free(x->engine, &x->plain);
    hb_batch_free(x->engine, &x->one.all);
    for (uint32_t i = 0; x->sum != NULL && x->plain_sum != NULL && i < x->plan.shape.sets; i++) {
        hb_batch_free(x->engine, &x->sum[i].all);
        hb_batch_free(x->engine, &x->plain_sum[i]);
    }
    for (uint32_t i = 0; x->value != NULL && i < x->plan.shape.result_count; i++) {
        hb_batch_free(x->engine, &x->value[i].all);
    }
    free(x->sum);
    free(x->plain_sum);
    free(x->value);
    hb_encryptor_close(x->encryptor);
    plan_clear(&x->plan);
    memset(x, 0, sizeof *x);
}

/* --- inputs */

hb_status hb_trial_encrypt(hb_trial_values *x, const hb_seed *seed, uint32_t set)
{
    char label[32]; /* 7 characters and a number of at most 10 */
    hb_seed values, root;
    snprintf(label, sizeof label, "values %" PRIu32, set);
    hb_seed_derive(&values, seed, label);
    hb_seed_derive(&root, seed, "encryption");
    hb_status st = hb_sample_uniform(x->engine, x->plain, &values);
    if (st == HB_OK) {
        st = hb_encrypt(x->encryptor, hb_ciphertexts_component(x->one, 0), hb_ciphertexts_component(x->one, 1), NULL,
                        x->plain, &root, set);
    }
    hb_wipe(&values, sizeof values);
    hb_wipe(&root, sizeof root);
    return st;
}

/* --- results */

/* The result of a step by its key, of the sum for its set, every input in which is an honest encryption. */
static hb_status compute(hb_trial_values *x, const hb_trial_step *step, const hb_switch_key *key, hb_ciphertexts r)
{
    const bool product = step->sort == HB_TRIAL_PRODUCT;
    const hb_evaluator_requirements requirements = {
        .limbs = x->plan.shape.limbs, .count = 1, .size = product ? 2 : 0, .switching = true};
    hb_evaluator *ev = NULL;
    hb_ciphertexts a = {0}, wide = {0};
    hb_status st;
    HB_GOTO(hb_evaluator_open(x->engine, x->params, &requirements, &ev));
    HB_GOTO(hb_ciphertexts_alloc(&a, x->engine, x->params, 2, 1, step->limbs));
    HB_GOTO(hb_evaluator_adjust(ev, a, x->sum[step->set]));
    if (product) {
        HB_GOTO(hb_ciphertexts_alloc(&wide, x->engine, x->params, 3, 1, step->limbs));
        HB_GOTO(hb_evaluator_multiply(ev, wide, a, a));
        HB_GOTO(hb_evaluator_relinearize(ev, r, wide, key));
    } else {
        HB_GOTO(hb_evaluator_galois(ev, r, a, key));
    }
    st = hb_finish(x->engine);
done:
    hb_batch_free(x->engine, &wide.all);
    hb_batch_free(x->engine, &a.all);
    hb_evaluator_close(ev);
    return st;
}

hb_status hb_trial_take_key(void *values, const hb_switch_key *key)
{
    hb_trial_values *x = values;
    const uint32_t number = x->keys++;
    for (uint32_t i = 0; i < x->plan.shape.result_count; i++) {
        const hb_trial_step *step = &x->plan.step[i];
        if (step->sort != HB_TRIAL_SUM && step->key == number) {
            HB_ASSERT(step->limbs == key->limbs && step->element == key->element);
            HB_TRY(hb_ciphertexts_alloc(&x->value[i], x->engine, x->params, 2, 1, step->limbs));
            HB_TRY(compute(x, step, key, x->value[i]));
        }
    }
    return HB_OK;
}

/* --- the same in the clear: polynomials modulo X^n + 1 and t, as plaintexts are */

static void rotate(uint64_t *r, const uint64_t *a, size_t n, uint64_t t, uint32_t element)
{
    for (size_t i = 0; i < n; i++) {
        const size_t to = i * element % (2 * n);
        r[to % n] = to < n || a[i] == 0 ? a[i] : t - a[i];
    }
}

/* By the definition, so that no transform is trusted; products of up to 120 bits are added up, and reduced where the
 * next might not fit. */
static void square(uint64_t *r, const uint64_t *a, size_t n, uint64_t t)
{
    const bool small = t <= (uint64_t)1 << 54; /* n is 2^17 at most */
    for (size_t k = 0; k < n; k++) {
        hb_u128 plus = 0, minus = 0;
        for (size_t i = 0; i <= k; i++) {
            plus += (hb_u128)a[i] * a[k - i];
            plus = small ? plus : plus % t;
        }
        for (size_t i = k + 1; i < n; i++) {
            minus += (hb_u128)a[i] * a[n + k - i];
            minus = small ? minus : minus % t;
        }
        const uint64_t more = (uint64_t)(plus % t), less = (uint64_t)(minus % t);
        r[k] = more >= less ? more - less : more + (t - less);
    }
}

static void expect(uint64_t *r, const uint64_t *sum, const hb_trial_step *step, const hb_params_spec *spec)
{
    switch (step->sort) {
    case HB_TRIAL_SUM:
        memcpy(r, sum, spec->n * sizeof *r);
        break;
    case HB_TRIAL_PRODUCT:
        square(r, sum, spec->n, spec->bfv.plain);
        break;
    case HB_TRIAL_ROTATION:
        rotate(r, sum, spec->n, spec->bfv.plain, step->element);
        break;
    }
}

/* words: [3][n]: of the result, of the sum of values, and what is expected. */
static hb_status compare_words(hb_trial_values *x, const hb_trial_step *step, uint64_t *words)
{
    const hb_params_spec *spec = &x->params->spec;
    const size_t n = spec->n;
    HB_TRY(hb_download(x->engine, words, x->plain.data, n * sizeof *words));
    HB_TRY(hb_download(x->engine, words + n, x->plain_sum[step->set].data, n * sizeof *words));
    HB_TRY(hb_finish(x->engine));
    expect(words + 2 * n, words + n, step, spec);
    return memcmp(words, words + 2 * n, n * sizeof *words) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "the trial fails: %s is not that of the values that owners opened", step->name);
}

hb_status hb_trial_compare(hb_trial_values *x, uint32_t result, double *noise)
{
    const hb_trial_step *step = &x->plan.step[result];
    const hb_params *params = x->params;
    const hb_batch phase = hb_ciphertexts_component(x->value[result], 0);
    uint64_t *words = NULL;
    hb_decryptor *combiner = NULL;
    uint32_t budget;
    hb_status st;
    HB_GOTO(hb_combiner_open(x->engine, params, step->limbs, 1, &combiner));
    st = hb_combiner_decrypt(combiner, x->plain, phase, &step->plan, 0, &budget);
    if (st == HB_EDATA) {
        st = HB_FAIL(HB_EDATA,
                     "the trial fails: the noise of %s is above the 2^%.0f that are proven: begin a new session",
                     step->name, step->plan.worst);
    }
    HB_GOTO(st);
    *noise = hb_quality_bits(params, step->limbs, 0) - budget;
    words = malloc(3 * params->spec.n * sizeof *words);
    HB_GOTO(words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to compare values"));
    st = compare_words(x, step, words);
done:
    free(words);
    hb_decryptor_close(combiner);
    return st;
}
