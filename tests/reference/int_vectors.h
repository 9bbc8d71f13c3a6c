/* The cases of vectors/integers: chains of integers whose noise is bootstrapped, in a ring of 1024, and the model's
 * secret, keys and fresh ciphertexts there (ckks_model.h), whose streams have seed 1. */
#ifndef HB_TESTS_INT_VECTORS_H
#define HB_TESTS_INT_VECTORS_H

#include <jansson.h>

#include "bfv/level.h"
#include "bfv/params.h"
#include "bootstrapping/eval_mod.h"
#include "reference/ckks_model.h"

/* The purposes of streams of integers, beside those of reals; INT_SLOTS without the seed. */
enum { INT_UNIFORM = 40, INT_ERROR, INT_SLOTS = 200, INT_SEED = 1 };

typedef struct int_case {
    const char *name;
    const json_t *json; /* borrowed */
    hb_params_spec spec;
    uint32_t user_limbs;
} int_case;

/* Reads an index, of passes over noise or of tables; the caller gives it back. */
static inline json_t *int_index_in(const char *path)
{
    json_error_t error;
    json_t *index = json_load_file(path, 0, &error);
    HB_ASSERT(json_is_object(index));
    model_seed = INT_SEED;
    return index;
}

static inline json_t *int_index(void)
{
    return int_index_in(HB_TESTS_VECTORS "/integers/index.json");
}

static inline uint64_t int_number(const json_t *in, const char *name)
{
    const json_t *value = json_object_get(in, name);
    HB_ASSERT(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

static inline const char *int_text(const json_t *in, const char *name)
{
    const char *text = json_string_value(json_object_get(in, name));
    HB_ASSERT(text != NULL);
    return text;
}

static inline hb_eval_mod int_form(const char *name)
{
    static const char *const names[HB_EVAL_MODS] = {"none", "cubic", "sure", "light", "fine", "fine-sure"};
    int form = 0;
    while (strcmp(names[form], name) != 0) {
        form++;
        HB_ASSERT(form < HB_EVAL_MODS);
    }
    return (hb_eval_mod)form;
}

/* The levels of the maps follow from the list of levels; z has 44 bits where the form is light, else 48. */
static inline hb_bootstrapping_spec int_bootstrapping(const json_t *json)
{
    const json_t *levels = json_object_get(json, "levels");
    const hb_eval_mod form = int_form(int_text(json, "form"));
    return (hb_bootstrapping_spec){
        .eval_mod = form,
        .stc_levels = (uint32_t)(int_number(levels, "out") - int_number(levels, "user")),
        .cts_levels = (uint32_t)(int_number(levels, "top") - int_number(levels, "evalmod")),
        .sparse_weight = 32,
        .scale_bits = form == HB_EVAL_MOD_LIGHT ? 44 : 48,
        .table_levels = (uint32_t)json_integer_value(json_object_get(json, "table_levels")),
    };
}

static inline int_case int_case_of(const json_t *index, const char *name)
{
    const json_t *json = json_object_get(index, name),
                 *lists[] = {json_object_get(json, "data"), json_object_get(json, "special")};
    int_case c = {.name = name, .json = json};
    c.spec = (hb_params_spec){.scheme = HB_BFV,
                              .n = int_number(json, "n"),
                              .special_limbs = (uint32_t)json_array_size(lists[1]),
                              .digit_limbs = (uint32_t)int_number(json, "digit"),
                              .security = {.level = 128},
                              .insecure = true,
                              .bootstrapping = int_bootstrapping(json),
                              .bfv.plain = int_number(json, "t")};
    HB_ASSERT(json_array_size(lists[0]) + json_array_size(lists[1]) <= HB_MAX_LIMBS && c.spec.n == MODEL_N);
    for (int list = 0; list < 2; list++) {
        for (size_t i = 0; i < json_array_size(lists[list]); i++) {
            c.spec.primes[c.spec.key_limbs++] = (uint64_t)json_integer_value(json_array_get(lists[list], i));
        }
    }
    c.user_limbs = (uint32_t)int_number(json_object_get(json, "levels"), "user") + 1;
    return c;
}

static inline const json_t *int_item(const int_case *c, const char *item)
{
    const json_t *found = json_object_get(json_object_get(c->json, "items"), item);
    HB_ASSERT(found != NULL);
    return found;
}

/* Words that the model made, by their digest, as expect_digest. */
static inline hb_status int_expect(side *s, const int_case *c, const char *item, hb_batch a)
{
    return expect_digest(s, item, a, int_text(int_item(c, item), "blake2b"));
}

/* Slots of the message of that number, as the transform modulo t has them. */
static inline void int_slots(uint64_t *slots, uint64_t t, uint64_t number)
{
    stream_uniform(slots, MODEL_N, t, (const uint64_t[]){INT_SLOTS, number}, 2);
}

/* A fresh ciphertext of the secret key, in coefficient form at the users' level: c_1 = a, c_0 = v - a s - e. message:
 * [N] below t, host. */
static inline hb_status int_encrypt(side *s, hb_ciphertexts *r, const uint64_t *message, uint64_t number)
{
    hb_engine *e = s->engine;
    const uint32_t limbs = s->params->fresh_limbs;
    const uint16_t *plain_id = &hb_bfv_of(s->params)->plain_id;
    int64_t error[MODEL_N];
    hb_batch secret, small = model_take(s, 1, limbs), m = take(s, 1, 1, plain_id, 0);
    HB_TRY(model_secret(s, &secret));
    *r = (hb_ciphertexts){model_take(s, 2, limbs), 2, HB_COEFFICIENT_FORM};
    const hb_batch c0 = hb_ciphertexts_component(*r, 0), c1 = hb_ciphertexts_component(*r, 1);
    put_uniform(s, c1, (const uint64_t[]){model_seed, INT_UNIFORM, number}, 3);
    model_error(error, MODEL_KEY(INT_ERROR, number));
    HB_TRY(put_integers(s, small, error));
    HB_TRY(hb_mul(e, c0, c1, hb_batch_limbs(e, secret, 0, limbs)));
    HB_TRY(hb_add(e, c0, c0, small));
    HB_TRY(hb_intt(e, r->all));
    HB_TRY(hb_negate(e, c0, c0));
    if (hb_limb_here(e, *plain_id)) {
        memcpy(m.data, message, MODEL_N * sizeof *message);
    }
    return hb_add_scaled_plain(e, c0, m, &hb_bfv_level_of(s->params, limbs)->scale_plain, HB_PLUS);
}

/* The model's secret as the program has secrets. */
static inline hb_status int_secret(side *s, hb_secret_key *key)
{
    int64_t integers[MODEL_N];
    int8_t ternary[MODEL_N];
    model_ternary(integers, MODEL_KEY(OF_SECRET));
    for (size_t i = 0; i < MODEL_N; i++) {
        ternary[i] = (int8_t)integers[i];
    }
    return hb_secret_key_load(key, s->engine, s->params, ternary);
}

#endif
