/* Encryption, decryption and noise against their definitions, computed with GMP and a schoolbook product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "base/modarith.h"
#include "bfv/params.h"
#include "reference/key_pair.h"
#include "reference/slow.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* Chains that differ in every way: FP64 and integer primes, ascending and not, one prime only, t prime, even, tiny. */
static const struct {
    uint32_t bits[4], limbs;
    uint64_t plain;
} chains[] = {
    {{27, 27, 27}, 3, 1038337}, {{60, 36, 50, 51}, 4, 1038337}, {{54}, 1, 12289},
    {{30, 61 - 1, 40}, 3, 2},   {{40, 45}, 2, 1 << 16},         {{55, 55, 55}, 3, 6},
};

static void open_fixture(key_pair *f, size_t chain)
{
    key_pair_open(f, 1024, chains[chain].bits, chains[chain].limbs, chains[chain].plain, (int)chain + 1, false);
}

static hb_batch random_batch(const key_pair *f, size_t count, uint32_t limbs, const uint16_t *ids, uint64_t seed)
{
    hb_batch b = key_pair_batch(f, count, limbs, ids);
    const size_t n = f->params->ring.n;
    for (size_t i = 0; i < count * limbs * n; i++) {
        b.data[i] = slow_random(&seed) % f->params->ring.moduli[ids[i / n % limbs]].value;
    }
    return b;
}

/* --- oracles
 * ---------------------------------------------------------------------------------------------------------- */

static uint64_t prime_of(const key_pair *f, uint32_t limb)
{
    return f->params->ring.moduli[f->params->ids[limb]].value;
}

/* The number in [0, Q) with these residues (one a limb, `step` words apart), by the textbook formula. */
static void slow_crt(mpz_t x, const key_pair *f, const uint64_t *residues, size_t step, uint32_t limbs, mpz_t q)
{
    mpz_t part, inverse;
    mpz_inits(part, inverse, NULL);
    mpz_set_ui(q, 1);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_mul_ui(q, q, prime_of(f, i));
    }
    mpz_set_ui(x, 0);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_divexact_ui(part, q, prime_of(f, i));
        mpz_set_ui(inverse, prime_of(f, i));
        assert_int_not_equal(mpz_invert(inverse, part, inverse), 0);
        mpz_mul_ui(inverse, inverse, residues[i * step]);
        mpz_mod_ui(inverse, inverse, prime_of(f, i));
        mpz_addmul(x, part, inverse);
    }
    mpz_mod(x, x, q);
    mpz_clears(part, inverse, NULL);
}

/* a times a small polynomial, modulo X^n + 1 and q. */
static void slow_small_product(uint64_t *r, const uint64_t *a, const int64_t *small, size_t n, uint64_t q)
{
    memset(r, 0, n * sizeof *r);
    for (size_t i = 0; i < n; i++) {
        if (small[i] == 0) {
            continue;
        }
        for (size_t j = 0; j < n; j++) {
            const bool negative = (small[i] < 0) != (i + j >= n);
            const uint64_t term = slow_mul(a[j], (uint64_t)llabs(small[i]) % q, q);
            uint64_t *x = &r[(i + j) % n];
            *x = (uint64_t)(((slow_wide)*x + (negative ? q - term : term)) % q);
        }
    }
}

/* floor((Q m + floor((t + 1) / 2)) / t) mod q. */
static uint64_t slow_scaled(const mpz_t product, uint64_t m, uint64_t t, uint64_t q)
{
    mpz_t v;
    mpz_init(v);
    mpz_mul_ui(v, product, m);
    mpz_add_ui(v, v, (t + 1) / 2);
    mpz_fdiv_q_ui(v, v, t);
    const uint64_t r = mpz_fdiv_ui(v, q);
    mpz_clear(v);
    return r;
}

/* The draw as integers, read off one limb. */
static int64_t *small_integers(const key_pair *f, hb_distribution distribution, hb_draw draw)
{
    const size_t n = f->params->ring.n;
    hb_batch b = key_pair_batch(f, 1, 1, f->params->ids);
    assert_int_equal(hb_sample_small(f->engine, b, distribution, draw), HB_OK);
    int64_t *x = malloc(n * sizeof *x);
    for (size_t j = 0; j < n; j++) {
        x[j] = b.data[j] > prime_of(f, 0) / 2 ? (int64_t)b.data[j] - (int64_t)prime_of(f, 0) : (int64_t)b.data[j];
    }
    hb_batch_free(f->engine, &b);
    return x;
}

/* --- tests
 * -------------------------------------------------------------------------------------------------------------- */

static void secret_key_ciphertexts_are_their_definition(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < sizeof chains / sizeof *chains; chain++) {
        key_pair f;
        open_fixture(&f, chain);
        const hb_params *p = f.params;
        const size_t n = p->ring.n, count = 3;
        const uint64_t first = 41;
        hb_batch plain = random_batch(&f, count, 1, &hb_bfv_of(p)->plain_id, 5);
        hb_batch c0 = key_pair_batch(&f, count, p->data_limbs, p->ids),
                 a = key_pair_batch(&f, count, p->data_limbs, p->ids);
        hb_seed seeds[3];
        hb_encryptor *encryptor;
        assert_int_equal(hb_encryptor_open(f.engine, &f.secret, NULL, HB_GAUSSIAN, count, &encryptor), HB_OK);
        assert_int_equal(hb_encrypt(encryptor, c0, (hb_batch){0}, seeds, plain, &f.root, first), HB_OK);
        assert_int_equal(hb_sample_uniform(f.engine, a, seeds), HB_OK);
        assert_int_equal(hb_intt(f.engine, a), HB_OK);
        assert_memory_not_equal(seeds[0].bytes, seeds[1].bytes, HB_SEED_BYTES);
        int64_t *s = small_integers(&f, HB_TERNARY, (hb_draw){&f.root, HB_DRAW_SECRET, 0});
        uint64_t *product = malloc(n * sizeof *product);
        const hb_level *level = hb_params_fresh_level(p);
        mpz_t q;
        mpz_init_set_ui(q, 1);
        for (uint32_t l = 0; l < p->data_limbs; l++) {
            mpz_mul_ui(q, q, prime_of(&f, l));
        }
        assert_int_equal(level->basis.limbs, p->data_limbs);
        for (size_t c = 0; c < count; c++) {
            int64_t *e = small_integers(&f, HB_GAUSSIAN, (hb_draw){&f.root, HB_DRAW_ERROR_0, first + c});
            for (uint32_t l = 0; l < p->data_limbs; l++) {
                const uint64_t m = prime_of(&f, l);
                slow_small_product(product, a.data + (c * p->data_limbs + l) * n, s, n, m);
                for (size_t j = 0; j < n; j++) {
                    const uint64_t error = e[j] < 0 ? m - (uint64_t)-e[j] : (uint64_t)e[j];
                    const uint64_t scaled = slow_scaled(q, plain.data[c * n + j], p->spec.bfv.plain, m);
                    const uint64_t expected = (uint64_t)(((slow_wide)2 * m - product[j] - error + scaled) % m);
                    assert_int_equal(c0.data[(c * p->data_limbs + l) * n + j], expected);
                }
            }
            free(e);
        }
        mpz_clear(q);
        free(product);
        free(s);
        hb_encryptor_close(encryptor);
        hb_batch_free(f.engine, &plain);
        hb_batch_free(f.engine, &c0);
        hb_batch_free(f.engine, &a);
        key_pair_close(&f);
    }
}

/* Component `pk` u + e over all key limbs, then floor((x + floor(P / 2)) / P), coefficient by coefficient. */
static void check_public_component(const key_pair *f, hb_batch pk, const int64_t *u, const int64_t *e,
                                   const uint64_t *c, const uint64_t *message)
{
    const hb_params *p = f->params;
    const size_t n = p->ring.n;
    hb_batch key = key_pair_batch(f, 1, p->key_limbs, p->ids);
    memcpy(key.data, pk.data, p->key_limbs * n * sizeof *key.data);
    assert_int_equal(hb_intt(f->engine, key), HB_OK);
    uint64_t *x = malloc(p->key_limbs * n * sizeof *x);
    for (uint32_t l = 0; l < p->key_limbs; l++) {
        const uint64_t q = prime_of(f, l);
        slow_small_product(x + l * n, key.data + l * n, u, n, q);
        for (size_t j = 0; j < n; j++) {
            x[l * n + j] = (x[l * n + j] + (e[j] < 0 ? q - (uint64_t)-e[j] : (uint64_t)e[j])) % q;
        }
    }
    const uint64_t special = p->key_limbs > p->data_limbs ? prime_of(f, p->key_limbs - 1) : 1;
    mpz_t value, all, data;
    mpz_inits(value, all, data, NULL);
    for (size_t j = 0; j < n; j++) {
        slow_crt(value, f, x + j, n, p->key_limbs, all);
        mpz_add_ui(value, value, special / 2);
        mpz_fdiv_q_ui(value, value, special);
        mpz_divexact_ui(data, all, special);
        for (uint32_t l = 0; l < p->data_limbs; l++) {
            const uint64_t q = prime_of(f, l);
            uint64_t expected = mpz_fdiv_ui(value, q);
            if (message != NULL) {
                expected = (expected + slow_scaled(data, message[j], p->spec.bfv.plain, q)) % q;
            }
            assert_int_equal(c[l * n + j], expected);
        }
    }
    mpz_clears(value, all, data, NULL);
    free(x);
    hb_batch_free(f->engine, &key);
}

static void public_key_ciphertexts_are_their_definition(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < sizeof chains / sizeof *chains; chain++) {
        key_pair f;
        open_fixture(&f, chain);
        const hb_params *p = f.params;
        const size_t n = p->ring.n, words = p->data_limbs * n;
        hb_batch plain = random_batch(&f, 2, 1, &hb_bfv_of(p)->plain_id, 6);
        hb_batch c0 = key_pair_batch(&f, 2, p->data_limbs, p->ids), c1 = key_pair_batch(&f, 2, p->data_limbs, p->ids);
        hb_encryptor *encryptor;
        assert_int_equal(hb_encryptor_open(f.engine, NULL, &f.public_key, HB_BINOMIAL, 2, &encryptor), HB_OK);
        assert_int_equal(hb_encrypt(encryptor, c0, c1, NULL, plain, &f.root, 7), HB_OK);
        for (size_t c = 0; c < 2; c++) {
            int64_t *u = small_integers(&f, HB_TERNARY, (hb_draw){&f.root, HB_DRAW_TERNARY, 7 + c});
            int64_t *e0 = small_integers(&f, HB_BINOMIAL, (hb_draw){&f.root, HB_DRAW_ERROR_0, 7 + c});
            int64_t *e1 = small_integers(&f, HB_BINOMIAL, (hb_draw){&f.root, HB_DRAW_ERROR_1, 7 + c});
            check_public_component(&f, f.public_key.b, u, e0, c0.data + c * words, plain.data + c * n);
            check_public_component(&f, f.public_key.a, u, e1, c1.data + c * words, NULL);
            free(u);
            free(e0);
            free(e1);
        }
        hb_encryptor_close(encryptor);
        hb_batch_free(f.engine, &plain);
        hb_batch_free(f.engine, &c0);
        hb_batch_free(f.engine, &c1);
        key_pair_close(&f);
    }
}

/* Steps 2 to 5 of semantics.md section 5 on integers: SEAL's result, also where nothing can be decrypted. */
static uint64_t slow_decrypt(const key_pair *f, const uint64_t *phase, size_t step, uint32_t limbs)
{
    const hb_params *p = f->params;
    const uint64_t t = p->spec.bfv.plain, gamma = p->ring.moduli[hb_bfv_of(p)->gamma_id].value;
    mpz_t q, sum, hat, y, unused;
    mpz_inits(q, sum, hat, y, unused, NULL);
    slow_crt(unused, f, phase, step, limbs, q);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_divexact_ui(hat, q, prime_of(f, i));
        mpz_set_ui(y, prime_of(f, i));
        mpz_invert(y, hat, y);
        mpz_mul_ui(y, y, phase[i * step]);
        mpz_mul_ui(y, y, t);
        mpz_mul_ui(y, y, gamma);
        mpz_mod_ui(y, y, prime_of(f, i));
        mpz_addmul(sum, y, hat);
    }
    uint64_t s[2];
    const uint64_t moduli[2] = {t, gamma};
    for (int k = 0; k < 2; k++) {
        mpz_set_ui(y, moduli[k]);
        mpz_invert(y, q, y);
        mpz_mul(y, y, sum);
        mpz_neg(y, y);
        s[k] = mpz_fdiv_ui(y, moduli[k]);
    }
    mpz_set_ui(y, s[1]);
    if (s[1] > gamma / 2) {
        mpz_sub_ui(y, y, gamma);
    }
    mpz_ui_sub(y, s[0], y);
    mpz_set_ui(hat, gamma);
    mpz_set_ui(unused, t);
    mpz_invert(hat, hat, unused);
    mpz_mul(y, y, hat);
    const uint64_t m = mpz_fdiv_ui(y, t);
    mpz_clears(q, sum, hat, y, unused, NULL);
    return m;
}

/* semantics.md 8.3 on integers. */
static uint32_t slow_budget(const key_pair *f, const uint64_t *phase, uint32_t limbs)
{
    const size_t n = f->params->ring.n;
    mpz_t x, q, rest, widest;
    mpz_inits(x, q, rest, widest, NULL);
    for (size_t j = 0; j < n; j++) {
        slow_crt(x, f, phase + j, n, limbs, q);
        mpz_mul_ui(x, x, f->params->spec.bfv.plain);
        mpz_mod(x, x, q);
        mpz_sub(rest, q, x);
        if (mpz_cmp(rest, x) < 0) {
            mpz_set(x, rest);
        }
        if (mpz_cmp(x, widest) > 0) {
            mpz_set(widest, x);
        }
    }
    const size_t bits = mpz_sgn(widest) == 0 ? 0 : mpz_sizeinbase(widest, 2), total = mpz_sizeinbase(q, 2);
    mpz_clears(x, q, rest, widest, NULL);
    return bits + 1 < total ? (uint32_t)(total - bits - 1) : 0;
}

/* Decrypts `phase` at its own level and compares message and budget with the oracles. The phase is destroyed. */
static void check_phase(const key_pair *f, hb_batch phase)
{
    const hb_params *p = f->params;
    const size_t n = p->ring.n;
    hb_batch plain = key_pair_batch(f, phase.count, 1, &hb_bfv_of(p)->plain_id);
    hb_decryptor *decryptor;
    uint32_t budgets[8];
    assert_int_equal(hb_decryptor_open(f->engine, &f->secret, phase.limbs, phase.count, &decryptor), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    uint32_t expected[8];
    for (size_t c = 0; c < phase.count; c++) {
        for (size_t j = 0; j < n; j++) {
            assert_int_equal(plain.data[c * n + j], slow_decrypt(f, phase.data + c * phase.stride + j, n, phase.limbs));
        }
        expected[c] = slow_budget(f, phase.data + c * phase.stride, phase.limbs);
    }
    assert_int_equal(hb_decryptor_measure(decryptor, budgets, phase), HB_OK);
    for (size_t c = 0; c < phase.count; c++) {
        assert_int_equal(budgets[c], expected[c]);
    }
    hb_decryptor_close(decryptor);
    hb_batch_free(f->engine, &plain);
}

static void decryption_and_budget_are_exact(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < sizeof chains / sizeof *chains; chain++) {
        key_pair f;
        open_fixture(&f, chain);
        const hb_params *p = f.params;
        for (uint32_t limbs = 1; limbs <= p->key_limbs; limbs++) {
            if (p->levels[limbs].basis.limbs == 0) {
                continue;
            }
            /* Uniform phases have no budget; small ones have some; zero has the most. */
            hb_batch phase = random_batch(&f, 3, limbs, p->ids, limbs);
            for (size_t j = 0; j < p->ring.n; j++) {
                for (uint32_t l = 0; l < limbs; l++) {
                    const uint64_t q = prime_of(&f, l);
                    phase.data[phase.stride + l * p->ring.n + j] = j % 7 == 0 ? q - j % q : j % q;
                    phase.data[2 * phase.stride + l * p->ring.n + j] = 0;
                }
            }
            check_phase(&f, phase);
            hb_batch_free(f.engine, &phase);
        }
        key_pair_close(&f);
    }
}

/* Both keys, both phases, batch cut anywhere: the message comes back, and the cut does not show. */
static void round_trips_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < 3; chain++) {
        key_pair f;
        open_fixture(&f, chain);
        const hb_params *p = f.params;
        const size_t n = p->ring.n, count = 5;
        hb_batch plain = random_batch(&f, count, 1, &hb_bfv_of(p)->plain_id, 8),
                 m = key_pair_batch(&f, count, 1, &hb_bfv_of(p)->plain_id);
        hb_batch c0 = key_pair_batch(&f, count, p->data_limbs, p->ids),
                 c1 = key_pair_batch(&f, count, p->data_limbs, p->ids);
        hb_batch d0 = key_pair_batch(&f, count, p->data_limbs, p->ids),
                 d1 = key_pair_batch(&f, count, p->data_limbs, p->ids);
        const size_t bytes = count * p->data_limbs * n * sizeof *c0.data;
        hb_decryptor *decryptor;
        assert_int_equal(hb_decryptor_open(f.engine, &f.secret, p->data_limbs, count, &decryptor), HB_OK);
        for (int with_secret = 0; with_secret < 2; with_secret++) {
            hb_seed seeds[5], cut_seeds[5];
            hb_encryptor *x;
            assert_int_equal(hb_encryptor_open(f.engine, with_secret ? &f.secret : NULL,
                                               with_secret ? NULL : &f.public_key, HB_GAUSSIAN, count, &x),
                             HB_OK);
            assert_int_equal(hb_encrypt(x, c0, c1, seeds, plain, &f.root, 100), HB_OK);
            for (size_t at = 0; at < count; at += 2) {
                const size_t k = at + 2 <= count ? 2 : 1;
                assert_int_equal(hb_encrypt(x, hb_batch_slice(d0, at, k), hb_batch_slice(d1, at, k), cut_seeds + at,
                                            hb_batch_slice(plain, at, k), &f.root, 100 + at),
                                 HB_OK);
            }
            assert_memory_equal(c0.data, d0.data, bytes);
            if (with_secret) {
                assert_memory_equal(seeds, cut_seeds, sizeof seeds);
                assert_int_equal(hb_phase_seeded(decryptor, d0, c0, seeds), HB_OK);
            } else {
                assert_memory_equal(c1.data, d1.data, bytes);
                assert_int_equal(hb_phase(decryptor, d0, c0, c1), HB_OK);
            }
            assert_int_equal(hb_decrypt(decryptor, m, d0), HB_OK);
            assert_memory_equal(m.data, plain.data, count * n * sizeof *m.data);
            uint32_t budgets[5];
            assert_int_equal(hb_decryptor_measure(decryptor, budgets, d0), HB_OK);
            for (size_t c = 0; c < count; c++) {
                assert_true(budgets[c] >= 10);
            }
            hb_encryptor_close(x);
        }
        hb_decryptor_close(decryptor);
        hb_batch *all[] = {&plain, &m, &c0, &c1, &d0, &d1};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            hb_batch_free(f.engine, all[i]);
        }
        key_pair_close(&f);
    }
}

static void keys_survive_packing_and_refuse_garbage(void **state)
{
    (void)state;
    key_pair f;
    open_fixture(&f, 0);
    const hb_params *p = f.params;
    const size_t bytes = hb_packed_bytes(&p->ring, p->ids, p->key_limbs);
    uint8_t *packed = malloc(bytes), id[HB_KEY_ID_BYTES], other[HB_KEY_ID_BYTES];
    assert_int_equal(hb_public_key_pack(&f.public_key, packed, NULL), HB_OK);
    hb_public_key copy;
    assert_int_equal(hb_public_key_load(&copy, f.engine, p, packed, NULL, &f.public_seed), HB_OK);
    const size_t key_bytes = p->key_limbs * p->ring.n * 8;
    assert_memory_equal(copy.b.data, f.public_key.b.data, key_bytes);
    assert_memory_equal(copy.a.data, f.public_key.a.data, key_bytes);
    hb_public_key_clear(&copy);

    uint8_t *packed_a = malloc(bytes);
    assert_int_equal(hb_public_key_pack(&f.public_key, packed, packed_a), HB_OK);
    assert_int_equal(hb_public_key_load(&copy, f.engine, p, packed, packed_a, NULL), HB_OK);
    assert_memory_equal(copy.a.data, f.public_key.a.data, key_bytes);
    hb_public_key_clear(&copy);
    uint64_t *words = malloc(2 * key_bytes);
    memcpy(words, f.public_key.b.data, key_bytes);
    memcpy(words + key_bytes / 8, f.public_key.a.data, key_bytes);
    assert_int_equal(hb_public_key_load_words(&copy, f.engine, p, words), HB_OK);
    assert_memory_equal(copy.b.data, f.public_key.b.data, key_bytes);
    assert_memory_equal(copy.a.data, f.public_key.a.data, key_bytes);
    hb_public_key_clear(&copy);
    words[key_bytes / 4 - 1] = prime_of(&f, p->key_limbs - 1);
    assert_int_equal(hb_public_key_load_words(&copy, f.engine, p, words), HB_EDATA);
    free(words);
    hb_key_id(id, p, NULL, packed, packed_a);
    packed_a[bytes - 1] ^= 1;
    hb_key_id(other, p, NULL, packed, packed_a);
    assert_memory_not_equal(id, other, sizeof id);
    memset(packed_a, 0xff, 64);
    assert_int_equal(hb_public_key_load(&copy, f.engine, p, packed, packed_a, NULL), HB_EDATA);
    free(packed_a);
    hb_key_id(id, p, &f.public_seed, packed, NULL);
    packed[100] ^= 1;
    hb_key_id(other, p, &f.public_seed, packed, NULL);
    assert_memory_not_equal(id, other, sizeof id);
    memset(packed, 0xff, 64); /* all ones: not below any prime */
    assert_int_equal(hb_public_key_load(&copy, f.engine, p, packed, NULL, &f.public_seed), HB_EDATA);
    f.ternary[17] = 2;
    hb_secret_key bad;
    assert_int_equal(hb_secret_key_load(&bad, f.engine, p, f.ternary), HB_EDATA);
    free(packed);
    key_pair_close(&f);
}

static void signed_residues(void **state)
{
    (void)state;
    for (uint64_t t = 2; t < 40; t++) {
        for (int64_t v = -(int64_t)((t - 1) / 2); v <= (int64_t)(t / 2); v++) {
            const uint64_t r = hb_mod_from_signed(v, t);
            assert_true(r < t);
            assert_int_equal(hb_mod_to_signed(r, t), v);
        }
    }
}

HB_UNIT(bfv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secret_key_ciphertexts_are_their_definition),
        cmocka_unit_test(public_key_ciphertexts_are_their_definition),
        cmocka_unit_test(decryption_and_budget_are_exact),
        cmocka_unit_test(round_trips_do_not_depend_on_the_batch),
        cmocka_unit_test(keys_survive_packing_and_refuse_garbage),
        cmocka_unit_test(signed_residues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
