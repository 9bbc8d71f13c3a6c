/* The model's results of bootstrapping in a ring of 1024, as digests of words: keys, parts (b, a) one after the other,
 * and ciphertexts at every stage. Its chain is boot-16's, its streams are those of ckks_model.h. In so small a ring the
 * widest maps have giant steps that are 0 modulo the slots: those are no rotations. */
#ifndef HB_TESTS_BOOTSTRAP_VECTORS_H
#define HB_TESTS_BOOTSTRAP_VECTORS_H

#include "reference/ckks_model.h"

enum { BOOTSTRAP_KEY_LIMBS = 39, BOOTSTRAP_SPECIAL_LIMBS = 8, OF_SPARSE = 20 };

/* Labels of streams of keys, in the place of elements. */
enum { OF_TO_SPARSE = 1 << 20, OF_FROM_SPARSE };

/* Numbers of messages. */
enum { OF_BOOTSTRAP_INPUT = 7, OF_EVAL_MOD_INPUT = 8 };

/* q_0; 19 levels of 40 bits; 8 of EvalMod; 3 that make slots; special ones. */
static const uint64_t bootstrap_primes[BOOTSTRAP_KEY_LIMBS] = {
    1125899903827969, 1099512938497,    1099510054913,    1099507695617,    1099515691009,    1099506515969,
    1099516870657,    1099504549889,    1099503894529,    1099503370241,    1099502714881,    1099521458177,
    1099522375681,    1099500617729,    1099523555329,    1099499569153,    1099499175937,    1099498258433,
    1099525128193,    1099526176769,    1125119758827521, 1125119758565377, 1125119758041089, 1125119756992513,
    1125119756599297, 1125119753453569, 1125119753060353, 1125119750176769, 281474984181761,  281474966880257,
    281474988900353,  281474976317441,  281474975662081,  281474978414593,  281474978676737,  281474974482433,
    281474979987457,  281474980380673,  281474981953537,
};

static inline hb_params_spec bootstrap_spec(hb_eval_mod eval_mod)
{
    hb_params_spec spec = {
        .scheme = HB_CKKS,
        .n = MODEL_N,
        .key_limbs = BOOTSTRAP_KEY_LIMBS,
        .special_limbs = BOOTSTRAP_SPECIAL_LIMBS,
        .digit_limbs = BOOTSTRAP_SPECIAL_LIMBS,
        .security = {.level = 128},
        .insecure = true,
        .ckks = {.scale_bits = 40,
                 .bootstrapping = {.eval_mod = eval_mod, .stc_levels = 3, .cts_levels = 3, .sparse_weight = 32}}};
    memcpy(spec.primes, bootstrap_primes, sizeof bootstrap_primes);
    return spec;
}

/* Digests of two messages. "bootstrap/message.i64" has coefficients at the scale of level 3 and is encrypted there
 * (model_encrypt's number OF_BOOTSTRAP_INPUT); its form is HB_EVAL_MOD_CUBIC. "bootstrap/eval_mod.i64" has reals in
 * slots at the scale of the prime of the first level of EvalMod and is encrypted there (OF_EVAL_MOD_INPUT); EvalMod
 * takes it in every form. */
typedef struct bootstrap_digest {
    const char *what;
    int level; /* of a ciphertext; -1: a key, of all primes but where it is to the sparse secret */
    const char *digest;
} bootstrap_digest;

static const bootstrap_digest bootstrap_digests[] = {
    {"to_sparse", -1, "d31229b4ea7f70b96506caf3c73091676129c4f545e1dc1e87b02d94bcf482eb"},
    {"to_dense", -1, "cfb66d863159de6fc55cf451ab15056be5b118f4324be5fa0d554e375ae807c1"},
    {"relinearization", -1, "2d367afff34a6d66012842fea9531ff1442eb0f4f349ce5f2f4d37dbb75df6a2"},
    {"conjugation", -1, "6951ff2bd9bfadfef31e631b61e7420a7cab04ca9772ee7f9d51aa351ae01347"},
    {"rotation_by_1", -1, "1c7c7114b97ea9f0a5dd000854331f9b02ca2c100e3f3b0320086d696b517a9b"},
    {"input", 3, "20d5416ebd9f86a9c80cf093395343a2241124966580c09518b222a0ece5e653"},
    {"stc_0", 2, "ec9db01b4879d7db4939b8ba125301829723900b0a86b7c7645713145a838310"},
    {"stc_1", 1, "7d87ace8a6406491e7a60d0867b4b24d158b64b06223d72a8424dc7e97fe20ae"},
    {"stc_2", 0, "79aa145d069f3b3ebf3e004b65d976531b1ff708256b07b50307277a5f321387"},
    {"raised", 30, "f7fa9b269f4fa7b2d61c4a3ed139c36e9d3e1f90560669a0b6554c7697c5d68e"},
    {"cts_0", 29, "4f1b205c45c00460a093a1b0678d8dc887643fc3d02c0d3d954e26b78aa98f5b"},
    {"cts_1", 28, "bf0175939ec329416ff1d48f6d30a2e8d0149f9f736f2a2005ac2ebab9da460c"},
    {"cts_2", 27, "6c1aa034e3c93bffdeae6f1607d73a8a2728c0254494d0f23887f0086ccbefca"},
    {"re", 27, "8922580b37a8055e630e6339ee6e9a2effbdbbf1d513b0d9481a5f034a933f00"},
    {"im", 27, "8b0b7a5ae7abf735e9d5bdae13e4dd98e0d1010e2c003a4f0823e34652881ab9"},
    {"eval_mod_re", 17, "bc3c6f84115a58defc4fea00ed491a07b12d959a779a02b70848428848e524be"},
    {"eval_mod_im", 17, "a0493f563105829b63cb719def4b31474712468cef3f3e72430455786fbc35e7"},
    {"result", 17, "a6aa08628e66a36da7acda40bb4d6eddd3d08058f489d2440288281b141e572c"},
    {"eval_mod_input", 27, "f5dacf0305943b6953a7aedae0f13966c30129c1073e64ec5b19de186d23e088"},
    {"eval_mod_cubic", 17, "4aa7aad5bcc54051d0071a702206811d21a0cf7ab69430ee51dd401231a1d9cb"},
    {"eval_mod_sure", 17, "dc99a94437734a103c7e39b09a49a378dd452274cb94d469af25c1ac3e888a69"},
    {"eval_mod_light", 19, "6841da64706b99b56e90660e52597fafef56343130f2d47db12b17c8e10e0799"},
    {"eval_mod_fine", 16, "54e4170b0fbf186fd18f803164369cb0d204c70b37e31dececf5706d8ba09401"},
};

static inline const char *bootstrap_digest_of(const char *what)
{
    for (size_t i = 0; i < sizeof bootstrap_digests / sizeof *bootstrap_digests; i++) {
        if (strcmp(bootstrap_digests[i].what, what) == 0) {
            return bootstrap_digests[i].digest;
        }
    }
    return "";
}

#endif
