/* Parts of decryptions: their noise word for word, and that those of all owners decrypt as the sum of the secrets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "joint/combine.h"
#include "joint/part.h"
#include "reference/joint_world.h"
#include "reference/slow.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "scheme/quality.h"
#include "unit/unit.h"

static const joint_chain chains[] = {
    {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193},
    {2048, {49, 50, 50, 50, 50, 51}, 6, 786433},
    {4096, {55, 55, 55, 55, 56}, 5, 1032193},
};
enum { CHAINS = sizeof chains / sizeof *chains, COUNT = 2 };
static const uint32_t owner_counts[] = {2, 3, 5};
enum { COUNTS = sizeof owner_counts / sizeof *owner_counts };

/* --- the plan */

/* By the formulae of part_plan.h in Python. */
static const struct {
    size_t n;
    double noise;
    uint32_t owners;
    uint64_t results;
    uint32_t u, w;
    double distance, worst;
} plans[] = {
    {1024, 65.60, 5, 64, 46, 51, -40.832743, 119.299209},
    {1024, 20.00, 2, 1, 2, 48, -40.870909, 70.977281},
    {1024, 100.25, 64, 1048576, 81, 58, -40.750834, 164.977281},
    {8192, 65.60, 5, 10000, 46, 56, -40.629447, 124.299209},
    {8192, 31.90, 2, 20000, 12, 56, -40.129447, 88.977281},
};

static void plans_follow_the_formulae(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const joint_chain chain = {plans[i].n, {55, 55, 55, 55, 56}, 5, 1032193};
        joint_world w;
        hb_part_plan plan;
        joint_world_open(&w, &chain, 2, 1);
        assert_int_equal(hb_part_plan_make(w.params, 4, plans[i].noise, plans[i].owners, plans[i].results, &plan),
                         HB_OK);
        assert_int_equal(plan.u, plans[i].u);
        assert_int_equal(plan.w, plans[i].w);
        assert_true(fabs(plan.distance - plans[i].distance) < 1e-5 && plan.distance <= -HB_PART_DISTANCE_BITS);
        assert_true(fabs(plan.worst - plans[i].worst) < 1e-5);
        joint_world_close(&w);
    }
}

/* Widths, and what is left of the budget. */
static void parts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    joint_world w;
    hb_part_plan plan;
    joint_world_open(&w, &chains[0], 2, 1);
    assert_int_equal(hb_part_plan_make(w.params, 5, 40, 2, 0, &plan), HB_EUSAGE);
    assert_int_equal(hb_part_plan_make(w.params, 5, 40, 2, (uint64_t)1 << 40, &plan), HB_EUSAGE);
    double noise = 40;
    while (hb_part_plan_make(w.params, 5, noise, 2, 100, &plan) == HB_OK) {
        assert_true(hb_quality_bits(w.params, 5, plan.worst) >= 1);
        noise += 0.25;
    }
    assert_int_equal(hb_part_plan_make(w.params, 5, noise, 2, 100, &plan), HB_EDATA);
    assert_true(noise > 150 && noise < 225); /* bits of the data primes, less the width */
    assert_int_equal(hb_part_plan_make(w.params, 2, 60, 2, 100, &plan), HB_EDATA);
    joint_world_close(&w);
}

/* The exact squared Hellinger distance of A - B and A - B + 1 is within the bound that the width is chosen by. */
static void widths_are_proven(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 12; w++) {
        double sum = 0;
        for (uint64_t m = 0; m < (uint64_t)1 << w; m++) {
            const double step = sqrt((double)m + 1) - sqrt((double)m);
            sum += step * step;
        }
        assert_true(sum <= 1 + (1 + w * log(2)) / 4);
    }
}

/* --- the noise */

/* Word i of a stream. */
static uint64_t word_of(const hb_seed *seed, uint64_t item, size_t i, uint32_t bits)
{
    const uint64_t word = hb_keystream_word((hb_draw){seed, HB_DRAW_PART, item}, 0, i);
    return bits < 64 ? word & (((uint64_t)1 << bits) - 1) : word;
}

/* 2^u (A - B) + U - 2^(u - 1) modulo q, of coefficient i. */
static uint64_t flood_modulo(const hb_seed *seed, const hb_part_plan *plan, size_t i, uint64_t q)
{
    const uint64_t a = word_of(seed, 0, i, plan->w) % q, b = word_of(seed, 1, i, plan->w) % q;
    uint64_t f = slow_mul((a + q - b) % q, slow_pow(2, plan->u, q), q);
    for (uint32_t k = 0; 64 * k < plan->u; k++) {
        const uint32_t bits = plan->u - 64 * k < 64 ? plan->u - 64 * k : 64;
        f = (f + slow_mul(word_of(seed, 2 + k, i, bits) % q, slow_pow(2, 64 * k, q), q)) % q;
    }
    return (f + q - slow_pow(2, plan->u - 1, q)) % q;
}

/* The part of a secret that is 0 is its noise. */
static void noise_is_its_definition(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 20, 63, 64, 65, 100, 128, 190};
    joint_world w;
    joint_world_open(&w, &chains[0], 2, 3);
    const size_t n = w.params->spec.n;
    const uint32_t limbs = w.params->data_limbs;
    int8_t *zeros = calloc(n, 1);
    hb_secret_key zero;
    hb_batch h;
    hb_seed seeds[COUNT] = {{{1}}, {{2}}};
    assert_int_equal(hb_secret_key_load(&zero, w.engine, w.params, zeros), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &h, COUNT, limbs, w.params->ids), HB_OK);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        const hb_part_plan plan = {.u = widths[k], .w = k % 2 == 0 ? 62 : 40};
        hb_part_maker *maker;
        memset(h.data, 0, COUNT * h.stride * sizeof *h.data);
        assert_int_equal(hb_part_maker_open(w.engine, &zero, limbs, &plan, COUNT, &maker), HB_OK);
        assert_int_equal(hb_part_make(maker, h, h, seeds), HB_OK);
        for (size_t c = 0; c < COUNT; c++) {
            for (uint32_t l = 0; l < limbs; l++) {
                for (size_t i = 0; i < n; i += 1 + i / 7) {
                    assert_int_equal(h.data[c * h.stride + l * n + i],
                                     flood_modulo(&seeds[c], &plan, i, w.params->ring.moduli[l].value));
                }
            }
        }
        hb_part_maker_close(maker);
    }
    hb_batch_free(w.engine, &h);
    hb_secret_key_clear(&zero);
    free(zeros);
    joint_world_close(&w);
}

/* --- decryption */

/* A table of values in slots, and ciphertexts of it with their proven noise. */
typedef struct sealed {
    uint64_t *values; /* [COUNT][n] */
    hb_ciphertexts c;
    hb_quality noise;
} sealed;

static sealed sealed_new(const joint_world *w, uint32_t size)
{
    sealed r = {.values = calloc(COUNT * w->params->spec.n, sizeof(uint64_t))};
    assert_int_equal(hb_ciphertexts_alloc(&r.c, w->engine, w->params, size, COUNT, w->params->data_limbs), HB_OK);
    return r;
}

static void sealed_free(const joint_world *w, sealed *a)
{
    free(a->values);
    hb_batch_free(w->engine, &a->c.all);
}

static sealed encrypt(const joint_world *w, uint64_t seed)
{
    const size_t n = w->params->spec.n;
    sealed r = sealed_new(w, 2);
    hb_codec *codec;
    hb_encryptor *x;
    hb_batch values, plain;
    const hb_seed root = {{(uint8_t)seed}};
    assert_int_equal(hb_codec_open(w->engine, w->params, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&values, w->engine, w->params, COUNT), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, w->params, w->params->data_limbs, COUNT), HB_OK);
    for (size_t i = 0; i < COUNT * n; i++) {
        values.data[i] = r.values[i] = slow_random(&seed) % w->params->spec.bfv.plain;
    }
    assert_int_equal(hb_encode(codec, plain, values), HB_OK);
    assert_int_equal(hb_encryptor_open(w->engine, NULL, &w->public_key, HB_BINOMIAL, COUNT, &x), HB_OK);
    assert_int_equal(
        hb_encrypt(x, hb_ciphertexts_component(r.c, 0), hb_ciphertexts_component(r.c, 1), NULL, plain, &root, 0),
        HB_OK);
    r.noise = hb_quality_fresh(w->params, true, HB_BINOMIAL);
    hb_encryptor_close(x);
    hb_batch_free(w->engine, &values);
    hb_batch_free(w->engine, &plain);
    hb_codec_close(codec);
    return r;
}

/* The values of phases, which are destroyed, and the least of their budgets. */
static uint32_t open_phases(const joint_world *w, hb_decryptor *decryptor, hb_batch phase, uint64_t *values,
                            const hb_part_plan *plan)
{
    uint32_t budgets[COUNT];
    hb_codec *codec;
    hb_batch decoded, plain;
    assert_int_equal(hb_codec_open(w->engine, w->params, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&decoded, w->engine, w->params, COUNT), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, w->params, w->params->data_limbs, COUNT), HB_OK);
    if (plan != NULL) {
        assert_int_equal(hb_combiner_decrypt(decryptor, plain, phase, plan, 0, budgets), HB_OK);
    } else {
        assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
        assert_int_equal(hb_decryptor_measure(decryptor, budgets, phase), HB_OK);
    }
    assert_int_equal(hb_decode(codec, decoded, plain), HB_OK);
    memcpy(values, decoded.data, COUNT * w->params->spec.n * sizeof *values);
    hb_batch_free(w->engine, &decoded);
    hb_batch_free(w->engine, &plain);
    hb_codec_close(codec);
    return budgets[0] < budgets[1] ? budgets[0] : budgets[1];
}

/* A copy of components 0 and 1, in two batches. */
static void copy_pair(const joint_world *w, const sealed *a, hb_batch *c0, hb_batch *c1)
{
    hb_batch *const to[] = {c0, c1};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(hb_batch_alloc(w->engine, to[i], COUNT, w->params->data_limbs, w->params->ids), HB_OK);
        assert_int_equal(hb_copy(w->engine, *to[i], hb_ciphertexts_component(a->c, i)), HB_OK);
    }
}

/* The seeds of one owner's parts of these ciphertexts. */
static void make_seeds(const joint_world *w, uint32_t owner, const hb_part_plan *plan, hb_batch c1, hb_seed *seeds)
{
    const hb_part_request request = {
        .session_id = w->id, .owners = w->cards, .count = w->session.owners, .u = plan->u, .w = plan->w};
    const size_t bytes = hb_packed_bytes(&w->params->ring, w->params->ids, c1.limbs);
    uint8_t *packed = malloc(bytes), rows[HB_MAX_LIMBS * HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES],
            context[HB_DIGEST_BYTES];
    for (size_t c = 0; c < COUNT; c++) {
        assert_int_equal(hb_pack(w->engine, (hb_packed){packed, 1, 0, 1}, hb_batch_slice(c1, c, 1)), HB_OK);
        const uint8_t *row = packed;
        for (uint32_t l = 0; l < c1.limbs; l++) {
            const size_t row_bytes = hb_packed_row_bytes(w->params->spec.n, &w->params->ring.moduli[c1.ids[l]]);
            hb_digest_row(rows + l * HB_DIGEST_BYTES, row, row_bytes);
            row += row_bytes;
        }
        hb_part_c1_digest(digest, c1.limbs, rows);
        hb_part_context(context, &request, digest);
        hb_part_seed(&seeds[c], &w->owner[owner].own, context);
    }
    free(packed);
}

/* Adds the part of one owner to the phase. */
static void add_part(const joint_world *w, uint32_t owner, const hb_part_plan *plan, hb_batch phase, const sealed *a)
{
    hb_batch c0, c1;
    hb_seed seeds[COUNT];
    hb_part_maker *maker;
    copy_pair(w, a, &c0, &c1);
    make_seeds(w, owner, plan, c1, seeds);
    assert_int_equal(hb_part_maker_open(w->engine, &w->owner[owner].secret, w->params->data_limbs, plan, COUNT, &maker),
                     HB_OK);
    assert_int_equal(hb_part_make(maker, c0, c1, seeds), HB_OK); /* c0 holds no copy any more */
    assert_int_equal(hb_add(w->engine, phase, phase, c0), HB_OK);
    hb_part_maker_close(maker);
    hb_batch_free(w->engine, &c0);
    hb_batch_free(w->engine, &c1);
}

/* Decryption by the sum of the secrets, and by the parts of all owners: the same values, the right ones, and noise
 * within its bounds. */
static void check_decryption(const joint_world *w, const sealed *a)
{
    const hb_params *p = w->params;
    const uint32_t limbs = p->data_limbs;
    const size_t bytes = COUNT * p->spec.n * sizeof(uint64_t);
    uint64_t *values = malloc(bytes);
    hb_batch c0, c1;
    hb_decryptor *decryptor, *combiner;
    hb_part_plan plan;
    copy_pair(w, a, &c0, &c1);
    assert_int_equal(hb_decryptor_open(w->engine, &w->sum, limbs, COUNT, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, c0, c0, c1), HB_OK);
    const double left = open_phases(w, decryptor, c0, values, NULL);
    assert_memory_equal(values, a->values, bytes);
    assert_true(left >= hb_quality_bits(p, limbs, a->noise.worst));
    assert_true(fabs(left - hb_quality_bits(p, limbs, a->noise.expected)) <= 2);
    hb_decryptor_close(decryptor);

    assert_int_equal(hb_part_plan_make(p, limbs, a->noise.worst, w->session.owners, w->session.results, &plan), HB_OK);
    assert_int_equal(hb_copy(w->engine, c0, hb_ciphertexts_component(a->c, 0)), HB_OK);
    for (uint32_t i = 0; i < w->session.owners; i++) {
        add_part(w, i, &plan, c0, a);
    }
    assert_int_equal(hb_combiner_open(w->engine, p, limbs, COUNT, &combiner), HB_OK);
    memset(values, 0, bytes);
    const double combined = open_phases(w, combiner, c0, values, &plan);
    assert_memory_equal(values, a->values, bytes);
    /* The largest of the noises is near its bound. */
    assert_true(combined <= hb_quality_bits(p, limbs, plan.worst) + 2);
    hb_decryptor_close(combiner);
    hb_batch_free(w->engine, &c0);
    hb_batch_free(w->engine, &c1);
    free(values);
}

/* The product of a and b, relinearized with the joint key. */
static sealed multiply(const joint_world *w, hb_evaluator *x, const sealed *a, const sealed *b)
{
    const hb_params *p = w->params;
    const uint32_t limbs = p->data_limbs;
    sealed wide = sealed_new(w, 3), r = sealed_new(w, 2);
    assert_int_equal(hb_evaluator_multiply(x, wide.c, a->c, b->c), HB_OK);
    assert_int_equal(hb_evaluator_relinearize(x, r.c, wide.c, &w->relin), HB_OK);
    for (size_t i = 0; i < COUNT * p->spec.n; i++) {
        r.values[i] = slow_mul(a->values[i], b->values[i], p->spec.bfv.plain);
    }
    const hb_quality_factor fa = {.quality = a->noise, .size = 2}, fb = {.quality = b->noise, .size = 2};
    r.noise = hb_quality_switch(p, limbs, hb_quality_multiply(p, limbs, fa, fb), HB_SWITCH_RELIN);
    sealed_free(w, &wide);
    return r;
}

/* Element 3 brings every slot its right neighbour, 2 N - 1 those of the other row. */
static sealed rotate(const joint_world *w, hb_evaluator *x, const sealed *a, uint32_t k)
{
    const hb_params *p = w->params;
    const size_t n = p->spec.n, row = n / 2;
    sealed r = sealed_new(w, 2);
    assert_int_equal(hb_evaluator_galois(x, r.c, a->c, &w->rotation[k]), HB_OK);
    for (size_t i = 0; i < COUNT * n; i++) {
        const size_t c = i / n, at = i % n;
        const size_t from = k == 0 ? at / row * row + (at + 1) % row : (at + row) % n;
        r.values[i] = a->values[c * n + from];
    }
    r.noise = hb_quality_switch(p, p->data_limbs, a->noise, HB_SWITCH_GALOIS);
    return r;
}

static void parts_decrypt_as_the_sum(void **state)
{
    (void)state;
    for (size_t c = 0; c < CHAINS; c++) {
        for (size_t k = 0; k < COUNTS; k++) {
            joint_world w;
            hb_evaluator *x;
            joint_world_open(&w, &chains[c], owner_counts[k], (int)(16 * c + k));
            joint_make_keys(&w);
            const hb_evaluator_requirements requirements = {
                .limbs = w.params->data_limbs, .count = COUNT, .size = 2, .switching = true};
            assert_int_equal(hb_evaluator_open(w.engine, w.params, &requirements, &x), HB_OK);
            sealed a = encrypt(&w, 3), b = encrypt(&w, 4), product = multiply(&w, x, &a, &b),
                   rotated = rotate(&w, x, &product, 0), swapped = rotate(&w, x, &rotated, 1);
            sealed *const all[] = {&a, &b, &product, &rotated, &swapped};
            for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                check_decryption(&w, all[i]);
                sealed_free(&w, all[i]);
            }
            hb_evaluator_close(x);
            joint_world_close(&w);
        }
    }
}

/* --- what is refused, and what is the same */

static void wrong_parts_are_refused(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[0], 3, 5);
    joint_make_keys(&w);
    const hb_params *p = w.params;
    const uint32_t limbs = p->data_limbs;
    sealed a = encrypt(&w, 8);
    hb_batch phase, c1, plain;
    hb_decryptor *combiner;
    hb_part_plan plan;
    uint32_t budgets[COUNT];
    assert_int_equal(hb_part_plan_make(p, limbs, a.noise.worst, 3, w.session.results, &plan), HB_OK);
    copy_pair(&w, &a, &phase, &c1);
    add_part(&w, 0, &plan, phase, &a);
    add_part(&w, 1, &plan, phase, &a); /* and none of the third */
    assert_int_equal(hb_combiner_open(w.engine, p, limbs, COUNT, &combiner), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w.engine, p, limbs, COUNT), HB_OK);
    assert_int_equal(hb_combiner_decrypt(combiner, plain, phase, &plan, 0, budgets), HB_EDATA);
    for (size_t i = 0; i < COUNT * p->spec.n; i++) {
        assert_int_equal(plain.data[i], 0);
    }
    hb_decryptor_close(combiner);
    hb_batch_free(w.engine, &plain);
    hb_batch_free(w.engine, &phase);
    hb_batch_free(w.engine, &c1);
    sealed_free(&w, &a);
    joint_world_close(&w);
}

/* Noise follows from the context alone, and every part of a request is in the context. */
static void contexts_depend_on_every_field(void **state)
{
    (void)state;
    enum { CONTEXTS = 11 };
    const uint8_t id[HB_DIGEST_BYTES] = {1}, other[HB_DIGEST_BYTES] = {2};
    uint8_t rows[2 * HB_DIGEST_BYTES] = {3}, digest[HB_DIGEST_BYTES], contexts[CONTEXTS][HB_DIGEST_BYTES];
    hb_owner_card cards[3] = {{.name = "a"}, {.name = "ab"}, {.name = "c"}};
    for (int i = 0; i < CONTEXTS; i++) {
        hb_part_request request = {.session_id = i == 1 ? other : id, .owners = cards, .count = 2, .u = 50, .w = 51};
        request.count += i == 2;
        request.u += i == 3;
        request.w += i == 4;
        request.cells[31] = i == 5;
        request.receiver[15] = i == 6;
        rows[0] = i == 7 ? 4 : 3;
        cards[1].name[1] = i == 8 ? 'c' : 'b';
        request.owners += i == 9;
        hb_part_c1_digest(digest, i == 10 ? 1 : 2, rows);
        hb_part_context(contexts[i], &request, digest);
        for (int j = 0; j < i; j++) {
            assert_memory_not_equal(contexts[i], contexts[j], sizeof contexts[i]);
        }
    }
    hb_seed seed, again;
    const hb_seed own = {{1}}, another = {{2}};
    hb_part_seed(&seed, &own, contexts[0]);
    hb_part_seed(&again, &own, contexts[0]);
    assert_memory_equal(&seed, &again, sizeof seed);
    hb_part_seed(&again, &another, contexts[0]);
    assert_memory_not_equal(&seed, &again, sizeof seed);
}

HB_UNIT(part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_the_formulae),
        cmocka_unit_test(parts_that_do_not_fit_are_refused),
        cmocka_unit_test(widths_are_proven),
        cmocka_unit_test(noise_is_its_definition),
        cmocka_unit_test(parts_decrypt_as_the_sum),
        cmocka_unit_test(wrong_parts_are_refused),
        cmocka_unit_test(contexts_depend_on_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
