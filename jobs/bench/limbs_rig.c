/* Engines, exchange, keys and queues for one way to divide ciphertexts; one queue's operands, and the operations on
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "divided/engine.h"
#include "limbs_private.h"
#include "scheme/params.h"
#include "scheme/slots.h"

bool hb_limbs_possible(const hb_params *params, hb_limb_operation operation)
{
    const uint32_t fewer = params->fresh_limbs - hb_params_level_limbs(params);
    switch (operation) {
    case HB_LIMB_MULTIPLY:
        return hb_params_has_products(params);
    case HB_LIMB_CONVERT: /* to the basis of products, which only some schemes have */
        return hb_params_has_products(params) && params->auxiliary_limbs > 0;
    case HB_LIMB_RELINEARIZE:
    case HB_LIMB_ROTATE:
        return hb_params_can_switch(params);
    case HB_LIMB_PRODUCT:
        return hb_params_has_products(params) && hb_params_can_switch(params);
    case HB_LIMB_MOD_SWITCH:
        return fewer > 0 && params->levels[fewer].basis.limbs == fewer;
    case HB_LIMB_ADD:
    case HB_LIMB_ENCRYPT_SECRET:
    case HB_LIMB_ENCRYPT_PUBLIC:
    case HB_LIMB_DECRYPT:
    case HB_LIMB_OPERATIONS:
        break;
    }
    return true;
}

hb_limb_case hb_limbs_case(const hb_params *params, const hb_limbs_results_k *results)
{
    return (hb_limb_case){
        .params = params, .dealt = results->dealt, .conversions = HB_DIVIDE_BY_COST, .cost = results->cost};
}

static hb_evaluator_requirements requirements_of(const hb_params *params, size_t count)
{
    return (hb_evaluator_requirements){.limbs = params->fresh_limbs,
                                       .count = count,
                                       .size = hb_params_has_products(params) ? 2 : 0,
                                       .switching = hb_params_can_switch(params)};
}

/* Returns the bytes that worker_open allocates. */
static uint64_t worker_bytes(const hb_params *params, const hb_limbs_shape *shape)
{
    const uint64_t word = sizeof(uint64_t), limb = params->ring.n * word, count = shape->count;
    const uint64_t data = limb * hb_params_most_limbs(params, params->ids, params->fresh_limbs);
    const uint64_t key = limb * hb_params_most_limbs(params, params->ids, params->key_limbs);
    const uint64_t auxiliary = limb * hb_params_most_limbs(params, params->auxiliary_ids, params->auxiliary_limbs);
    /* The operands that conversions need, which are always there. */
    uint64_t bytes = count * (2 * data + 2 * auxiliary);
    if (shape->keys) {
        const hb_evaluator_requirements requirements = requirements_of(params, count);
        /* b, wide, narrow, low, the phase and the decryptor's; u and a product of encryption; t and gamma. */
        bytes += hb_evaluator_bytes(params, &requirements) + data + count * (11 * data + 2 * key + 3 * limb);
    }
    return bytes;
}

/* Returns the bytes of the keys and of the fixture that makes them, of one ciphertext: c0, c1, phase, the workspaces of
 * encryption and decryption, five batches of one limb and the encoder's table. */
static uint64_t key_bytes(const hb_params *params)
{
    const uint64_t limb = params->ring.n * sizeof(uint64_t);
    const uint64_t data = limb * hb_params_most_limbs(params, params->ids, params->fresh_limbs);
    const uint64_t key = limb * hb_params_most_limbs(params, params->ids, params->key_limbs);
    return 5 * data + 3 * key + 6 * limb +
           (hb_params_can_switch(params)
                ? 2 * hb_switch_key_prepared_bytes(params) + hb_switch_key_preparing_bytes(params)
                : 0);
}

uint64_t hb_limbs_bytes(const hb_bench_limbs_options *options, const hb_limbs_shape *shape)
{
    const hb_params *p = options->params;
    const uint64_t each = hb_device_queue_bytes(options->device, p) + worker_bytes(p, shape);
    return hb_device_table_bytes(options->device, p) + (shape->keys ? key_bytes(p) : 0) + shape->queues * each;
}

/* Returns a view of as many ciphertexts as the rig's count. Where fewer than allocated are viewed, words of other
 * ciphertexts are taken, which are canonical residues all the same. */
static hb_ciphertexts first(const hb_limbs_rig *rig, hb_ciphertexts a)
{
    return hb_ciphertexts_view(a, rig->engine, rig->options->params, a.size, rig->count, a.all.limbs);
}

static hb_status convert(const hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    return hb_base_convert(worker->queue, hb_batch_slice(worker->auxiliary, 0, 2 * rig->count),
                           first(rig, worker->a).all, &rig->behz.lift);
}

static hb_status encrypt(const hb_limbs_rig *rig, hb_limbs_worker *worker, hb_encryptor *encryptor, hb_ciphertexts to,
                         uint64_t number)
{
    return hb_encrypt(encryptor, hb_ciphertexts_component(to, 0), hb_ciphertexts_component(to, 1), worker->seeds,
                      hb_batch_slice(worker->plain, 0, rig->count), &rig->fixture.root, number);
}

/* Decrypts. Component 1 becomes its product with s: some other polynomial, as good for the next call; so is the
 * plaintext. */
static hb_status decrypt(const hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    const hb_ciphertexts c = first(rig, worker->narrow);
    const hb_batch phase = hb_batch_slice(worker->phase, 0, rig->count);
    HB_TRY(hb_phase(worker->decryptor, phase, hb_ciphertexts_component(c, 0), hb_ciphertexts_component(c, 1)));
    return hb_decrypt(worker->decryptor, hb_batch_slice(worker->plain, 0, rig->count), phase);
}

static hb_status multiply(const hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    return hb_evaluator_multiply(worker->evaluator, first(rig, worker->wide), first(rig, worker->a),
                                 first(rig, worker->b));
}

static hb_status relinearize(const hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    return hb_evaluator_relinearize(worker->evaluator, first(rig, worker->narrow), first(rig, worker->wide),
                                    hb_switch_keys_find(&rig->switch_keys, HB_RELINEARIZATION));
}

hb_status hb_limbs_issue(const hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    const hb_ciphertexts a = first(rig, worker->a);
    switch (rig->operation) {
    case HB_LIMB_ADD:
        return hb_evaluator_add(worker->evaluator, first(rig, worker->narrow), a, first(rig, worker->b));
    case HB_LIMB_ENCRYPT_SECRET:
        return encrypt(rig, worker, worker->with_secret, first(rig, worker->narrow), 0);
    case HB_LIMB_ENCRYPT_PUBLIC:
        return encrypt(rig, worker, worker->with_public, first(rig, worker->narrow), 0);
    case HB_LIMB_DECRYPT:
        return decrypt(rig, worker);
    case HB_LIMB_MULTIPLY:
        return multiply(rig, worker);
    case HB_LIMB_RELINEARIZE:
        return relinearize(rig, worker);
    case HB_LIMB_PRODUCT:
        /* In the same workspace as in a job, one after the other. */
        HB_TRY(multiply(rig, worker));
        return relinearize(rig, worker);
    case HB_LIMB_ROTATE:
        return hb_evaluator_rotate(worker->evaluator, first(rig, worker->narrow), a, 1, &rig->switch_keys);
    case HB_LIMB_MOD_SWITCH:
        return hb_evaluator_mod_switch(worker->evaluator, first(rig, worker->low), a);
    case HB_LIMB_CONVERT:
    case HB_LIMB_OPERATIONS:
        break;
    }
    return convert(rig, worker);
}

/* Makes the operands of operations with keys, and ciphertexts. */
static hb_status open_operands(hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    const hb_params *p = rig->options->params;
    const size_t count = rig->shape.count;
    HB_TRY(hb_plaintexts_alloc(&worker->plain, worker->queue, p, p->fresh_limbs, count));
    HB_TRY(hb_batch_alloc(worker->queue, &worker->phase, count, p->fresh_limbs, p->ids));
    HB_TRY(hb_ciphertexts_alloc(&worker->b, worker->queue, p, 2, count, p->fresh_limbs));
    HB_TRY(hb_ciphertexts_alloc(&worker->wide, worker->queue, p, 3, count, p->fresh_limbs));
    HB_TRY(hb_ciphertexts_alloc(&worker->narrow, worker->queue, p, 2, count, p->fresh_limbs));
    if (hb_limbs_possible(p, HB_LIMB_MOD_SWITCH)) {
        const uint32_t below = p->fresh_limbs - hb_params_level_limbs(p);
        HB_TRY(hb_ciphertexts_alloc(&worker->low, worker->queue, p, 2, count, below));
    }
    HB_TRY(hb_encryptor_open(worker->queue, &rig->fixture.secret, NULL, HB_GAUSSIAN, count, &worker->with_secret));
    HB_TRY(hb_encryptor_open(worker->queue, NULL, &rig->fixture.public_key, HB_GAUSSIAN, count, &worker->with_public));
    HB_TRY(hb_decryptor_open(worker->queue, &rig->fixture.secret, p->fresh_limbs, count, &worker->decryptor));
    const hb_evaluator_requirements requirements = requirements_of(p, count);
    HB_TRY(hb_evaluator_open(worker->queue, p, &requirements, &worker->evaluator));
    /* Any plaintexts: the time of operations does not depend on them. */
    HB_TRY(hb_sample_uniform(worker->queue, worker->plain, worker->seeds));
    HB_TRY(encrypt(rig, worker, worker->with_public, worker->a, 0));
    HB_TRY(encrypt(rig, worker, worker->with_public, worker->b, count));
    HB_TRY(encrypt(rig, worker, worker->with_public, worker->narrow, 2 * (uint64_t)count));
    return requirements.size > 0 ? multiply(rig, worker) : HB_OK;
}

/* Allocates the operands of one queue, and puts ciphertexts into them. */
static hb_status worker_open(hb_limbs_rig *rig, hb_limbs_worker *worker)
{
    const hb_params *p = rig->options->params;
    const size_t count = rig->shape.count;
    rig->count = count;
    worker->seeds = calloc(2 * count, sizeof *worker->seeds);
    if (worker->seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the seeds of %zu ciphertexts", count);
    }
    /* Twice as many as ciphertexts: sampling a whole ciphertext takes one for each polynomial. */
    hb_seed_public(worker->seeds, 2 * count, &rig->fixture.root, 0);
    HB_TRY(hb_ciphertexts_alloc(&worker->a, worker->queue, p, 2, count, p->fresh_limbs));
    if (p->auxiliary_limbs > 0) {
        HB_TRY(hb_batch_alloc(worker->queue, &worker->auxiliary, 2 * count, rig->behz.limbs, rig->behz.ids));
    }
    if (rig->shape.keys) {
        HB_TRY(open_operands(rig, worker));
    } else {
        HB_TRY(hb_sample_uniform(worker->queue, worker->a.all, worker->seeds));
    }
    return hb_finish(worker->queue);
}

/* A worker without a queue has nothing else either. */
static void worker_clear(hb_limbs_worker *worker)
{
    if (worker->queue == NULL) {
        return;
    }
    hb_evaluator_close(worker->evaluator);
    hb_decryptor_close(worker->decryptor);
    hb_encryptor_close(worker->with_public);
    hb_encryptor_close(worker->with_secret);
    /* Batches that were never allocated are zeros. */
    hb_batch *const batches[] = {&worker->a.all,   &worker->b.all, &worker->wide.all, &worker->narrow.all,
                                 &worker->low.all, &worker->plain, &worker->phase,    &worker->auxiliary};
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        hb_batch_free(worker->queue, batches[i]);
    }
    free(worker->seeds);
}

/* Opens the exchange of the shape, behind a recorder; its costs are as measured, or as given where nothing is
 * exchanged. */
static hb_status open_recorder(hb_limbs_rig *rig, hb_engine *device, hb_exchange_cost *cost)
{
    const hb_limbs_shape *s = &rig->shape;
    hb_exchange *inner = NULL;
    if (s->exchange) {
        hb_device own = *rig->options->device; /* a copy: its memory limit is the same on all ranks already */
        hb_error why_not;
        HB_TRY(hb_limb_exchange_open(rig->grid, &own, device, &rig->options->limbs, &inner, &why_not));
        *cost = inner->cost;
    } else {
        HB_TRY(hb_exchange_open_alone(s->member, s->k, &inner));
        inner->cost = *cost;
    }
    snprintf(rig->exchange, sizeof rig->exchange, "%s", inner->ops->name);
    return hb_recorder_open(inner, &rig->recorder);
}

/* Opens the device's engine, and one of divided limbs on it for k > 1. */
static hb_status open_engine(hb_limbs_rig *rig, hb_exchange_cost *cost)
{
    hb_params *p = rig->options->params;
    hb_engine *device = NULL;
    hb_status st = hb_device_open_ring(rig->options->device, &p->ring, &device);
    /* All ranks open it, or none goes on. */
    if (rig->shape.exchange) {
        st = hb_agree(rig->grid->all, st);
    }
    HB_GOTO(st);
    if (rig->shape.k == 1) {
        rig->engine = device;
        return HB_OK;
    }
    HB_GOTO(open_recorder(rig, device, cost));
    /* Costs are the same on all ranks, and so is what follows from them. */
    HB_GOTO(hb_limb_divide(p, rig->shape.k, &rig->options->speed, cost));
    /* Takes the device's engine over, also on failure. */
    return hb_divided_engine_open(device, &p->map, hb_recorder_exchange(rig->recorder), rig->shape.division,
                                  rig->options->device->memory, &rig->engine);
done:
    hb_engine_close(device);
    return st;
}

/* Makes a switching key, from the fixed root. */
static hb_status add_key(hb_limbs_rig *rig, uint32_t element)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    hb_status st;
    hb_switch_key_root(&root, &rig->fixture.root, &rig->fixture.params->spec, element);
    hb_seed_public(seeds, rig->options->params->data_limbs, &root, 0);
    HB_GOTO(hb_switch_key_generate(&key, &rig->fixture.secret, element, &root, seeds));
    st = hb_switch_keys_add(&rig->switch_keys, &key);
done:
    hb_switch_key_clear(&key);
    return st;
}

/* Makes keys without an owner: a fixed root makes all members draw the same. */
static hb_status make_keys(hb_limbs_rig *rig)
{
    const hb_params *p = rig->options->params;
    const hb_seed root = {{1}};
    HB_TRY(hb_fixture_init(&rig->fixture, rig->engine, p, &root, 1));
    if (!hb_params_can_switch(p)) {
        return HB_OK;
    }
    HB_TRY(add_key(rig, HB_RELINEARIZATION));
    return add_key(rig, hb_slots_rotation(&p->spec, 1));
}

/* Forks the engine and makes operands on every queue. */
static hb_status open_queues(hb_limbs_rig *rig)
{
    const hb_params *p = rig->options->params;
    if (p->auxiliary_limbs > 0) {
        HB_TRY(hb_behz_init(&rig->behz, p, p->fresh_limbs));
    }
    rig->worker[0].queue = rig->engine;
    for (uint32_t i = 1; i < rig->shape.queues; i++) {
        /* All queues first, as workers keep what they allocate on them. */
        HB_TRY(hb_engine_fork(rig->engine, &rig->worker[i].queue));
    }
    for (uint32_t i = 0; i < rig->shape.queues; i++) {
        HB_TRY(worker_open(rig, &rig->worker[i]));
    }
    return HB_OK;
}

hb_status hb_limbs_rig_open(hb_limbs_rig *rig, hb_grid *grid, const hb_bench_limbs_options *options,
                            const hb_limbs_shape *shape, hb_exchange_cost *cost)
{
    rig->options = options;
    rig->shape = *shape;
    rig->grid = grid;
    HB_TRY(hb_params_divide(options->params, shape->k));
    HB_TRY(open_engine(rig, cost));
    if (rig->recorder != NULL && hb_recorder_exchange(rig->recorder)->one_thread) {
        /* The library underneath is used from one thread, so one queue computes. */
        rig->shape.queues = 1;
    }
    if (shape->keys) {
        HB_TRY(make_keys(rig));
    }
    return open_queues(rig);
}

void hb_limbs_rig_clear(hb_limbs_rig *rig)
{
    /* Forks close before the engine that they were forked from. */
    for (uint32_t i = HB_MOST_WORKERS; i-- > 0;) {
        worker_clear(&rig->worker[i]);
        if (i > 0) {
            hb_engine_close(rig->worker[i].queue);
        }
    }
    hb_behz_clear(&rig->behz);
    hb_switch_keys_clear(&rig->switch_keys);
    hb_fixture_clear(&rig->fixture);
    hb_engine_close(rig->engine);
    if (rig->recorder != NULL) {
        /* After the engine, which may still wait in it. */
        hb_exchange_close(hb_recorder_exchange(rig->recorder));
    }
    memset(rig, 0, sizeof *rig);
}
