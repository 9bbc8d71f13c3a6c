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
        .bootstrapping = {.eval_mod = eval_mod, .stc_levels = 3, .cts_levels = 3, .sparse_weight = 32},
        .ckks.scale_bits = 40};
    memcpy(spec.primes, bootstrap_primes, sizeof bootstrap_primes);
    return spec;
}

/* Digests of two messages. "bootstrap/message.i64" has coefficients at the scale of level 3 and is encrypted there
 * (model_encrypt's number OF_BOOTSTRAP_INPUT); its form is HB_EVAL_MOD_CUBIC. "..._of_two" and "..._of_one": the same,
 * dropped to level 2 or 1, where as many maps take slots to coefficients; "..._of_uneven": to level 2 of the chain of
 * boot-16-deeper. "..._from_lowest": to level 0, from which it is bootstrapped with the range 2^0, and "..._2" 2^2.
 * "bootstrap/eval_mod.i64" has reals in slots at the scale of the prime of the first level of EvalMod and is encrypted
 * there (OF_EVAL_MOD_INPUT); EvalMod takes it in every form. */
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
    {"input_of_two", 2, "fb6698f9ed914c958f77717de2c995c0027a2b71491913fee66554c1e7317870"},
    {"stc_0_of_two", 1, "f65a799fd2adbb484ca27526d4b9db1bbeb97f5955d6d8c6e7ba50ca61be9b90"},
    {"stc_1_of_two", 0, "8d30678d63364a9108da496ca61f349ca06d1d19d73fddbc0a6cea10fcc7afd4"},
    {"raised_of_two", 30, "ecac1ab49abfd2d03b1ca890f35b7fc8fbcd7a65af4d006cd03d02b04bfccf36"},
    {"cts_0_of_two", 29, "70954d41a1d6e8d20401735fd248fdc51baea8c0a1b28970c4615295d3f9e406"},
    {"cts_1_of_two", 28, "773579666bb6a0a23dcb546ce99684328e4d44e7e6ea507638b2c9f0e04fe3ac"},
    {"cts_2_of_two", 27, "f9a4e59cb08aa75546882cf2b02bb103bbbddd8d9eb9181a0d197dae6145428c"},
    {"re_of_two", 27, "0a53525a0a9b31a6e9d3ab3789c2282826f321f91ec19e2a794364e75040602e"},
    {"im_of_two", 27, "19bbbbbfc99256873c84a1b92ec4d8f808b2ca93920c4b83bf69e88e73434f52"},
    {"eval_mod_re_of_two", 17, "bd919ab541e8b694081ad5827cda7791f4683f6036ea041558185d6e725a2ec5"},
    {"eval_mod_im_of_two", 17, "329d2f5913cfbb35b3a4c93c90fe692e98c80f238f0d5eb18b536f3f1c9f1a10"},
    {"result_of_two", 17, "e12d02585b3f1c202983b5b463f20fc69e21e07ad82c6ee469ae3c5909372312"},
    {"input_of_one", 1, "512f2b993193438c5eee3e7ff5506fc28faa324720f1c85a6f731b0c7a3f7e5d"},
    {"stc_0_of_one", 0, "56ef16bff1c6f9f09fa9eb3ba6e197986bc54f931aaa1cc2c996d280e7663faa"},
    {"raised_of_one", 30, "f5958205a0c4d20c095cf785546e68ca7525bdca50aec902bcda2d31034ef0f4"},
    {"cts_0_of_one", 29, "ba3e1ea6a651cb9efc9f935c6f60d814a6ac8520e9e3d9272284f3cf05b66312"},
    {"cts_1_of_one", 28, "c6f50035f8aa7ac453e7fd867745d89df4ddba43428cb88bc09fc20c5fea978a"},
    {"cts_2_of_one", 27, "a588383740c279edc23902aefffcd1d5beaa9695d96cac75bf90413c374c99d7"},
    {"re_of_one", 27, "e14c9a2a69a2a77b4192b8254137b3274dc8fa475fc0086c0dea6008a4fb9100"},
    {"im_of_one", 27, "f0d9f5d878afb63f8d451c459bb457f4394c9a6d49a772f0b0cb5c00e70380c7"},
    {"eval_mod_re_of_one", 17, "0b354a4f75e151b3249573e1571ff9726a119d9348820919d3026eb5180ebf7b"},
    {"eval_mod_im_of_one", 17, "b3f6ee4df2f72920ccd312ff174fd0c66c6c1b0147c80d93703239abbec23233"},
    {"result_of_one", 17, "db6399a11ed6b9f8237e0b0cb6bf6891abc29b59180d46acce526bbecf602d49"},
    {"input_of_uneven", 2, "fb6698f9ed914c958f77717de2c995c0027a2b71491913fee66554c1e7317870"},
    {"stc_0_of_uneven", 1, "2ddb7f082e8947b46db21683c4319eca67ffdc4a0b68ea9c2c4da2305d3919c5"},
    {"stc_1_of_uneven", 0, "1e3c28665ccc2bfcbf98dcb5bcb0a67117cf9da0df021bed98e89eb6ac4201bb"},
    {"raised_of_uneven", 31, "9eaedd54f92d78cc7a4c40890b8fdcdc0c2e3e1a12f8d03052646db9d8933727"},
    {"cts_0_of_uneven", 30, "0d76e58de4dd7221ba0666de5e72fbfe14176673575fb2542f20b1fe771fc75b"},
    {"cts_1_of_uneven", 29, "ea99c0a1eded12eb517a870b2d7b9b7d530a2e009e4c7354d386cbf9c78cf03a"},
    {"cts_2_of_uneven", 28, "fc0f96355d8b18f58b9f5bbfa12268203b524f422d5f9bc1e05e1ce7f5f012d2"},
    {"re_of_uneven", 28, "a02a4e2e82c60f1706c9bd0fb8d08c0fda219445dc59e1e7f1f9147d3d7ff221"},
    {"im_of_uneven", 28, "23a6f7a17d37ad38828784c17bb2e06a0c70ef6eb16c1dd59f1643f55a674336"},
    {"eval_mod_re_of_uneven", 18, "3d9487affedba0555f9aeda2b2729cd0f36d01851bf948b4b938f6ccd7988e30"},
    {"eval_mod_im_of_uneven", 18, "046798ff69f5a52782239d46d91cccb79d8bd99b5f080a631651651126752c65"},
    {"result_of_uneven", 18, "ad40caf35bf9ba66e0db2839276d9c424224eec3c765e45e3b2084bc5308cd7e"},
    {"input_from_lowest", 0, "ca7d8ee00411398300fa5d453cf92aea55d04c2998fb753b7fb1229dd7e17593"},
    {"raised_from_lowest", 30, "23445d175c30bc58a5c6f1885e6cda054a41f24aee64275d8cb0cd5a318eb581"},
    {"cts_0_from_lowest", 29, "455dc1f7b39798c945f823d0bbb223a46b4f35c3d314203608f26069912bf609"},
    {"cts_1_from_lowest", 28, "024a4ad5a7b382ef86d512251aaacc5e75f7292322602a8f5cb9cc93de7b38bc"},
    {"cts_2_from_lowest", 27, "986e0c5723811fb1f1592ed8c10f1fdc31c97bea92ce56bcd013c533970b9c46"},
    {"re_from_lowest", 27, "8b6256e4fcd0d71e396eda13074b7bf295452e72703bb6bdae5ce1a8885cddcb"},
    {"im_from_lowest", 27, "932c45636880f12921ad033a787d9d9d699800057f793cefccab8749c5c0e0d0"},
    {"eval_mod_re_from_lowest", 17, "5562dfe182494ef3f1e320c736bcdf1965707e5d40138b60bc911eb8902245ce"},
    {"eval_mod_im_from_lowest", 17, "65f112d2329be45e61b5821297dcf67e96c68773135cc48481de866ade9260c4"},
    {"joined_from_lowest", 17, "a6533f656048365e5b8c08a214de690fe8982022fd9e03e8c02c2a495587d413"},
    {"stc_0_from_lowest", 16, "b2af2ae73f5ea0ef8aba952bbc2a8ccede5d211d1fec3e7325c9c653c4f9c8f8"},
    {"stc_1_from_lowest", 15, "2e5979e541f5a836a5ff6cca00aacd18d4545183136051768ad2cbb03e2c74bb"},
    {"stc_2_from_lowest", 14, "b6931ebcba89c82da9be35a4c0e7c02deadf9652234cafd95d768b089c3397de"},
    {"input_from_lowest_2", 0, "ca7d8ee00411398300fa5d453cf92aea55d04c2998fb753b7fb1229dd7e17593"},
    {"raised_from_lowest_2", 30, "9c079ba0d7ae83f654b6e6e5dfa7564f04afa8cda648f800426d0c9795ea9226"},
    {"cts_0_from_lowest_2", 29, "e55332b28a18320944f296790cd981f93dc1f2995056e2deefffa965031f4ae4"},
    {"cts_1_from_lowest_2", 28, "da17a7ce4bf64d36117c5fd7a86513e7bc42dec71c7880c7b22d3d8b0eab55e6"},
    {"cts_2_from_lowest_2", 27, "46d26390bfebe3ffb7b757ab533d0cbcdc160055e45b2a9cbc3fa66f8e69093d"},
    {"re_from_lowest_2", 27, "db0abcbe5b2e185c34d4a5a952141b907446418e75492dc9565cd0a451f0c55b"},
    {"im_from_lowest_2", 27, "c505e163763115269ef043695c21da45bbb790b275778ee7736db88da55c7425"},
    {"eval_mod_re_from_lowest_2", 17, "2ba89faa400c15f3c365b56d578bd7d90e63f691f0c6a7369dd06aee1f278726"},
    {"eval_mod_im_from_lowest_2", 17, "e73bbb8d2cfde7b544fa0adacb7e4b668f55924449030f65fc0b895d67410bdf"},
    {"joined_from_lowest_2", 17, "2b3974ece7efc704881a0139440c9d5c8ad03369fd1d915bd6366df5919d4315"},
    {"stc_0_from_lowest_2", 16, "9c7751256bb30e9346c8e055385c0d00ebb384e733c407e29fd8ef84158c8602"},
    {"stc_1_from_lowest_2", 15, "a6fff46c082bf4158a9a7fb8af324e2b66fd25440e8c1b23c0ae3ddc8f51920f"},
    {"stc_2_from_lowest_2", 14, "9a825d913d696c14be2a2473d470c4b1dfb42c87e008201118e11a99e02daa31"},
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
