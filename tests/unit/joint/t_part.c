/* Parts of decryptions: those of all owners decrypt as the sum of the secrets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "joint/bfv_pads.h"
#include "joint/part.h"
#include "joint/receiver.h"
#include "reference/joint_cipher.h"
#include "scheme/evaluator.h"
#include "unit/unit.h"

static const joint_chain chains[] = {
    {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193},
    {2048, {49, 50, 50, 50, 50, 51}, 6, 786433},
    {4096, {55, 55, 55, 55, 56}, 5, 1032193},
};
enum { CHAINS = sizeof chains / sizeof *chains };
static const uint32_t owner_counts[] = {2, 3, 5};
enum { COUNTS = sizeof owner_counts / sizeof *owner_counts };

/* --- decryption */

/* The seeds of one owner's parts of these ciphertexts. */
static void make_seeds(const joint_world *w, uint32_t owner, const hb_part_plan *plan, hb_batch c1, hb_seed *seeds)
{
    const hb_part_request request = {
        .session_id = w->id, .owners = w->cards, .count = w->session.owners, .plan = *plan};
    uint8_t digests[COUNT][HB_DIGEST_BYTES], context[HB_DIGEST_BYTES];
    joint_c1_digests(w, c1, digests);
    for (size_t c = 0; c < COUNT; c++) {
        hb_part_context(context, &request, digests[c]);
        hb_part_seed(&seeds[c], &w->owner[owner].own, context);
    }
}

static hb_status make_part(const joint_world *w, uint32_t owner, const hb_part_plan *plan, hb_batch h, hb_batch c1,
                           const hb_seed *seeds)
{
    return hb_part_make(w->engine, &w->owner[owner].secret, plan->flood, h, c1, seeds);
}

/* Adds the part of one owner to the phase. */
static void add_part(const joint_world *w, uint32_t owner, const hb_part_plan *plan, hb_batch phase, const sealed *a)
{
    hb_batch c0, c1;
    hb_seed seeds[COUNT];
    copy_pair(w, a, &c0, &c1);
    make_seeds(w, owner, plan, c1, seeds);
    assert_int_equal(make_part(w, owner, plan, c0, c1, seeds), HB_OK); /* c0 holds no copy any more */
    assert_int_equal(hb_add(w->engine, phase, phase, c0), HB_OK);
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

    assert_int_equal(hb_part_plan_make(p, limbs, a->noise.worst, w->session.owners, w->session.results, 0, &plan),
                     HB_OK);
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

/* --- cells alone */

/* The values that one owner puts into slots of ciphertext c that are no cell. */
static void add_pads_of(const joint_world *w, const hb_seed *seed, uint64_t *sums)
{
    hb_seed pad;
    hb_batch values;
    hb_seed_derive(&pad, seed, "pad");
    assert_int_equal(hb_values_alloc(&values, w->engine, w->params, 1), HB_OK);
    assert_int_equal(hb_sample_uniform(w->engine, values, &pad), HB_OK);
    for (size_t i = 0; i < w->params->spec.n; i++) {
        sums[i] = (sums[i] + values.data[i]) % w->params->spec.bfv.plain;
    }
    hb_batch_free(w->engine, &values);
}

/* Adds the padded part of one owner to the phase, and its pads to their sums. */
static void add_padded(const joint_world *w, uint32_t owner, const hb_part_plan *plan, hb_batch phase, const sealed *a,
                       hb_batch strays, uint64_t *sums)
{
    hb_batch c0, c1;
    hb_seed seeds[COUNT];
    hb_pads *pads;
    copy_pair(w, a, &c0, &c1);
    make_seeds(w, owner, plan, c1, seeds);
    assert_int_equal(hb_pads_open(w->engine, w->params, w->params->data_limbs, HB_ENCODE_SLOTS, COUNT, &pads), HB_OK);
    assert_int_equal(make_part(w, owner, plan, c1, c1, seeds), HB_OK);
    assert_int_equal(hb_pads_add(pads, c1, strays, seeds), HB_OK);
    assert_int_equal(hb_add(w->engine, phase, phase, c1), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        add_pads_of(w, &seeds[c], sums + c * w->params->spec.n);
    }
    hb_pads_close(pads);
    hb_batch_free(w->engine, &c0);
    hb_batch_free(w->engine, &c1);
}

/* Cells are as they were; other slots are moved by the sums of all owners' uniform values. */
static void slots_that_are_no_cell_are_hidden(void **state)
{
    (void)state;
    for (size_t each = 1; each <= COUNT; each++) { /* one mask for all ciphertexts, and one each */
        joint_world w;
        hb_batch phase, c1, strays;
        hb_decryptor *combiner;
        hb_part_plan plan;
        joint_world_open(&w, &chains[1], 3, 6);
        joint_make_keys(&w);
        const size_t n = w.params->spec.n, bytes = COUNT * n * sizeof(uint64_t);
        const uint32_t limbs = w.params->data_limbs;
        const uint64_t t = w.params->spec.bfv.plain;
        uint64_t *sums = calloc(1, bytes), *values = malloc(bytes);
        sealed a = encrypt(&w, 8);
        assert_int_equal(hb_values_alloc(&strays, w.engine, w.params, each), HB_OK);
        for (size_t i = 0; i < each * n; i++) {
            strays.data[i] = i / n == 0 ? i % 3 != 0 : i % n >= 100;
        }
        assert_int_equal(hb_part_plan_make(w.params, limbs, a.noise.worst, 3, w.session.results, 0, &plan), HB_OK);
        copy_pair(&w, &a, &phase, &c1);
        for (uint32_t i = 0; i < 3; i++) {
            add_padded(&w, i, &plan, phase, &a, strays, sums);
        }
        assert_int_equal(hb_combiner_open(w.engine, w.params, limbs, COUNT, &combiner), HB_OK);
        (void)open_phases(&w, combiner, phase, values, &plan);
        for (size_t i = 0; i < COUNT * n; i++) {
            const uint64_t stray = strays.data[each == 1 ? i % n : i];
            assert_int_equal(values[i], (a.values[i] + stray * sums[i]) % t);
        }
        hb_decryptor_close(combiner);
        hb_batch_free(w.engine, &phase);
        hb_batch_free(w.engine, &c1);
        hb_batch_free(w.engine, &strays);
        sealed_free(&w, &a);
        free(sums);
        free(values);
        joint_world_close(&w);
    }
}

/* --- other keys */

/* Turns the part of one owner of w to the key of `to`, and adds it to a ciphertext under that key. */
static void add_for(const joint_world *w, const joint_world *to, uint32_t owner, const hb_part_plan *plan, hb_batch r0,
                    hb_batch r1, const sealed *a)
{
    hb_batch c0, c1;
    hb_seed seeds[COUNT];
    hb_receiver *receiver;
    const uint32_t limbs = w->params->data_limbs;
    copy_pair(w, a, &c0, &c1);
    make_seeds(w, owner, plan, c1, seeds);
    assert_int_equal(hb_receiver_open(w->engine, &to->public_key, limbs, COUNT, &receiver), HB_OK);
    assert_int_equal(make_part(w, owner, plan, c1, c1, seeds), HB_OK);
    assert_int_equal(hb_receiver_turn(receiver, c1, c0, seeds), HB_OK); /* c0: memory for component 1 */
    assert_int_equal(hb_add(w->engine, r0, r0, c1), HB_OK);
    assert_int_equal(owner == 0 ? hb_copy(w->engine, r1, c0) : hb_add(w->engine, r1, r1, c0), HB_OK);
    hb_receiver_close(receiver);
    hb_batch_free(w->engine, &c0);
    hb_batch_free(w->engine, &c1);
}

/* The key of one other owner, or of two; without their secret the sum does not open. */
static void parts_for_another_key_open_with_it(void **state)
{
    (void)state;
    for (uint32_t receiving = 1; receiving <= 2; receiving++) {
        joint_world w, to;
        hb_batch r0, r1, copy;
        hb_decryptor *decryptor;
        hb_part_plan plan, clear;
        joint_world_open(&w, &chains[1], 3, 6);
        joint_world_open(&to, &chains[1], receiving, 77);
        joint_make_keys(&w);
        joint_make_keys(&to);
        const hb_params *p = w.params;
        const uint32_t limbs = p->data_limbs;
        const size_t bytes = COUNT * p->spec.n * sizeof(uint64_t);
        uint64_t *values = malloc(bytes);
        sealed a = encrypt(&w, 9);
        assert_int_equal(hb_part_plan_make(p, limbs, a.noise.worst, 3, 1, receiving, &plan), HB_OK);
        assert_int_equal(hb_part_plan_make(p, limbs, a.noise.worst, 3, 1, 0, &clear), HB_OK);
        assert_true(plan.worst > clear.worst);
        copy_pair(&w, &a, &r0, &r1);
        for (uint32_t i = 0; i < 3; i++) {
            add_for(&w, &to, i, &plan, r0, r1, &a);
        }
        assert_int_equal(hb_batch_alloc(w.engine, &copy, COUNT, limbs, p->ids), HB_OK);
        assert_int_equal(hb_copy(w.engine, copy, r0), HB_OK);
        assert_int_equal(hb_decryptor_open(w.engine, &to.sum, limbs, COUNT, &decryptor), HB_OK);
        assert_int_equal(open_phases(&w, decryptor, copy, values, NULL), 0); /* without the secret */
        assert_memory_not_equal(values, a.values, bytes);
        assert_int_equal(hb_phase(decryptor, r0, r0, r1), HB_OK);
        assert_true(open_phases(&w, decryptor, r0, values, NULL) >= hb_quality_bits(p, limbs, plan.worst));
        assert_memory_equal(values, a.values, bytes);
        hb_decryptor_close(decryptor);
        hb_batch_free(w.engine, &r0);
        hb_batch_free(w.engine, &r1);
        hb_batch_free(w.engine, &copy);
        sealed_free(&w, &a);
        free(values);
        joint_world_close(&w);
        joint_world_close(&to);
    }
}

/* --- what is refused */

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
    assert_int_equal(hb_part_plan_make(p, limbs, a.noise.worst, 3, w.session.results, 0, &plan), HB_OK);
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

/* Bytes of this process that are locked. */
static uint64_t locked_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long kib = 0;
    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL) {
        (void)sscanf(line, "VmLck: %lu kB", &kib);
    }
    fclose(status);
    return (uint64_t)kib * 1024; /* 2^10 */
}

/* Values that hide others tell these where they are known: they do not reach swap. */
static void pads_are_locked(void **state)
{
    (void)state;
    enum { MUCH = 8 };
    const uint64_t most = (uint64_t)8 << 20;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    /* Sanitizers lock nothing. */
    static uint8_t probe[1 << 16];
    const uint64_t without = locked_bytes();
    hb_lock(probe, sizeof probe);
    if (limit.rlim_cur < most || locked_bytes() == without) {
        skip();
    }
    joint_world w;
    hb_pads *pads;
    joint_world_open(&w, &chains[2], 2, 6);
    const uint32_t limbs = w.params->data_limbs;
    const uint64_t before = locked_bytes();
    assert_int_equal(hb_pads_open(w.engine, w.params, limbs, HB_ENCODE_SLOTS, MUCH, &pads), HB_OK);
    assert_true(locked_bytes() >= before + hb_pads_bytes(w.params, MUCH));
    hb_pads_close(pads);
    joint_world_close(&w);
}

HB_UNIT(part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pads_are_locked),
        cmocka_unit_test(parts_decrypt_as_the_sum),
        cmocka_unit_test(slots_that_are_no_cell_are_hidden),
        cmocka_unit_test(parts_for_another_key_open_with_it),
        cmocka_unit_test(wrong_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
