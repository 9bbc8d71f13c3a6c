/* Operations of BFV's evaluator at the level of fresh ciphertexts: a batch a call, and one ciphertext that is waited
 * for. */
#include "bfv/behz.h"
#include "ckks_bootstrap.h"
#include "evaluation.h"
#include "rlwe/bootstrap.h"

typedef struct evaluation {
    hb_evaluation any;
    hb_behz behz; /* for the floors */
} evaluation;

static hb_status add_plain(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_add_plain(s->evaluator, hb_evaluation_first(x, s->narrow),
                                  hb_batch_slice(s->plain, 0, x->count), HB_PLUS);
}

static hb_status multiply_plain(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_multiply_plain(s->evaluator, hb_evaluation_first(x, s->narrow), hb_evaluation_first(x, s->a),
                                       hb_batch_slice(s->plain, 0, x->count));
}

static hb_status multiply(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_multiply(s->evaluator, hb_evaluation_first(x, s->wide), hb_evaluation_first(x, s->a),
                                 hb_evaluation_first(x, s->b));
}

static hb_status square(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_multiply(s->evaluator, hb_evaluation_first(x, s->wide), hb_evaluation_first(x, s->a),
                                 hb_evaluation_first(x, s->a));
}

static hb_status relinearize(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_relinearize(s->evaluator, hb_evaluation_first(x, s->narrow), hb_evaluation_first(x, s->wide),
                                    hb_switch_keys_find(&s->keys, HB_RELINEARIZATION));
}

static hb_status multiply_relinearize(void *argument)
{
    HB_TRY(multiply(argument));
    return relinearize(argument);
}

static hb_status sum_slots(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_sum_slots(s->evaluator, hb_evaluation_first(x, s->narrow), &s->keys);
}

/* The costs of one ciphertext in a batch of `count`. */
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
    hb_floor_words(&cost, limbs * c->params->spec.n);
    return cost;
}

/* Beside that, transforms of that many polynomials of the level's limbs, and of the auxiliary base where `both`. */
static hb_rates transformed(const costs *c, size_t limbs, uint32_t polynomials, bool both)
{
    const hb_params *p = c->params;
    hb_rates cost = moved(c, limbs);
    for (uint32_t i = 0; i < polynomials; i++) {
        hb_floor_transform(&cost, c->device, &p->ring, p->ids, p->fresh_limbs);
        hb_floor_transform(&cost, c->device, &p->ring, c->behz->ids, both ? c->behz->limbs : 0);
    }
    return cost;
}

/* Adds key switches to a cost. */
static hb_rates switched(const costs *c, hb_rates cost, uint32_t times, uint32_t digits)
{
    hb_floor_switch(&cost, c->device, c->params, c->params->fresh_limbs, times, digits, c->count);
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
    const uint32_t k = p->fresh_limbs, sums = p->ring.log_n; /* rotations by 1, 2 .. n / 4, and the swap */
    const costs c = {p, bench->options->device, &x->behz, count};
    const struct {
        const char *name;
        hb_rates cost;
        hb_bench_body body;
        size_t each;
        bool called; /* alone also without a recording */
    } rows[] = {
        {"add", moved(&c, 6 * k), hb_evaluation_add, 1, false},
        {"add a plaintext", moved(&c, 2 * k + 1), add_plain, 1, false},
        {"multiply by a plaintext", transformed(&c, 4 * k + 1, 5, false), multiply_plain, 1, false},
        {"multiply", transformed(&c, 7 * k, 7, true), multiply, 1, false},
        {"square", transformed(&c, 5 * k, 5, true), square, 1, false},
        {"relinearize", switched(&c, moved(&c, 5 * k), 1, 1), relinearize, 1, false},
        {"multiply, relinearize", switched(&c, transformed(&c, 6 * k, 7, true), 1, 1), multiply_relinearize, 1, true},
        {"rotate", switched(&c, moved(&c, 4 * k), 1, 1), hb_evaluation_rotate, 1, true},
        {"rotate, one of 8 hoisted",
         shared(switched(&c, moved(&c, 2 * k + HB_BENCH_HOISTED * 2 * k), HB_BENCH_HOISTED, 1), HB_BENCH_HOISTED),
         hb_evaluation_rotate_hoisted, HB_BENCH_HOISTED, false},
        {"a term of one sum, times a number", shared(moved(&c, 2 * k * (HB_BENCH_HOISTED + 1)), HB_BENCH_HOISTED),
         hb_evaluation_combine, HB_BENCH_HOISTED, false},
        {"a term of 4 sums, times a number",
         shared(moved(&c, 2 * k * 2 * HB_BENCH_SUMS), HB_BENCH_SUMS * HB_BENCH_SUMS), hb_evaluation_combine_several,
         HB_BENCH_SUMS * HB_BENCH_SUMS, false},
        {"switch to fewer limbs", moved(&c, 4 * k - 2), hb_evaluation_mod_switch, 1, false},
        {"sum of all slots", switched(&c, moved(&c, 4 * k), sums, sums), sum_slots, 1, false},
    };
    x->any.count = count;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const hb_bench_line line = {"bfv", rows[i].name, count * rows[i].each, rows[i].cost, rows[i].body};
        if (alone) {
            HB_TRY(hb_bench_alone(bench, x->any.engine, &line, x, rows[i].called));
        } else {
            HB_TRY(hb_bench_measure(bench, x->any.engine, &line, x));
        }
    }
    return HB_OK;
}

static hb_status open_evaluation(evaluation *x, const hb_bench_options *options)
{
    const hb_params *p = options->params;
    const uint32_t operands = 14 + 2 * HB_BENCH_HOISTED; /* polynomials of the fixture, of `low` and of `rotated` */
    const size_t count = hb_bench_batch(options, &p->ring, p->fresh_limbs, operands);
    HB_TRY(hb_evaluation_open(&x->any, options, count));
    HB_TRY(hb_sample_uniform(x->any.engine, x->any.fixture.plain, x->any.fixture.seeds));
    HB_TRY(hb_evaluation_prepare(&x->any, p->ring.log_n));
    HB_TRY(hb_behz_init(&x->behz, p, p->fresh_limbs));
    HB_TRY(hb_evaluation_add(x)); /* operands of lines that work in place, or take results of earlier ones */
    HB_TRY(multiply(x));
    return hb_finish(x->any.engine);
}

static void close_evaluation(evaluation *x)
{
    hb_behz_clear(&x->behz);
    hb_evaluation_close(&x->any);
}

/* Operations by themselves, on as many ciphertexts as there are and on one. */
static hb_status measure_operations(hb_bench *bench, evaluation *x)
{
    if (!hb_bench_selects(bench, "bfv")) {
        return HB_OK;
    }
    if (x->any.count > 1) {
        HB_TRY(measure(bench, x, x->any.count, false));
    }
    return measure(bench, x, 1, true);
}

/* Passes over the noise of one ciphertext, and of as many as go at a time. */
static hb_status measure_passes(hb_bench *bench, evaluation *x)
{
    static const size_t counts[] = {1, HB_BOOTSTRAP_TOGETHER};
    for (size_t i = 0; i < sizeof counts / sizeof *counts && hb_bench_selects(bench, "circuits"); i++) {
        if (counts[i] <= x->any.fixture.count) {
            x->any.count = counts[i];
            HB_TRY(hb_bench_ckks_bootstrap(bench, &x->any));
        }
    }
    return HB_OK;
}

hb_status hb_bench_bfv_evaluate(hb_bench *bench)
{
    const bool passes = hb_bench_selects(bench, "circuits") && hb_params_can_bootstrap(bench->options->params);
    evaluation x = {0};
    hb_status st;
    if (!hb_bench_selects(bench, "bfv") && !passes) {
        return HB_OK;
    }
    HB_GOTO(open_evaluation(&x, bench->options));
    HB_GOTO(measure_operations(bench, &x));
    st = measure_passes(bench, &x);
done:
    close_evaluation(&x);
    return st;
}
