/* The sparse secret: how it is drawn, and that the two keys with which it takes part, and keys for lower levels, are
 * those of the model, whole and with limbs divided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sample.h"
#include "reference/bootstrap_model.h"
#include "rlwe/sparse_secret.h"
#include "unit/unit.h"

enum { WEIGHT = 32 };

static hb_params *params;

/* Floyd's algorithm as he has it (Bentley, CACM 30, 1987), with a table of the drawn positions. */
static void slow_draw(int8_t *r, const hb_seed *root)
{
    hb_seed own;
    hb_seed_derive(&own, root, "sparse secret");
    memset(r, 0, MODEL_N);
    for (uint32_t i = WEIGHT; i-- > 0;) {
        const uint32_t left = MODEL_N - i;
        uint32_t bits = 0;
        while ((uint64_t)1 << bits < left) {
            bits++;
        }
        uint64_t word;
        uint32_t attempt = 0;
        do {
            word = hb_keystream_word((hb_draw){&own, HB_DRAW_SECRET, 0}, attempt++, i) & (((uint64_t)1 << bits) - 1);
        } while (word >= left);
        const uint32_t drawn = i + (uint32_t)word, at = r[drawn] != 0 ? i : drawn;
        r[at] = (hb_keystream_word((hb_draw){&own, HB_DRAW_SECRET, 1}, 0, i) & 1) != 0 ? -1 : 1;
    }
}

static void test_draw(void **state)
{
    enum { DRAWS = 2000 };
    (void)state;
    int8_t drawn[MODEL_N], slow[MODEL_N];
    static uint32_t hit[MODEL_N];
    uint32_t minus = 0, most = 0, ends = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const hb_seed root = {{(uint8_t)i, (uint8_t)(i >> 8), 5}};
        uint32_t weight = 0;
        hb_sparse_secret_draw(params, &root, drawn);
        slow_draw(slow, &root);
        assert_memory_equal(drawn, slow, sizeof drawn);
        for (size_t k = 0; k < MODEL_N; k++) {
            weight += drawn[k] != 0;
            minus += drawn[k] < 0;
            hit[k] += drawn[k] != 0;
        }
        assert_int_equal(weight, WEIGHT);
    }
    /* Each place 62.5 times as expected, with a deviation of 7.8; seven of these are no chance. */
    for (size_t k = 0; k < MODEL_N; k++) {
        most = hit[k] > most ? hit[k] : most;
        assert_true(hit[k] >= 10 && hit[k] <= 118);
        ends += k < WEIGHT ? hit[k] : 0;
    }
    assert_true(most > 62);
    assert_in_range(ends, 2000 - 7 * 44, 2000 + 7 * 44);      /* positions that stand in for others */
    assert_in_range(minus, 32000 - 7 * 127, 32000 + 7 * 127); /* of 64000 signs */
}

/* A secret from a stream, as the secret that keys are made with. */
static hb_status load_stream(side *s, hb_secret_key *key, const int64_t *integers)
{
    int8_t ternary[MODEL_N];
    for (size_t i = 0; i < MODEL_N; i++) {
        ternary[i] = (int8_t)integers[i];
    }
    return hb_secret_key_load(key, s->engine, s->params, ternary);
}

static hb_batch half(const hb_switch_key *key, size_t c)
{
    hb_batch view = hb_batch_slice(key->parts, c, key->parts.count / 2);
    view.stride *= 2;
    return view;
}

/* b + a t of every part: errors, and the message of the key. */
static hb_status open_parts(side *s, hb_batch r, const hb_switch_key *key, hb_batch to)
{
    const hb_batch product = take(s, r.count, r.limbs, r.ids, 0);
    for (size_t j = 0; j < r.count; j++) {
        HB_TRY(hb_mul(s->engine, hb_batch_slice(product, j, 1), hb_batch_slice(half(key, 1), j, 1), to));
    }
    return hb_add(s->engine, r, half(key, 0), product);
}

/* Both keys hold the same but for errors, which are 19 and 21 at most. */
static hb_status expect_close(side *s, const hb_switch_key *made, const hb_switch_key *model, hb_batch to)
{
    const size_t count = made->parts.count / 2;
    HB_ASSERT(made->parts.count == model->parts.count && made->parts.limbs == model->parts.limbs);
    const hb_batch x = take(s, count, made->parts.limbs, made->parts.ids, 0),
                   y = take(s, count, made->parts.limbs, made->parts.ids, 0);
    HB_TRY(open_parts(s, x, made, to));
    HB_TRY(open_parts(s, y, model, to));
    HB_TRY(hb_sub(s->engine, x, x, y));
    HB_TRY(hb_intt(s->engine, x));
    HB_TRY(hb_finish(s->engine));
    for (size_t j = 0; j < count; j++) {
        const uint64_t *row = x.data + j * x.stride;
        for (uint32_t l = 0; l < x.limbs; l++) {
            const uint64_t q = s->params->ring.moduli[x.ids[l]].value;
            for (size_t i = 0; i < MODEL_N && hb_limb_here(s->engine, x.ids[l]); i++) {
                if (row[i] > 40 && row[i] < q - 40) {
                    return HB_FAIL(HB_DIFFERS, "part %zu, limb %u, coefficient %zu: is not what the model's is", j, l,
                                   i);
                }
            }
            row += hb_limb_here(s->engine, x.ids[l]) ? MODEL_N : 0;
        }
    }
    return HB_OK;
}

static hb_status play_sparse(side *s, const void *with)
{
    static const hb_key_source sources[] = {HB_TO_SPARSE, HB_FROM_SPARSE};
    int64_t secret[MODEL_N], sparse[MODEL_N];
    hb_secret_key of_s = {0}, of_t = {0};
    hb_switch_keys keys = {0};
    hb_switch_key made = {0};
    hb_seed seeds[HB_MAX_LIMBS];
    const hb_seed root = {{11}};
    hb_status st;
    (void)with;
    model_ternary(secret, MODEL_KEY(OF_SECRET));
    model_sparse(sparse, WEIGHT);
    hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
    HB_GOTO(load_stream(s, &of_s, secret));
    HB_GOTO(load_stream(s, &of_t, sparse));
    for (size_t i = 0; i < 2; i++) {
        const hb_key_purpose purpose = {.source = sources[i], .other = &of_t}, model = {.source = sources[i]};
        HB_GOTO(model_sparse_key(s, &keys, model));
        HB_GOTO(expect_digest(s, "key of the model", keys.key[i].parts,
                              bootstrap_digest_of(i == 0 ? "to_sparse" : "to_dense")));
        HB_GOTO(hb_switch_key_generate_for(&made, &of_s, &purpose, &root, seeds));
        HB_GOTO(expect_batch(s, "key", made.parts));
        const hb_batch to = take(s, 1, made.parts.limbs, made.parts.ids, 0);
        HB_GOTO(put_integers(s, to, i == 0 ? sparse : secret));
        HB_GOTO(expect_close(s, &made, &keys.key[i], to));
        HB_ASSERT(hb_switch_keys_find_at(&keys, sources[i], 0, made.limbs) == &keys.key[i]);
        hb_switch_key_clear(&made);
    }
done:
    hb_switch_key_clear(&made);
    hb_switch_keys_clear(&keys);
    hb_secret_key_clear(&of_s);
    hb_secret_key_clear(&of_t);
    return st;
}

static void test_sparse_keys(void **state)
{
    (void)state;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    for (uint32_t members = 1; members <= 3; members++) {
        expect_play(&spec, play_sparse, NULL, members);
    }
}

/* The rows of a whole key, packed on an engine that has all limbs: [2][bytes], b and a. */
typedef struct packed_rows {
    const uint8_t *rows;
    size_t bytes;
} packed_rows;

/* Copies the rows that an engine takes of a component of a key for all levels, one behind the other. */
static void take_rows(const side *s, const hb_key_purpose *purpose, const uint8_t *all, uint8_t *own)
{
    uint64_t primes;
    const uint32_t parts = hb_switch_key_takes(s->params, purpose, s->engine->member, &primes);
    for (uint32_t j = 0; j < parts; j++) {
        for (uint32_t l = 0; l < s->params->key_limbs; l++) {
            const size_t bytes = hb_packed_row_bytes(MODEL_N, &s->params->ring.moduli[s->params->ids[l]]);
            if ((primes >> l & 1) != 0) {
                memcpy(own, all, bytes);
                own += bytes;
            }
            all += bytes;
        }
    }
}

/* Loads a key from the rows alone that the engine takes. */
static hb_status load_own(const side *s, const hb_key_purpose *purpose, const packed_rows *all, const hb_seed *seeds,
                          hb_switch_key *loaded)
{
    uint8_t *own = malloc(2 * all->bytes);
    HB_ASSERT(own != NULL);
    memset(own, 0xff, 2 * all->bytes); /* no residues */
    take_rows(s, purpose, all->rows, own);
    take_rows(s, purpose, all->rows + all->bytes, own + all->bytes);
    const hb_packed_key rows = {.own = true, .b = own, .a = seeds != NULL ? NULL : own + all->bytes, .seeds = seeds};
    const hb_status st = hb_switch_key_load_for(loaded, s->engine, s->params, purpose, &rows);
    free(own);
    return st;
}

/* A key for a lower level is that level's part of one for all, also where only that part of a file is loaded, or only
 * the member's limbs of it. */
static hb_status play_levels(side *s, const void *with)
{
    static const uint32_t levels[] = {0, 31, 20, 17, 16, 8, 1};
    const packed_rows *all = with;
    const hb_seed root = {{12}}, pair_root = {{13}};
    hb_seed seeds[HB_MAX_LIMBS];
    int8_t ternary[MODEL_N];
    hb_secret_key secret = {0};
    hb_switch_key made = {0}, loaded = {0};
    hb_status st;
    hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
    HB_GOTO(hb_secret_draw(s->engine, s->params, &pair_root, ternary));
    HB_GOTO(hb_secret_key_load(&secret, s->engine, s->params, ternary));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const hb_key_purpose purpose = {.source = HB_TO_AUTOMORPHISM, .element = 25, .limbs = levels[i]};
        HB_GOTO(hb_switch_key_generate_for(&made, &secret, &purpose, &root, seeds));
        const size_t own = made.parts.count * made.parts.limbs * sizeof(uint64_t) * MODEL_N;
        HB_ASSERT(s->params->map.members > 1 || hb_key_purpose_bytes(s->params, &purpose) == own);
        for (int seeded = 0; seeded < 2; seeded++) {
            const hb_packed_key rows = {
                .b = all->rows, .a = seeded ? NULL : all->rows + all->bytes, .seeds = seeded ? seeds : NULL};
            HB_GOTO(hb_switch_key_load_for(&loaded, s->engine, s->params, &purpose, &rows));
            HB_ASSERT(loaded.limbs == made.limbs && loaded.source == HB_TO_AUTOMORPHISM && loaded.element == 25);
            HB_GOTO(expect_equal(s, "the part of a key", loaded.parts, made.parts));
            hb_switch_key_clear(&loaded);
            HB_GOTO(load_own(s, &purpose, all, seeded ? seeds : NULL, &loaded));
            HB_GOTO(expect_equal(s, "the rows of a key that are here", loaded.parts, made.parts));
            hb_switch_key_clear(&loaded);
        }
        hb_switch_key_clear(&made);
    }
done:
    hb_switch_key_clear(&loaded);
    hb_switch_key_clear(&made);
    hb_secret_key_clear(&secret);
    return st;
}

/* Packs the key of play_levels for all levels. */
static uint8_t *pack_all(size_t *bytes)
{
    const hb_seed root = {{12}}, pair_root = {{13}};
    hb_seed seeds[HB_MAX_LIMBS];
    int8_t ternary[MODEL_N];
    hb_engine *engine;
    hb_secret_key secret;
    hb_switch_key key;
    *bytes = hb_switch_key_packed_bytes(params);
    uint8_t *rows = malloc(2 * *bytes);
    assert_non_null(rows);
    hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_secret_draw(engine, params, &pair_root, ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&secret, engine, params, ternary), HB_OK);
    assert_int_equal(hb_switch_key_generate(&key, &secret, 25, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_key_pack(&key, rows, rows + *bytes), HB_OK);
    hb_switch_key_clear(&key);
    /* One of a lower level, packed and loaded as such; and parameters that have no sparse secret. */
    const hb_key_purpose low = {.source = HB_FROM_SQUARE, .limbs = 9};
    hb_switch_key again;
    uint8_t *b = malloc(*bytes);
    assert_non_null(b);
    assert_int_equal(hb_switch_key_generate_for(&key, &secret, &low, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_key_pack(&key, b, NULL), HB_OK);
    const hb_packed_key packed = {.limbs = 9, .b = b, .seeds = seeds};
    assert_int_equal(hb_switch_key_load_for(&again, engine, params, &low, &packed), HB_OK);
    assert_memory_equal(again.parts.data, key.parts.data, hb_key_purpose_bytes(params, &low));
    hb_switch_key_clear(&again);
    memset(b, 0xff, 8); /* no residue */
    assert_int_equal(hb_switch_key_load_for(&again, engine, params, &low, &packed), HB_EDATA);
    assert_null(again.parts.data);
    free(b);
    hb_switch_key_clear(&key);
    hb_secret_key_clear(&secret);
    hb_engine_close(engine);
    return rows;
}

static void test_levels(void **state)
{
    (void)state;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    packed_rows all;
    uint8_t *rows = pack_all(&all.bytes);
    all.rows = rows;
    for (uint32_t members = 1; members <= 5; members++) {
        expect_play(&spec, play_levels, &all, members);
    }
    free(rows);
}

/* Where there is no bootstrapping there is no sparse secret. */
static void test_refused(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    const hb_seed root = {{1}}, seeds[HB_MAX_LIMBS] = {{{1}}};
    int8_t ternary[MODEL_N];
    hb_params *plain;
    hb_engine *engine;
    hb_secret_key secret;
    hb_switch_key key;
    assert_int_equal(hb_params_open(&spec, &plain), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&plain->ring, &engine), HB_OK);
    assert_int_equal(hb_secret_draw(engine, plain, &root, ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&secret, engine, plain, ternary), HB_OK);
    for (hb_key_source source = HB_TO_SPARSE; source <= HB_FROM_SPARSE; source++) {
        const hb_key_purpose purpose = {.source = source, .other = &secret};
        assert_int_equal(hb_switch_key_generate_for(&key, &secret, &purpose, &root, seeds), HB_ECONFIG);
        assert_null(key.parts.data);
    }
    hb_secret_key_clear(&secret);
    hb_engine_close(engine);
    hb_params_close(plain);
}

static int start(void **state)
{
    (void)state;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    return hb_seed_start() != HB_OK || hb_params_open(&spec, &params) != HB_OK;
}

static int stop(void **state)
{
    (void)state;
    hb_params_close(params);
    return 0;
}

HB_UNIT(sparse_secret)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_sparse_keys),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
