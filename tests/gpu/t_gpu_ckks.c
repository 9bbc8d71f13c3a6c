/* CKKS on the GPU: whole encryptions and decodings, linear maps, polynomials and bootstrapping, that of integers too,
 * word for word those of the CPU engine. */
#include "bootstrapping/chain.h"
#include "check/bootstrap_fixture.h"
#include "ckks/linear.h"
#include "ckks/presets.h"
#include "gpu.h"
#include "reference/slow.h"
#include "ring/galois.h"
#include "rlwe/switch_keys.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "scheme/polynomial.h"
#include "scheme/quality.h"

/* Sets *spec to preset i of CKKS, of those with one chain only one. */
static bool chain_at(size_t i, hb_params_spec *spec)
{
    const char *name;
    for (size_t j = 0; (name = hb_params_chain_name(j)) != NULL; j++) {
        hb_params_spec found;
        assert_ok(hb_params_preset(name, &found));
        if (found.scheme == HB_CKKS && i-- == 0) {
            *spec = found;
            return true;
        }
    }
    return false;
}

/* Preset i in a smaller ring where less is to be done; behind them a chain whose levels have two primes. */
static bool next_params(hb_params **p, size_t i)
{
    const hb_ckks_chain two = {50, 80, 3, 3};
    hb_params_spec spec = {.n = 8192, .security = {.level = 128}}, last;
    if (!chain_at(i, &spec)) {
        if (i > 0 && !chain_at(i - 1, &last)) {
            return false;
        }
        assert_ok(hb_ckks_find_chain(&spec, &two));
        spec.insecure = true;
        assert_ok(hb_ckks_params_open(&spec, p));
        return true;
    }
    spec.n = gpu_small ? 1024 : spec.n;
    spec.insecure = spec.insecure || gpu_small;
    assert_ok(hb_ckks_params_open(&spec, p));
    return true;
}

static void test_check(void **state)
{
    (void)state;
    hb_params *p;
    for (size_t i = 0; next_params(&p, i); i++) {
        hb_engine *gpu;
        assert_ok(hb_cuda_engine_open(&p->ring, &gpu_device, gpu_device.free / 2, &gpu));
        assert_ok(hb_engine_check(gpu, p, (hb_check_sample){0}));
        hb_engine_close(gpu);
        hb_ckks_params_close(p);
    }
}

enum { MOST_DEGREE = 31, DIAGONALS = 7, BABY = 4, COUNT = 3, OF_MAPS = 6 /* ciphertexts */ };

static const int64_t numbers[DIAGONALS] = {0, 1, 2, 5, -1, 9, -6};

/* The results of one engine for the same words. */
typedef struct side {
    hb_engine *engine;
    hb_evaluator *ev;
    hb_switch_keys keys;
    hb_linear_map *map;
    hb_ciphertexts a, r;
} side;

static void add_key(side *s, const hb_params *p, const hb_secret_key *secret, uint32_t element)
{
    const hb_seed root = {{13}};
    hb_seed own, *seeds = gpu_seeds(p->data_limbs);
    hb_switch_key key;
    hb_switch_key_root(&own, &root, &p->spec, element);
    assert_ok(hb_switch_key_generate(&key, secret, element, &own, seeds));
    assert_ok(hb_switch_keys_add(&s->keys, &key));
    free(seeds);
}

static void fill(side *s, const hb_params *p, hb_batch to)
{
    const size_t n = p->ring.n, words = to.count * to.limbs * n;
    uint64_t *host = gpu_host(words * sizeof *host), random = 5;
    for (size_t j = 0; j < words; j++) {
        host[j] = slow_random(&random) % p->ring.moduli[to.ids[j / n % to.limbs]].value;
    }
    assert_ok(hb_upload(s->engine, to.data, host, words * sizeof *host));
    assert_ok(hb_finish(s->engine));
    free(host);
}

static void side_open(side *s, const hb_params *p, uint32_t limbs, const hb_diagonals *diagonals)
{
    const hb_seed root = {{17}};
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = OF_MAPS, .switching = true};
    const hb_linear_spec spec = {
        .limbs = limbs, .baby = BABY, .scale = hb_ckks_scale(p, limbs), .count = 4}; /* four at a time, then two */
    int8_t *ternary = gpu_host(p->ring.n);
    hb_secret_key secret;
    int64_t steps[2 * DIAGONALS];
    uint32_t count;
    assert_ok(hb_secret_draw(s->engine, p, &root, ternary));
    assert_ok(hb_secret_key_load(&secret, s->engine, p, ternary));
    assert_ok(hb_linear_steps(&count, steps, p->ring.n / 2, BABY, diagonals));
    for (uint32_t i = 0; i < count; i++) {
        add_key(s, p, &secret, hb_galois_rotation(p->ring.n, hb_ckks_generator(&p->spec), steps[i]));
    }
    hb_secret_key_clear(&secret);
    free(ternary);
    assert_ok(hb_evaluator_open(s->engine, p, &requirements, &s->ev));
    assert_ok(hb_linear_map_open(s->engine, p, &spec, diagonals, &s->map));
    assert_ok(hb_ciphertexts_alloc(&s->a, s->engine, p, 2, OF_MAPS, limbs));
    assert_ok(hb_ciphertexts_alloc(&s->r, s->engine, p, 2, OF_MAPS, limbs - hb_params_level_limbs(p)));
    fill(s, p, s->a.all);
}

static void side_close(side *s)
{
    hb_batch_free(s->engine, &s->a.all);
    hb_batch_free(s->engine, &s->r.all);
    hb_linear_map_close(s->map);
    hb_evaluator_close(s->ev);
    hb_switch_keys_clear(&s->keys);
    hb_engine_close(s->engine);
}

/* Results of both sides, which are closed. */
static void expect_same(side sides[2], const hb_params *p, const char *what)
{
    const size_t words = sides[0].r.all.count * sides[0].r.all.stride;
    uint64_t *found[2];
    for (int i = 0; i < 2; i++) {
        found[i] = gpu_host(words * sizeof *found[i]);
        gpu_fetch(sides[i].engine, found[i], sides[i].r.all, 0, sides[i].r.all.count);
    }
    for (size_t j = 0; j < words; j++) {
        if (found[0][j] != found[1][j]) {
            fail_msg("%s, %u limbs: %s differs on the GPU at word %zu", p->name, sides[0].a.all.limbs, what, j);
        }
    }
    free(found[0]);
    free(found[1]);
    side_close(&sides[0]);
    side_close(&sides[1]);
}

/* A map gives back what it announced, each allocation rounded up: of encoding nothing is left. */
static void close_counted(side *s)
{
    const uint64_t rounding = 1 << 16, announced = hb_linear_map_bytes(s->map), held = hb_cuda_engine_bytes(s->engine);
    assert_ok(hb_finish(s->engine));
    hb_linear_map_close(s->map);
    s->map = NULL;
    const uint64_t given_back = held - hb_cuda_engine_bytes(s->engine);
    assert_true(given_back >= announced && given_back < announced + rounding);
}

/* With diagonals that repeat. */
static void check_map(const hb_params *p, uint32_t limbs, size_t period)
{
    const size_t words = 2 * DIAGONALS * period;
    double *values = gpu_host(words * sizeof *values);
    uint64_t random = 9;
    side sides[2] = {0};
    for (size_t i = 0; i < words; i++) {
        values[i] = (double)(int64_t)slow_random(&random) / 0x1p63;
    }
    const hb_diagonals diagonals = {.count = DIAGONALS, .numbers = numbers, .values = values, .period = period};
    assert_ok(hb_cuda_engine_open(&p->ring, &gpu_device, gpu_device.free / 2, &sides[0].engine));
    assert_ok(hb_cpu_engine_open(&p->ring, &sides[1].engine));
    for (int i = 0; i < 2; i++) {
        side *s = &sides[i];
        side_open(s, p, limbs, &diagonals);
        assert_ok(hb_linear_apply(s->ev, s->r, s->a, s->map, &s->keys));
    }
    free(values);
    close_counted(&sides[0]);
    expect_same(sides, p, "a map");
}

static void test_maps(void **state)
{
    (void)state;
    hb_params *p;
    for (size_t i = 0; next_params(&p, i); i++) {
        if (!p->spec.ckks.like_seal) {
            const size_t slots = p->ring.n / 2;
            const uint32_t low = 2 * hb_params_level_limbs(p);
            check_map(p, p->fresh_limbs, slots);
            check_map(p, p->fresh_limbs, slots / 2);
            check_map(p, low, slots);
            check_map(p, low, slots / 4);
            check_map(p, low, 64); /* in the smallest ring that there is */
            check_map(p, low, 1);
        }
        hb_ckks_params_close(p);
    }
}

static void polynomial_open(side *s, const hb_params *p, const hb_polynomial *polynomial)
{
    const uint32_t limbs = polynomial->limbs;
    const hb_seed root = {{17}};
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = COUNT, .switching = true};
    int8_t *ternary = gpu_host(p->ring.n);
    hb_secret_key secret;
    assert_ok(hb_secret_draw(s->engine, p, &root, ternary));
    assert_ok(hb_secret_key_load(&secret, s->engine, p, ternary));
    add_key(s, p, &secret, HB_RELINEARIZATION);
    hb_secret_key_clear(&secret);
    free(ternary);
    assert_ok(hb_evaluator_open(s->engine, p, &requirements, &s->ev));
    assert_ok(hb_ciphertexts_alloc(&s->a, s->engine, p, 2, COUNT, limbs));
    assert_ok(hb_ciphertexts_alloc(&s->r, s->engine, p, 2, COUNT, polynomial->result_limbs));
    fill(s, p, s->a.all);
}

/* One that takes all levels, of degree 31 at most. */
static void check_polynomial(const hb_params *p)
{
    double c[MOST_DEGREE + 1];
    side sides[2] = {0};
    hb_polynomial *polynomial;
    uint64_t random = 9;
    const uint32_t levels = p->fresh_limbs / hb_params_level_limbs(p) - 1;
    const uint32_t degree = levels >= 5 ? MOST_DEGREE : ((uint32_t)1 << levels) - 1;
    for (uint32_t k = 0; k <= degree; k++) {
        c[k] = (double)(int64_t)slow_random(&random) / 0x1p63;
    }
    assert_ok(hb_polynomial_open(p, p->fresh_limbs, &(hb_chebyshev){degree, c}, &polynomial));
    assert_ok(hb_cuda_engine_open(&p->ring, &gpu_device, gpu_device.free / 2, &sides[0].engine));
    assert_ok(hb_cpu_engine_open(&p->ring, &sides[1].engine));
    for (int i = 0; i < 2; i++) {
        side *s = &sides[i];
        const size_t words = 2 * polynomial->words; /* two at a time, then one */
        void *work;
        polynomial_open(s, p, polynomial);
        assert_ok(hb_alloc(s->engine, words * sizeof(uint64_t), &work));
        assert_ok(hb_evaluator_polynomial(s->ev, s->r, s->a, polynomial,
                                          hb_switch_keys_find(&s->keys, HB_RELINEARIZATION),
                                          (hb_workspace){work, words}));
        assert_ok(hb_finish(s->engine));
        hb_free(s->engine, work);
    }
    expect_same(sides, p, "a polynomial");
    hb_polynomial_close(polynomial);
}

static void test_polynomials(void **state)
{
    (void)state;
    hb_params *p;
    for (size_t i = 0; next_params(&p, i); i++) {
        check_polynomial(p);
        hb_ckks_params_close(p);
    }
}

/* Bootstraps three ciphertexts, two at a time, of boot-test: every kind, and a recording. */
typedef struct bootstrap_side {
    hb_engine *engine;
    hb_fixture fixture;
    hb_bootstrap_fixture bootstrap;
} bootstrap_side;

/* Values of slots, as the codec takes them: reals within 1, or residues. */
static uint64_t *slot_values(const hb_params *p, size_t words)
{
    uint64_t *values = gpu_host(words * sizeof *values), random = 11;
    for (size_t i = 0; i < words; i++) {
        const uint64_t word = slow_random(&random);
        const double real = (double)(int64_t)word / 0x1p63;
        if (p->spec.scheme == HB_BFV) {
            values[i] = word % p->spec.bfv.plain;
        } else {
            memcpy(&values[i], &real, sizeof real);
        }
    }
    return values;
}

static void bootstrap_open(bootstrap_side *s, const hb_params *p, bool lowest)
{
    static const uint32_t range_bits[] = {0, 2};
    const hb_seed root = {{23}};
    const size_t words = COUNT * p->ring.n;
    uint64_t *values = slot_values(p, words), entries[2][1 << HB_TABLE_MOST_BITS];
    hb_bootstrap_table tables[2] = {{.entries = entries[0]}, {.entries = entries[1]}};
    uint32_t bits = 0;
    const bool has = p->spec.bootstrapping.table_levels > 0 && hb_quality_table_bits(p, &bits) == HB_OK;
    for (uint64_t i = 0; i < UINT64_C(2) << bits; i++) {
        entries[i >> bits][i % (UINT64_C(1) << bits)] = (i * i * 7 + 3 * i + 1) % (UINT64_C(1) << bits);
        tables[i >> bits].bits = bits;
    }
    assert_ok(hb_fixture_init(&s->fixture, s->engine, p, &root, COUNT));
    assert_ok(hb_upload(s->engine, s->fixture.values.data, values, words * sizeof *values));
    assert_ok(hb_finish(s->engine));
    assert_ok(hb_encode(s->fixture.codec, s->fixture.plain, s->fixture.values));
    assert_ok(hb_bootstrap_fixture_init(&s->bootstrap, &s->fixture,
                                        &(hb_bootstrap_spec){.count = 2,
                                                             .range_bits = range_bits,
                                                             .ranges = 2,
                                                             .tables = tables,
                                                             .table_count = has ? 2 : 0,
                                                             .lowest = lowest}));
    free(values);
}

/* The results of each at once, and of a recording. */
typedef struct bootstrap_call {
    bootstrap_side *side;
    hb_bootstrap_kind kind;
    uint32_t range_bits;
} bootstrap_call;

static hb_status bootstrap_body(void *argument)
{
    const bootstrap_call *c = argument;
    return hb_bootstrap_fixture_apply(&c->side->bootstrap, c->kind, c->range_bits);
}

static void expect_same_bootstraps(bootstrap_side sides[2], bootstrap_call call, bool record)
{
    const hb_ciphertexts *r = sides[0].bootstrap.r;
    const size_t words = r[0].all.count * r[0].all.stride;
    const uint32_t batches = hb_bootstrap_batches(call.kind);
    uint64_t *found[2][2];
    for (int i = 0; i < 2; i++) {
        hb_recording *recording = NULL;
        call.side = &sides[i];
        if (record) {
            assert_ok(hb_record(sides[i].engine, bootstrap_body, &call, &recording));
            assert_ok(hb_replay(recording));
        } else {
            assert_ok(bootstrap_body(&call));
        }
        for (uint32_t b = 0; b < batches; b++) {
            found[i][b] = gpu_host(words * sizeof(uint64_t));
            gpu_fetch(sides[i].engine, found[i][b], sides[i].bootstrap.r[b].all, 0, r[b].all.count);
        }
        hb_recording_free(recording);
    }
    for (uint32_t b = 0; b < batches; b++) {
        for (size_t j = 0; j < words; j++) {
            if (found[0][b][j] != found[1][b][j]) {
                fail_msg("bootstrapping of kind %d differs on the GPU, batch %u, word %zu", (int)call.kind, b, j);
            }
        }
        free(found[0][b]);
        free(found[1][b]);
    }
}

static void open_sides(bootstrap_side sides[2], const char *preset, bool lowest, hb_params **p)
{
    hb_params_spec spec;
    assert_ok(hb_params_preset(preset, &spec));
    assert_ok(hb_params_open(&spec, p));
    assert_ok(hb_cuda_engine_open(&(*p)->ring, &gpu_device, gpu_device.free / 2, &sides[0].engine));
    assert_ok(hb_cpu_engine_open(&(*p)->ring, &sides[1].engine));
    bootstrap_open(&sides[0], *p, lowest);
    bootstrap_open(&sides[1], *p, lowest);
}

static void close_sides(bootstrap_side sides[2], hb_params *p)
{
    for (int i = 0; i < 2; i++) {
        hb_bootstrap_fixture_clear(&sides[i].bootstrap);
        hb_fixture_clear(&sides[i].fixture);
        hb_engine_close(sides[i].engine);
    }
    hb_params_close(p);
}

static void test_bootstraps(void **state)
{
    (void)state;
    hb_params *p;
    bootstrap_side sides[2] = {0};
    open_sides(sides, "boot-test", false, &p);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_COMPLEX}, false);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_COMPLEX, .range_bits = 2}, true);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_REAL}, false);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_PAIR}, true);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_NEIGHBOURS, .range_bits = 2}, true);
    close_sides(sides, p);
}

/* From the lowest level: the modulus is raised first. */
static void test_lowest(void **state)
{
    (void)state;
    hb_params *p;
    bootstrap_side sides[2] = {0};
    open_sides(sides, "boot-test", true, &p);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_LOWEST}, false);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_LOWEST, .range_bits = 2}, true);
    close_sides(sides, p);
}

/* Passes over the noise of three ciphertexts of int-test, two at a time, for two k; one recorded. */
static void test_passes(void **state)
{
    (void)state;
    hb_params *p;
    bootstrap_side sides[2] = {0};
    open_sides(sides, "int-test", false, &p);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_NOISE, .range_bits = 150}, false);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_NOISE, .range_bits = 90}, true);
    close_sides(sides, p);
}

/* Tables on all coefficients of three ciphertexts of int-table-test, two at a time: two tables, the other one recorded;
 * and a pass on the same chain. */
static void test_tables(void **state)
{
    (void)state;
    hb_params *p;
    bootstrap_side sides[2] = {0};
    open_sides(sides, "int-table-test", false, &p);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_TABLE, .range_bits = 0}, false);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_TABLE, .range_bits = 1}, true);
    expect_same_bootstraps(sides, (bootstrap_call){.kind = HB_BOOTSTRAP_NOISE, .range_bits = 60}, false);
    close_sides(sides, p);
}

GPU_MAIN(cmocka_unit_test(test_check), cmocka_unit_test(test_maps), cmocka_unit_test(test_polynomials),
         cmocka_unit_test(test_bootstraps), cmocka_unit_test(test_lowest), cmocka_unit_test(test_passes),
         cmocka_unit_test(test_tables))
