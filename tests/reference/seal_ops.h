/* Results of SEAL's evaluator for ct0, ct1, ct2 and plain2 (tests/vectors: ops), to be reproduced word for word on any
 * engine. Operations work on batches of three ciphertexts, of which SEAL's operands are the last. */
#ifndef HB_TESTS_SEAL_OPS_H
#define HB_TESTS_SEAL_OPS_H

#include "bfv/params.h"
#include "reference/seal_set.h"
#include "ring/galois.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"

#define SEAL_BATCH 3

typedef struct seal_ops {
    seal_set set;
    hb_evaluator *x;
    hb_ciphertexts ct[3]; /* ct[i] holds ct(i + 1), ct(i + 2), cti, indices mod 3 */
    hb_ciphertexts r;     /* room for a product */
    hb_batch plain;       /* plain2 */
    hb_switch_keys keys;
} seal_ops;

static inline hb_ciphertexts seal_cyclic(const seal_ops *s, uint32_t last)
{
    const hb_params *p = s->set.params;
    const size_t words = p->data_limbs * p->ring.n;
    uint64_t *all = malloc(2 * SEAL_BATCH * words * sizeof *all);
    for (uint32_t c = 0; c < SEAL_BATCH; c++) {
        char name[16];
        snprintf(name, sizeof name, "ct%u.u64", (last + 1 + c) % 3);
        uint64_t *ct = read_words(&s->set, name, 2 * words);
        for (uint32_t i = 0; i < 2; i++) {
            memcpy(all + (i * SEAL_BATCH + c) * words, ct + i * words, words * sizeof *ct);
        }
        free(ct);
    }
    const hb_ciphertexts r = {upload(&s->set, all, 2 * SEAL_BATCH, p->data_limbs, p->ids), 2, HB_COEFFICIENT_FORM};
    free(all);
    return r;
}

static inline void seal_add_key(seal_ops *s, const char *name, uint32_t element)
{
    const hb_params *p = s->set.params;
    uint64_t *words = read_words(&s->set, name, (size_t)2 * p->data_limbs * p->key_limbs * p->ring.n);
    hb_switch_key key;
    assert_int_equal(hb_switch_key_load_words(&key, s->set.engine, p, element, words), HB_OK);
    assert_int_equal(hb_switch_keys_add(&s->keys, &key), HB_OK);
    free(words);
}

static inline void seal_ops_open(seal_ops *s, const char *folder, seal_engine open_engine)
{
    memset(s, 0, sizeof *s);
    open_set(&s->set, folder, open_engine);
    const hb_params *p = s->set.params;
    const hb_evaluator_requirements requirements = {.limbs = p->data_limbs,
                                                    .count = SEAL_BATCH,
                                                    .size = 2,
                                                    .switching = true,
                                                    .hoisting = true,
                                                    .plain_factors = true};
    assert_int_equal(hb_evaluator_open(s->set.engine, p, &requirements, &s->x), HB_OK);
    for (uint32_t i = 0; i < 3; i++) {
        s->ct[i] = seal_cyclic(s, i);
    }
    assert_int_equal(hb_ciphertexts_alloc(&s->r, s->set.engine, p, 3, SEAL_BATCH, p->data_limbs), HB_OK);
    uint64_t *plain = read_words(&s->set, "plain2.u64", p->ring.n);
    s->plain = upload(&s->set, plain, 1, 1, &hb_bfv_of(p)->plain_id);
    free(plain);
    seal_add_key(s, "rlk.u64", HB_RELINEARIZATION);
    const json_t *galois = json_object_get(s->set.json, "galois");
    for (size_t k = 0; k < json_array_size(galois); k++) {
        const uint32_t element = (uint32_t)json_integer_value(json_object_get(json_array_get(galois, k), "elt"));
        char name[32];
        snprintf(name, sizeof name, "glk_%u.u64", element);
        seal_add_key(s, name, element);
    }
}

static inline void seal_ops_close(seal_ops *s)
{
    hb_switch_keys_clear(&s->keys);
    hb_batch_free(s->set.engine, &s->plain);
    hb_batch_free(s->set.engine, &s->r.all);
    for (uint32_t i = 0; i < 3; i++) {
        hb_batch_free(s->set.engine, &s->ct[i].all);
    }
    hb_evaluator_close(s->x);
    close_set(&s->set);
}

/* A result of `size` components at the level of `limbs` limbs. */
static inline hb_ciphertexts seal_result(const seal_ops *s, uint32_t size, uint32_t limbs)
{
    return hb_ciphertexts_view(s->r, s->set.engine, s->set.params, size, SEAL_BATCH, limbs);
}

/* The last ciphertext of r equals the file's. */
static inline void seal_expect(const seal_ops *s, hb_ciphertexts r, const char *name)
{
    const size_t words = r.all.limbs * s->set.params->ring.n;
    uint64_t *expected = read_words(&s->set, name, r.size * words), *made = malloc(words * sizeof *made);
    for (uint32_t i = 0; i < r.size; i++) {
        const hb_batch last = hb_batch_slice(hb_ciphertexts_component(r, i), SEAL_BATCH - 1, 1);
        assert_int_equal(hb_download(s->set.engine, made, last.data, words * sizeof *made), HB_OK);
        assert_int_equal(hb_finish(s->set.engine), HB_OK);
        for (size_t j = 0; j < words; j++) {
            if (made[j] != expected[i * words + j]) {
                fail_msg("%s/%s: component %u differs at word %zu", s->set.folder, name, i, j);
            }
        }
    }
    free(made);
    free(expected);
}

static inline void seal_check_linear(const seal_ops *s)
{
    const uint32_t k = s->set.params->data_limbs;
    const hb_ciphertexts r = seal_result(s, 2, k);
    assert_int_equal(hb_evaluator_add(s->x, r, s->ct[0], s->ct[1]), HB_OK);
    seal_expect(s, r, "ops/add.u64");
    assert_int_equal(hb_evaluator_sub(s->x, r, s->ct[0], s->ct[1]), HB_OK);
    seal_expect(s, r, "ops/sub.u64");
    assert_int_equal(hb_evaluator_negate(s->x, r, s->ct[1]), HB_OK);
    seal_expect(s, r, "ops/negate.u64");
    assert_int_equal(hb_evaluator_multiply_integer(s->x, r, s->ct[1], 1), HB_OK);
    assert_int_equal(hb_evaluator_add_plain(s->x, r, s->plain, HB_PLUS), HB_OK);
    seal_expect(s, r, "ops/addplain.u64");
    assert_int_equal(hb_evaluator_multiply_integer(s->x, r, s->ct[1], 1), HB_OK);
    assert_int_equal(hb_evaluator_add_plain(s->x, r, s->plain, HB_MINUS), HB_OK);
    seal_expect(s, r, "ops/subplain.u64");
    assert_int_equal(hb_evaluator_multiply_plain(s->x, r, s->ct[1], s->plain), HB_OK);
    seal_expect(s, r, "ops/mulplain.u64");
    const hb_ciphertexts lower = seal_result(s, 2, k - 1);
    assert_int_equal(hb_evaluator_mod_switch(s->x, lower, s->ct[1]), HB_OK);
    seal_expect(s, lower, "ops/modswitch.u64");
}

static inline void seal_check_products(const seal_ops *s)
{
    const uint32_t k = s->set.params->data_limbs;
    const hb_ciphertexts r = seal_result(s, 3, k), two = seal_result(s, 2, k);
    assert_int_equal(hb_evaluator_multiply(s->x, r, s->ct[2], s->ct[2]), HB_OK);
    seal_expect(s, r, "ops/square.u64");
    assert_int_equal(hb_evaluator_multiply(s->x, r, s->ct[1], s->ct[2]), HB_OK);
    seal_expect(s, r, "ops/mul.u64");
    assert_int_equal(hb_evaluator_relinearize(s->x, two, r, hb_switch_keys_find(&s->keys, HB_RELINEARIZATION)), HB_OK);
    seal_expect(s, two, "ops/mulrelin.u64");
}

static inline void seal_check_rotations(const seal_ops *s)
{
    const hb_params *p = s->set.params;
    const hb_ciphertexts r = seal_result(s, 2, p->data_limbs);
    const char *const files[] = {"ops/rotrows_1.u64", "ops/rotrows_m1.u64", "ops/rotcols.u64"};
    assert_int_equal(hb_evaluator_rotate(s->x, r, s->ct[1], 1, &s->keys), HB_OK);
    seal_expect(s, r, files[0]);
    assert_int_equal(hb_evaluator_rotate(s->x, r, s->ct[1], -1, &s->keys), HB_OK);
    seal_expect(s, r, files[1]);
    assert_int_equal(hb_evaluator_swap(s->x, r, s->ct[1], &s->keys), HB_OK);
    seal_expect(s, r, files[2]);

    const size_t n = p->ring.n;
    const uint32_t elements[] = {hb_galois_rotation(n, 3, 1), hb_galois_rotation(n, 3, -1), hb_galois_swap(n)};
    const hb_switch_key *keys[3];
    hb_ciphertexts hoisted[3];
    for (uint32_t i = 0; i < 3; i++) {
        keys[i] = hb_switch_keys_find(&s->keys, elements[i]);
        assert_int_equal(hb_ciphertexts_alloc(&hoisted[i], s->set.engine, p, 2, SEAL_BATCH, p->data_limbs), HB_OK);
    }
    assert_int_equal(hb_evaluator_galois_hoisted(s->x, hoisted, s->ct[1], keys, 3), HB_OK);
    for (uint32_t i = 0; i < 3; i++) {
        seal_expect(s, hoisted[i], files[i]);
        hb_batch_free(s->set.engine, &hoisted[i].all);
    }
}

/* folder: of one set of vectors. */
static inline void seal_check_ops(const char *folder, seal_engine open_engine)
{
    seal_ops s;
    seal_ops_open(&s, folder, open_engine);
    seal_check_linear(&s);
    seal_check_products(&s);
    seal_check_rotations(&s);
    seal_ops_close(&s);
}

#endif
