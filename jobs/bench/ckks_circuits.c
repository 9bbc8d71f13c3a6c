#include "ckks_circuits.h"

#include <stdio.h>
#include <stdlib.h>

#include "ckks/linear.h"
#include "scheme/polynomial.h"
#include "scheme/slots.h"
#include "scheme/weights.h"

enum { MOST_DIAGONALS = 64, SIDE = 64, TOGETHER = 8 /* ciphertexts that one workspace is made for, at most */ };

/* Numbers in [-1, 1], none of which is 0. */
static double number(size_t i)
{
    return (double)(i * 2654435761u % 2000) / 1000 - 0.9995;
}

static size_t together(const hb_evaluation *x)
{
    return x->count < TOGETHER ? x->count : TOGETHER;
}

/* Adds a line: of one ciphertext, or of as many as calls have now. */
static hb_status add_line(hb_bench *bench, const hb_evaluation *x, const char *name, hb_rates cost, hb_bench_body body,
                          void *argument)
{
    const hb_bench_line line = {"circuits", name, x->count, cost, body};
    return x->count == 1 ? hb_bench_alone(bench, x->engine, &line, argument, false)
                         : hb_bench_measure(bench, x->engine, &line, argument);
}

typedef struct polynomial {
    const hb_evaluation *x;
    hb_polynomial *plan;
    void *work;
    size_t words;
} polynomial;

static hb_status apply_polynomial(void *argument)
{
    const polynomial *q = argument;
    const hb_fixture *s = &q->x->fixture;
    const hb_ciphertexts r =
        hb_ciphertexts_view(s->narrow, s->engine, s->params, 2, q->x->count, q->plan->result_limbs);
    return hb_evaluator_polynomial(s->evaluator, r, hb_evaluation_first(q->x, s->a), q->plan,
                                   hb_switch_keys_find(&s->keys, HB_RELINEARIZATION),
                                   (hb_workspace){q->work, q->words});
}

/* The operand comes, the result goes, and on each level between there is a product that the next one needs. The
 * others, which a polynomial may need more or less of, are not counted. */
static hb_rates cost_of_polynomial(const hb_bench *bench, const polynomial *q)
{
    const hb_params *p = bench->options->params;
    hb_rates cost = {0};
    hb_floor_words(&cost, 2 * (size_t)(q->plan->limbs + q->plan->result_limbs) * p->spec.n);
    for (uint32_t limbs = q->plan->limbs; limbs > q->plan->result_limbs; limbs -= hb_params_level_limbs(p)) {
        hb_floor_switch(&cost, bench->options->device, p, limbs, 1, 1, q->x->count);
    }
    return cost;
}

static hb_status measure_polynomial(hb_bench *bench, const hb_evaluation *x, uint32_t degree)
{
    const hb_params *p = bench->options->params;
    double coefficients[HB_CHEBYSHEV_MOST_DEGREE + 1];
    const hb_chebyshev chebyshev = {degree, coefficients};
    polynomial q = {.x = x};
    char name[64];
    hb_status st;
    for (uint32_t k = 0; k <= degree; k++) {
        coefficients[k] = number(k) / (degree + 1);
    }
    snprintf(name, sizeof name, "polynomial of degree %u", (unsigned)degree);
    if (hb_chebyshev_levels(&chebyshev) > hb_params_level(p, p->fresh_limbs)) {
        hb_bench_leave_out(bench, "circuits", "%s, which takes %u levels; %s has %u", name,
                           (unsigned)hb_chebyshev_levels(&chebyshev), p->name,
                           (unsigned)hb_params_level(p, p->fresh_limbs));
        return HB_OK;
    }
    st = hb_polynomial_open(p, p->fresh_limbs, &chebyshev, &q.plan);
    if (st == HB_ECONFIG) {
        hb_bench_leave_out(bench, "circuits", "%s, as the primes of %s are too far from the scale", name, p->name);
        return HB_OK;
    }
    HB_TRY(st);
    q.words = together(x) * q.plan->words;
    HB_GOTO(hb_alloc(x->engine, q.words * sizeof(uint64_t), &q.work));
    st = add_line(bench, x, name, cost_of_polynomial(bench, &q), apply_polynomial, &q);
done:
    hb_free(x->engine, q.work);
    hb_polynomial_close(q.plan);
    return st;
}

typedef struct linear {
    const hb_evaluation *x;
    const char *name;
    int64_t first; /* number of the first diagonal */
    uint32_t diagonals, baby;
    hb_linear_map *map;
    uint32_t steps, giants; /* rotations, and those of them that switch sums */
} linear;

static hb_status apply_linear(void *argument)
{
    const linear *m = argument;
    const hb_fixture *s = &m->x->fixture;
    const uint32_t below = s->params->fresh_limbs - hb_params_level_limbs(s->params);
    return hb_linear_apply(s->evaluator, hb_ciphertexts_view(s->narrow, s->engine, s->params, 2, m->x->count, below),
                           hb_evaluation_first(m->x, s->a), m->map, &s->keys);
}

/* The digits of the operand are made once, and those of every sum that is rotated; these sums and the result are
 * divided by the special primes. Keys and diagonals are read once for all. */
static hb_rates cost_of_linear(const hb_bench *bench, const linear *m)
{
    const hb_params *p = bench->options->params;
    const hb_gadget_level *level = &p->gadget.levels[p->fresh_limbs];
    const size_t k = p->fresh_limbs, key_words = (size_t)2 * level->digits * level->switch_limbs * p->spec.n;
    const size_t diagonals = (size_t)m->diagonals * level->switch_limbs * p->spec.n;
    hb_rates cost = {0};
    hb_floor_words(&cost, (4 * k - 2 * hb_params_level_limbs(p)) * p->spec.n);
    hb_floor_switch(&cost, bench->options->device, p, p->fresh_limbs, 1, 1 + m->giants, m->x->count);
    hb_floor_words(&cost, ((m->steps - 1) * key_words + diagonals) / m->x->count);
    return cost;
}

/* Adds the keys of the map's rotations that are not there. */
static hb_status add_keys(hb_fixture *s, const int64_t *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = hb_slots_rotation(&s->params->spec, steps[i]);
        if (hb_switch_keys_find(&s->keys, element) == NULL) {
            HB_TRY(hb_fixture_add_key(s, element));
        }
    }
    return HB_OK;
}

static hb_status open_linear(linear *m, hb_evaluation *x)
{
    const hb_params *p = x->fixture.params;
    const size_t slots = p->spec.n / 2, words = (size_t)m->diagonals * 2 * slots;
    int64_t numbers[MOST_DIAGONALS], steps[2 * MOST_DIAGONALS];
    double *values = calloc(words, sizeof *values);
    const hb_diagonals diagonals = {.count = m->diagonals, .numbers = numbers, .values = values};
    hb_linear_spec spec = {
        .limbs = p->fresh_limbs, .baby = m->baby, .scale = hb_ckks_scale(p, p->fresh_limbs), .count = together(x)};
    hb_status st;
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u diagonals", m->diagonals);
    }
    for (size_t i = 0; i < words; i++) {
        values[i] = number(i) / m->diagonals;
    }
    for (uint32_t i = 0; i < m->diagonals; i++) {
        numbers[i] = m->first + i;
    }
    if (m->baby == 0) {
        HB_GOTO(hb_linear_baby(&spec.baby, slots, &diagonals));
    }
    HB_GOTO(hb_linear_steps(&m->steps, steps, slots, spec.baby, &diagonals));
    for (uint32_t i = 0; i < m->steps; i++) {
        m->giants += steps[i] >= (int64_t)spec.baby;
    }
    HB_GOTO(add_keys(&x->fixture, steps, m->steps));
    st = hb_linear_map_open(x->engine, p, &spec, &diagonals, &m->map);
done:
    free(values);
    return st;
}

static hb_status measure_linear(hb_bench *bench, hb_evaluation *x, linear m)
{
    hb_status st;
    if (bench->options->params->spec.ckks.like_seal) {
        return HB_OK;
    }
    m.x = x;
    HB_GOTO(open_linear(&m, x));
    st = add_line(bench, x, m.name, cost_of_linear(bench, &m), apply_linear, &m);
done:
    hb_linear_map_close(m.map);
    return st;
}

typedef struct matrix {
    const hb_evaluation *x;
    hb_weights weights;
    hb_batch from, to;         /* ciphertexts, one after the other */
    hb_batch a[SIDE], r[SIDE]; /* each of them */
} matrix;

static hb_status apply_matrix(void *argument)
{
    const matrix *m = argument;
    return hb_evaluator_combine(m->x->fixture.evaluator, m->r, m->a, &m->weights);
}

static hb_status open_matrix(matrix *m)
{
    const hb_fixture *s = &m->x->fixture;
    const hb_params *p = s->params;
    static double numbers[SIDE][SIDE];
    hb_weight_row rows[SIDE];
    for (size_t o = 0; o < SIDE; o++) {
        for (size_t i = 0; i < SIDE; i++) {
            numbers[o][i] = number(o * SIDE + i);
        }
        rows[o] = (hb_weight_row){.reals = numbers[o]};
    }
    HB_TRY(hb_weights_init(&m->weights, s->engine, p, rows, SIDE, SIDE, p->fresh_limbs));
    HB_TRY(hb_batch_alloc(s->engine, &m->from, 2 * SIDE, p->fresh_limbs, p->ids));
    HB_TRY(hb_batch_alloc(s->engine, &m->to, 2 * SIDE, p->fresh_limbs, p->ids));
    for (size_t i = 0; i < SIDE; i++) {
        m->a[i] = hb_batch_slice(m->from, 2 * i, 2);
        m->r[i] = hb_batch_slice(m->to, 2 * i, 2);
        HB_TRY(hb_copy(s->engine, m->a[i], hb_evaluation_first(m->x, s->a).all));
    }
    return HB_OK;
}

static hb_status measure_matrix(hb_bench *bench, const hb_evaluation *x)
{
    const hb_bench_options *options = bench->options;
    const hb_params *p = options->params;
    const size_t k = p->fresh_limbs, words = (size_t)2 * 2 * SIDE * k * p->spec.n;
    const uint64_t most = options->device->gpu ? options->device->memory / 4 : (uint64_t)4 << 30;
    matrix m = {.x = x};
    hb_rates cost = {0};
    hb_status st;
    if (x->count > 1) {
        return HB_OK;
    }
    if (words * sizeof(uint64_t) > most) {
        hb_bench_leave_out(bench, "circuits", "W @ x, which takes %s; %s are set apart for it",
                           hb_human_bytes((double)(words * sizeof(uint64_t))).text, hb_human_bytes((double)most).text);
        return HB_OK;
    }
    hb_floor_words(&cost, words + SIDE * SIDE * k);
    HB_GOTO(open_matrix(&m));
    st = add_line(bench, x, "W @ x, 64 x 64 numbers", cost, apply_matrix, &m);
done:
    hb_weights_clear(&m.weights, x->engine);
    hb_batch_free(x->engine, &m.from);
    hb_batch_free(x->engine, &m.to);
    return st;
}

hb_status hb_bench_ckks_circuits(hb_bench *bench, hb_evaluation *x)
{
    HB_TRY(measure_polynomial(bench, x, 31));
    HB_TRY(measure_polynomial(bench, x, 119));
    HB_TRY(measure_linear(bench, x, (linear){.name = "linear map of 64 diagonals", .diagonals = 64}));
    /* As five stages of the transform between slots and coefficients are. */
    HB_TRY(measure_linear(
        bench, x,
        (linear){.name = "linear map of 63 diagonals, 16 baby steps", .first = -31, .diagonals = 63, .baby = 16}));
    return measure_matrix(bench, x);
}
