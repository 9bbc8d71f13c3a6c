/* Operations of BFV's evaluator at the level of fresh ciphertexts: a batch a call, and one ciphertext that is waited
 * for. */
#include "bench_private.h"
#include "bfv/behz.h"
#include "check/fixture.h"
#include "scheme/slots.h"

enum { HOISTED = 8 }; /* rotations of one operand */

typedef struct evaluation {
    hb_engine *engine; /* its own */
    hb_fixture fixture;
    hb_ciphertexts low;              /* one limb fewer */
    hb_ciphertexts rotated[HOISTED]; /* what the hoisted rotations give */
    hb_behz behz;                    /* for the floors */
    size_t count;                    /* ciphertexts of the calls that are measured now */
} evaluation;

/* The first `count` ciphertexts' worth of memory: not those ciphertexts, but canonical residues. */
static hb_ciphertexts first(const evaluation *x, hb_ciphertexts a)
{
    return hb_ciphertexts_view(a, x->fixture.engine, x->fixture.params, a.size, x->count, a.all.limbs);
}

static hb_status add(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_add(s->evaluator, first(x, s->narrow), first(x, s->a), first(x, s->b));
}

static hb_status add_plain(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_add_plain(s->evaluator, first(x, s->narrow), hb_batch_slice(s->plain, 0, x->count), HB_PLUS);
}

static hb_status multiply_plain(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_multiply_plain(s->evaluator, first(x, s->narrow), first(x, s->a),
                                       hb_batch_slice(s->plain, 0, x->count));
}

static hb_status multiply(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_multiply(s->evaluator, first(x, s->wide), first(x, s->a), first(x, s->b));
}

static hb_status square(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_multiply(s->evaluator, first(x, s->wide), first(x, s->a), first(x, s->a));
}

static hb_status relinearize(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_relinearize(s->evaluator, first(x, s->narrow), first(x, s->wide),
                                    hb_switch_keys_find(&s->keys, HB_RELINEARIZATION));
}

static hb_status multiply_relinearize(void *argument)
{
    HB_TRY(multiply(argument));
    return relinearize(argument);
}

static hb_status rotate(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_rotate(s->evaluator, first(x, s->narrow), first(x, s->a), 1, &s->keys);
}

static hb_status rotate_hoisted(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    hb_ciphertexts r[HOISTED];
    const hb_switch_key *keys[HOISTED];
    for (uint32_t i = 0; i < HOISTED; i++) {
        r[i] = first(x, x->rotated[i]);
        keys[i] = hb_switch_keys_find(&s->keys, hb_slots_rotation(&s->params->spec, (int64_t)1 << i));
    }
    return hb_evaluator_galois_hoisted(s->evaluator, r, first(x, s->a), keys, HOISTED);
}

static hb_status mod_switch(void *argument)
{
    evaluation *x = argument;
    return hb_evaluator_mod_switch(x->fixture.evaluator, first(x, x->low), first(x, x->fixture.a));
}

static hb_status sum_slots(void *argument)
{
    evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_sum_slots(s->evaluator, first(x, s->narrow), &s->keys);
}

/* What one ciphertext of a batch of `count` costs. */
typedef struct costs {
    const hb_params *params;
    const hb_device *device;
    const hb_behz *behz;
    size_t count;
} costs;

/* Words of one limb that come and go. */
static hb_rates moved(const costs *c, size_t limbs)
{
    hb_rates cost = {0};
    hb_cost_words(&cost, limbs * c->params->spec.n);
    return cost;
}

/* Beside that, transforms of that many polynomials of the level's limbs, and of the auxiliary base where `both`. */
static hb_rates transformed(const costs *c, size_t limbs, uint32_t polynomials, bool both)
{
    const hb_params *p = c->params;
    hb_rates cost = moved(c, limbs);
    for (uint32_t i = 0; i < polynomials; i++) {
        hb_cost_transform(&cost, c->device, &p->ring, p->ids, p->data_limbs);
        hb_cost_transform(&cost, c->device, &p->ring, c->behz->ids, both ? c->behz->limbs : 0);
    }
    return cost;
}

/* Adds key switches to a cost. */
static hb_rates switched(const costs *c, hb_rates cost, uint32_t times, uint32_t digits)
{
    hb_cost_switch(&cost, c->device, c->params, times, digits, c->count);
    return cost;
}

static hb_rates shared(hb_rates cost, double by)
{
    for (int i = 0; i < HB_CEILINGS; i++) {
        cost.of[i] /= by;
    }
    return cost;
}

/* alone: one ciphertext. */
static hb_status measure(hb_bench *bench, evaluation *x, size_t count, bool alone)
{
    const hb_params *p = bench->options->params;
    const uint32_t k = p->data_limbs, sums = p->ring.log_n; /* rotations by 1, 2 .. n / 4, and the swap */
    const costs c = {p, bench->options->device, &x->behz, count};
    const struct {
        const char *name;
        hb_rates cost;
        hb_bench_body body;
        size_t each;
        bool called; /* alone also without a recording */
    } rows[] = {
        {"add", moved(&c, 6 * k), add, 1, false},
        {"add a plaintext", moved(&c, 2 * k + 1), add_plain, 1, false},
        {"multiply by a plaintext", transformed(&c, 4 * k + 1, 5, false), multiply_plain, 1, false},
        {"multiply", transformed(&c, 7 * k, 7, true), multiply, 1, false},
        {"square", transformed(&c, 5 * k, 5, true), square, 1, false},
        {"relinearize", switched(&c, moved(&c, 5 * k), 1, 1), relinearize, 1, false},
        {"multiply, relinearize", switched(&c, transformed(&c, 6 * k, 7, true), 1, 1), multiply_relinearize, 1, true},
        {"rotate", switched(&c, moved(&c, 4 * k), 1, 1), rotate, 1, true},
        {"rotate, one of 8 hoisted", shared(switched(&c, moved(&c, 2 * k + HOISTED * 2 * k), HOISTED, 1), HOISTED),
         rotate_hoisted, HOISTED, false},
        {"switch to fewer limbs", moved(&c, 4 * k - 2), mod_switch, 1, false},
        {"sum of all slots", switched(&c, moved(&c, 4 * k), sums, sums), sum_slots, 1, false},
    };
    x->count = count;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const hb_bench_line line = {"bfv", rows[i].name, count * rows[i].each, rows[i].cost, rows[i].body};
        if (alone) {
            HB_TRY(hb_bench_alone(bench, x->engine, &line, x, rows[i].called));
        } else {
            HB_TRY(hb_bench_measure(bench, x->engine, &line, x));
        }
    }
    return HB_OK;
}

static hb_status open_evaluation(evaluation *x, const hb_bench_options *options)
{
    const hb_params *p = options->params;
    const uint32_t operands = 14 + 2 * HOISTED; /* polynomials of the fixture, of `low` and of `rotated` */
    hb_seed root;
    hb_seed_random(&root);
    HB_TRY(hb_device_open_ring(options->device, &p->ring, &x->engine));
    const size_t count = hb_bench_batch(options, &p->ring, p->data_limbs, operands);
    const hb_status st = hb_fixture_init(&x->fixture, x->engine, p, &root, count);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    hb_seed_public(x->fixture.seeds, count, &x->fixture.root, 0);
    HB_TRY(hb_sample_uniform(x->engine, x->fixture.plain, x->fixture.seeds));
    HB_TRY(hb_fixture_evaluate(&x->fixture, p->ring.log_n));
    HB_TRY(hb_behz_init(&x->behz, p, p->data_limbs));
    HB_TRY(hb_ciphertexts_alloc(&x->low, x->engine, p, 2, count, p->data_limbs - 1));
    for (uint32_t i = 0; i < HOISTED; i++) {
        HB_TRY(hb_ciphertexts_alloc(&x->rotated[i], x->engine, p, 2, count, p->data_limbs));
    }
    x->count = count;
    HB_TRY(add(x)); /* what lines work on in place, or take from one before */
    HB_TRY(multiply(x));
    return hb_finish(x->engine);
}

static void close_evaluation(evaluation *x)
{
    hb_behz_clear(&x->behz);
    if (x->engine != NULL) {
        hb_batch_free(x->engine, &x->low.all);
        for (uint32_t i = 0; i < HOISTED; i++) {
            hb_batch_free(x->engine, &x->rotated[i].all);
        }
    }
    hb_fixture_clear(&x->fixture);
    hb_engine_close(x->engine);
}

hb_status hb_bench_bfv_evaluate(hb_bench *bench)
{
    evaluation x = {0};
    hb_status st;
    if (!hb_bench_selects(bench, "bfv")) {
        return HB_OK;
    }
    HB_GOTO(open_evaluation(&x, bench->options));
    if (x.count > 1) {
        HB_GOTO(measure(bench, &x, x.count, false));
    }
    st = measure(bench, &x, 1, true);
done:
    close_evaluation(&x);
    return st;
}
