/* Attacks on joint keys that rules of the protocol are there for, and what no rule prevents: what a part of a made-up
 * ciphertext tells, what round 2 tells of sums that somebody chose, and what an owner may add to a result. (Masks:
 * t_masks.c; commitments, and files of others: t_seat.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "joint/part.h"
#include "reference/joint_cipher.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193};
enum { OWNERS = 3, EIGHTH = 8 };

static void open_world(joint_world *w)
{
    joint_world_open(w, &chain, OWNERS, 31);
    joint_make_keys(w);
}

/* floor(Q / 8) mod each of the first `limbs` primes. */
static void eighth_of(const joint_world *w, uint32_t limbs, uint64_t *residues)
{
    uint64_t product = 1; /* Q mod 8 */
    for (uint32_t l = 0; l < limbs; l++) {
        product = product * w->params->spec.primes[l] % EIGHTH;
    }
    for (uint32_t l = 0; l < limbs; l++) { /* (Q - Q mod 8) / 8, and Q is 0 */
        const uint64_t q = w->params->spec.primes[l];
        residues[l] = slow_mul(q - product, slow_pow(EIGHTH, q - 2, q), q);
    }
}

/* A number modulo the first `limbs` primes as a fraction of their product: the nearest eighth, from -4 to 3. */
static int nearest_eighth(const joint_world *w, uint32_t limbs, const uint64_t *residues)
{
    long double fraction = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        const uint64_t q = w->params->spec.primes[l];
        uint64_t rest = 1; /* Q / q mod q */
        for (uint32_t k = 0; k < limbs; k++) {
            rest = k == l ? rest : slow_mul(rest, w->params->spec.primes[k] % q, q);
        }
        fraction += (long double)slow_mul(residues[l], slow_pow(rest, q - 2, q), q) / (long double)q;
    }
    return (int)llroundl((fraction - roundl(fraction)) * EIGHTH);
}

/* How many coefficients of the secret the nearest eighths are. x: [1][limbs], coefficient form. */
static size_t coefficients_told(const joint_world *w, const int8_t *secret, hb_batch x)
{
    const size_t n = w->params->spec.n;
    size_t told = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t residues[HB_MAX_LIMBS];
        for (uint32_t l = 0; l < x.limbs; l++) {
            residues[l] = x.data[l * n + i];
        }
        told += nearest_eighth(w, x.limbs, residues) == secret[i];
    }
    return told;
}

static void fill_constant(hb_batch x, size_t n, const uint64_t *residues)
{
    memset(x.data, 0, x.limbs * n * sizeof *x.data);
    for (uint32_t l = 0; l < x.limbs; l++) {
        x.data[l * n] = residues[l];
    }
}

/* The part of owner 0 of one ciphertext c, in its place. */
static void make_part(const joint_world *w, const hb_part_plan *plan, hb_batch c1)
{
    const hb_seed seed = {{1, 2}};
    assert_int_equal(hb_part_make(w->engine, &w->owner[0].secret, plan->flood, c1, c1, &seed), HB_OK);
}

/* The noise of a part hides the errors of a phase, and not a multiple of Q / 8: so owners make parts of results that
 * they computed again, or whose sum they were told. Nothing shows of a component 1 of encryptions. */
static void parts_of_made_up_ciphertexts_tell_the_secret(void **state)
{
    (void)state;
    joint_world w;
    hb_part_plan plan;
    hb_batch c1;
    uint64_t residues[HB_MAX_LIMBS];
    open_world(&w);
    const size_t n = w.params->spec.n;
    const uint32_t limbs = w.params->data_limbs;
    const double noise = hb_quality_fresh(w.params, true, HB_BINOMIAL).worst;
    assert_int_equal(hb_part_plan_make(w.params, limbs, noise, OWNERS, w.session.results, 0, &plan), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &c1, 1, limbs, w.params->ids), HB_OK);
    eighth_of(&w, limbs, residues);
    fill_constant(c1, n, residues);
    make_part(&w, &plan, c1);
    assert_int_equal(coefficients_told(&w, w.owner[0].ternary, c1), n);
    assert_int_equal(hb_sample_uniform(w.engine, c1, &(hb_seed){{3}}), HB_OK);
    make_part(&w, &plan, c1);
    assert_in_range(coefficients_told(&w, w.owner[0].ternary, c1), 0, n / 4); /* by chance an eighth of them */
    hb_batch_free(w.engine, &c1);
    joint_world_close(&w);
}

/* Round 1 of the others, as who speaks last would choose his in view of theirs, so that the sums become a constant and
 * 0; round 2 for these sums is s_i times the constant. Commitments are why nobody can: with those of the owners' own
 * draws nothing shows. */
static void chosen_sums_tell_the_secret(void **state)
{
    (void)state;
    joint_world w;
    hb_switch_key first, second;
    hb_batch x;
    uint64_t residues[HB_MAX_LIMBS];
    const uint8_t inputs[HB_DIGEST_BYTES] = {9};
    open_world(&w);
    const joint_owner *o = &w.owner[0];
    const size_t n = w.params->spec.n;
    const uint32_t limbs = w.params->key_limbs;
    assert_int_equal(hb_owner_relin_first(&first, &o->secret, &o->own, w.id, w.session.relin_limbs), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &x, 1, limbs, w.params->ids), HB_OK);
    for (int chosen = 0; chosen < 2; chosen++) {
        if (chosen) {
            assert_int_equal(hb_clear(w.engine, first.parts), HB_OK);
            eighth_of(&w, limbs, residues);
            fill_constant(x, n, residues);
            assert_int_equal(hb_ntt(w.engine, x), HB_OK);
            assert_int_equal(hb_copy(w.engine, hb_batch_slice(first.parts, 0, 1), x), HB_OK);
        }
        assert_int_equal(hb_owner_relin_second(&second, &o->secret, &o->own, &first, inputs), HB_OK);
        assert_int_equal(hb_copy(w.engine, x, hb_batch_slice(second.parts, 0, 1)), HB_OK);
        assert_int_equal(hb_intt(w.engine, x), HB_OK);
        const size_t told = coefficients_told(&w, o->ternary, x);
        assert_in_range(told, chosen ? n : 0, chosen ? n : n / 4);
        hb_switch_key_clear(&second);
    }
    hb_switch_key_clear(&first);
    hb_batch_free(w.engine, &x);
    joint_world_close(&w);
}

/* Component 0 and the parts of all; `add`: what the last owner adds to his, [COUNT][limbs]. */
static hb_batch add_parts(const joint_world *w, const sealed *a, const hb_part_plan *plan, hb_batch add)
{
    hb_batch phase, h;
    hb_seed seeds[COUNT] = {{{0}}};
    copy_pair(w, a, &phase, &h);
    for (uint32_t i = 0; i < OWNERS; i++) {
        for (size_t c = 0; c < COUNT; c++) {
            seeds[c] = (hb_seed){{(uint8_t)i, (uint8_t)c}};
        }
        assert_int_equal(hb_copy(w->engine, h, hb_ciphertexts_component(a->c, 1)), HB_OK);
        assert_int_equal(hb_part_make(w->engine, &w->owner[i].secret, plan->flood, h, h, seeds), HB_OK);
        assert_int_equal(hb_add(w->engine, phase, phase, h), HB_OK);
    }
    assert_int_equal(hb_add(w->engine, phase, phase, add), HB_OK);
    hb_batch_free(w->engine, &h);
    return phase;
}

/* round(Q m / t) of the encoding of 1 in slot 5 of every ciphertext. */
static void fill_number(const joint_world *w, hb_batch r)
{
    const hb_params *p = w->params;
    const size_t n = p->spec.n;
    const uint64_t t = p->spec.bfv.plain;
    hb_codec *codec;
    hb_batch values, plain;
    assert_int_equal(hb_codec_open(w->engine, p, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&values, w->engine, p, COUNT), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, p, r.limbs, COUNT), HB_OK);
    memset(values.data, 0, COUNT * n * sizeof *values.data);
    for (size_t c = 0; c < COUNT; c++) {
        values.data[c * n + 5] = 1;
    }
    assert_int_equal(hb_encode(codec, plain, values), HB_OK);
    for (uint32_t l = 0; l < r.limbs; l++) { /* floor(Q m / t) = (Q m - (Q m mod t)) / t; Q is 0 modulo its primes */
        const uint64_t q = p->spec.primes[l], inverse = slow_pow(t % q, q - 2, q);
        uint64_t product = 1;
        for (uint32_t k = 0; k < r.limbs; k++) {
            product = slow_mul(product, p->spec.primes[k] % t, t);
        }
        for (size_t i = 0; i < COUNT * n; i++) {
            const uint64_t rest = slow_mul(product, plain.data[i], t);
            r.data[i / n * r.stride + l * n + i % n] = slow_mul((q - rest % q) % q, inverse, q);
        }
    }
    hb_codec_close(codec);
    hb_batch_free(w->engine, &values);
    hb_batch_free(w->engine, &plain);
}

/* An owner who adds a number to his part changes the result, and nobody notices: results are as honest as all owners
 * are. One whose part is noise is noticed, and who it was is not. */
static void owners_can_change_results(void **state)
{
    (void)state;
    joint_world w;
    hb_part_plan plan;
    hb_decryptor *combiner;
    hb_batch more, plain, phase;
    uint32_t budgets[COUNT];
    open_world(&w);
    const hb_params *p = w.params;
    const size_t n = p->spec.n;
    const uint32_t limbs = p->data_limbs;
    uint64_t *values = malloc(COUNT * n * sizeof *values);
    sealed a = encrypt(&w, 8);
    assert_int_equal(hb_part_plan_make(p, limbs, a.noise.worst, OWNERS, w.session.results, 0, &plan), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &more, COUNT, limbs, p->ids), HB_OK);
    assert_int_equal(hb_combiner_open(w.engine, p, limbs, COUNT, &combiner), HB_OK);
    fill_number(&w, more);
    phase = add_parts(&w, &a, &plan, more);
    (void)open_phases(&w, combiner, phase, values, &plan); /* whatever was added, it is within the bound */
    for (size_t i = 0; i < COUNT * n; i++) {
        assert_int_equal(values[i], (a.values[i] + (i % n == 5)) % p->spec.bfv.plain);
    }
    hb_batch_free(w.engine, &phase);
    const hb_seed seeds[COUNT] = {{{4}}, {{5}}};
    assert_int_equal(hb_sample_uniform(w.engine, more, seeds), HB_OK);
    phase = add_parts(&w, &a, &plan, more);
    assert_int_equal(hb_plaintexts_alloc(&plain, w.engine, p, limbs, COUNT), HB_OK);
    assert_int_equal(hb_combiner_decrypt(combiner, plain, phase, &plan, 0, budgets), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "nobody can tell which"));
    hb_decryptor_close(combiner);
    hb_batch_free(w.engine, &phase);
    hb_batch_free(w.engine, &more);
    hb_batch_free(w.engine, &plain);
    sealed_free(&w, &a);
    free(values);
    joint_world_close(&w);
}

HB_UNIT(attacks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_made_up_ciphertexts_tell_the_secret),
        cmocka_unit_test(chosen_sums_tell_the_secret),
        cmocka_unit_test(owners_can_change_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
