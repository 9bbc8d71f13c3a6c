/* The products of the cases of vectors/integers (int_vectors.h): of messages and of ciphertexts, until no budget is
 * left for one more. */
#ifndef HB_TESTS_INT_PRODUCTS_H
#define HB_TESTS_INT_PRODUCTS_H

#include "cpu/engine.h"
#include "reference/int_vectors.h"
#include "scheme/cipher.h"

enum { INT_MOST_FACTORS = 12 };

/* A case with the coefficients of its messages, and of their product. */
typedef struct int_script {
    int_case c;
    uint32_t factors;
    uint64_t message[INT_MOST_FACTORS][MODEL_N], product[MODEL_N];
    uint64_t again[MODEL_N]; /* the product times message 1 again */
} int_script;

/* Messages are made once, on an engine of their own. */
static inline void int_make_messages(int_script *x)
{
    hb_params *params = NULL;
    hb_engine *engine = NULL;
    hb_batch slots;
    assert_int_equal(hb_params_open(&x->c.spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    const uint16_t id = hb_bfv_of(params)->plain_id;
    const hb_modulus *t = &params->ring.moduli[id];
    assert_int_equal(hb_batch_alloc(engine, &slots, 1, 1, &id), HB_OK);
    for (uint32_t i = 0; i < x->factors; i++) {
        int_slots(slots.data, t->value, i);
        for (size_t j = 0; j < MODEL_N; j++) {
            x->product[j] = i == 0 ? slots.data[j] : hb_mod_mul(x->product[j], slots.data[j], t);
        }
        assert_int_equal(hb_intt(engine, slots), HB_OK);
        memcpy(x->message[i], slots.data, sizeof x->message[i]);
    }
    int_slots(x->again, t->value, 1);
    for (size_t j = 0; j < MODEL_N; j++) {
        x->again[j] = hb_mod_mul(x->again[j], x->product[j], t);
    }
    uint64_t *const products[] = {x->product, x->again};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        memcpy(slots.data, products[i], sizeof x->product);
        assert_int_equal(hb_intt(engine, slots), HB_OK);
        memcpy(products[i], slots.data, sizeof x->product);
    }
    hb_batch_free(engine, &slots);
    hb_engine_close(engine);
    hb_params_close(params);
}

static inline void int_script_open(int_script *x, const json_t *index, const char *name)
{
    x->c = int_case_of(index, name);
    x->factors = (uint32_t)int_number(int_item(&x->c, "operand"), "products") + 1;
    assert_in_range(x->factors, 2, INT_MOST_FACTORS);
    int_make_messages(x);
}

/* The words of a file, where all limbs are. */
static inline hb_status int_expect_file(side *s, const char *name, hb_batch a)
{
    char path[512];
    const size_t words = a.count * a.limbs * MODEL_N;
    if (!s->whole) { /* compared with the whole engine */
        return HB_OK;
    }
    uint64_t *expected = take_bytes(s, words * sizeof *expected);
    snprintf(path, sizeof path, HB_TESTS_VECTORS "/integers/%s.u64", name);
    FILE *file = fopen(path, "rb");
    const bool read = file != NULL && fread(expected, sizeof *expected, words, file) == words && fgetc(file) == EOF;
    if (file != NULL) {
        fclose(file);
    }
    return read && memcmp(a.data, expected, words * sizeof *expected) == 0
               ? HB_OK
               : HB_FAIL(HB_DIFFERS, "%s is not what the model has in %s", name, path);
}

/* The words of an item, by its digest; in the one case of which words are kept by these too. */
static inline hb_status int_expect_item(side *s, const int_script *x, const char *item, hb_batch a)
{
    HB_TRY(int_expect(s, &x->c, item, a));
    const bool kept = strcmp(x->c.name, "int-16") == 0 && json_is_true(json_object_get(int_item(&x->c, item), "kept"));
    return kept ? int_expect_file(s, item, a) : HB_OK;
}

/* The ciphertext decrypts to these coefficients, with the budget that the model found. */
static inline hb_status int_expect_decrypted(side *s, const int_script *x, const char *item, const uint64_t *product,
                                             hb_ciphertexts a)
{
    hb_secret_key secret = {0};
    hb_decryptor *decryptor = NULL;
    const size_t before = s->takens;
    const hb_batch copy = model_take(s, 2, a.all.limbs);
    hb_batch phase = model_take(s, 1, a.all.limbs), plain = take(s, 1, 1, &hb_bfv_of(s->params)->plain_id, 0);
    uint32_t budget = 0;
    hb_status st;
    HB_GOTO(int_secret(s, &secret));
    HB_GOTO(hb_decryptor_open(s->engine, &secret, a.all.limbs, 1, &decryptor));
    HB_GOTO(hb_copy(s->engine, copy, a.all)); /* which the phase destroys */
    HB_GOTO(hb_phase(decryptor, phase, hb_batch_slice(copy, 0, 1), hb_batch_slice(copy, 1, 1)));
    HB_GOTO(hb_decrypt(decryptor, plain, phase));
    HB_GOTO(hb_finish(s->engine));
    if (hb_limb_here(s->engine, plain.ids[0]) && memcmp(plain.data, product, MODEL_N * sizeof *product) != 0) {
        HB_GOTO(HB_FAIL(HB_DIFFERS, "%s does not decrypt to the product of the messages", item));
    }
    HB_GOTO(hb_decryptor_measure(decryptor, &budget, phase));
    if (budget != int_number(int_item(&x->c, item), "budget")) {
        HB_GOTO(HB_FAIL(HB_DIFFERS, "%s has a budget of %u", item, budget));
    }
done:
    hb_decryptor_close(decryptor);
    hb_secret_key_clear(&secret);
    give_back(s, before);
    return st;
}

/* a = a times the next message; wide: memory for the product. */
static inline hb_status int_multiply_next(side *s, hb_evaluator *ev, const hb_switch_key *key, const int_script *x,
                                          uint32_t i, hb_ciphertexts a)
{
    const size_t before = s->takens;
    hb_ciphertexts fresh, wide = room(s, 3, 1, a.all.limbs);
    wide.form = HB_COEFFICIENT_FORM;
    HB_TRY(int_encrypt(s, &fresh, x->message[i], i));
    HB_TRY(hb_evaluator_multiply(ev, wide, a, fresh));
    HB_TRY(i == 1 ? int_expect_item(s, x, "tensor", wide.all) : HB_OK);
    HB_TRY(i == 1 && strcmp(x->c.name, "int-16") == 0 ? int_expect_item(s, x, "y", fresh.all) : HB_OK);
    HB_TRY(hb_evaluator_relinearize(ev, a, wide, key));
    HB_TRY(hb_finish(s->engine));
    give_back(s, before);
    return HB_OK;
}

/* Sets *out to the operand of the first pass, in memory of the side. keys: of relinearization, for all levels and for
 * the users' alone. */
static inline hb_status int_multiply_all(side *s, hb_evaluator *ev, const hb_switch_keys *keys, const int_script *x,
                                         hb_ciphertexts *out)
{
    HB_TRY(int_encrypt(s, out, x->message[0], 0));
    const hb_ciphertexts a = *out;
    HB_TRY(strcmp(x->c.name, "int-16") == 0 ? int_expect_item(s, x, "x", a.all) : HB_OK);
    for (uint32_t i = 1; i < x->factors; i++) {
        /* A key for the users' level alone is a part of the one for all. */
        HB_TRY(int_multiply_next(s, ev, &keys->key[i % 2], x, i, a));
        HB_TRY(i == 1 ? int_expect_item(s, x, "product", a.all) : HB_OK);
    }
    HB_TRY(int_expect(s, &x->c, "operand", a.all));
    return int_expect_decrypted(s, x, "operand", x->product, a);
}

#endif
