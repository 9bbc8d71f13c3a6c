/* Units through packed rows, checksums and back, against one ciphertext at a time by the scheme's own functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "unit/unit.h"
#include "unit/units_fixture.h"

enum { BATCH = 2, WORKERS = 2, SLOTS = 4 };

/* Packed rows of one ciphertext alone, both components one after the other, and its public seed. */
static void encrypt_one(const fixture *f, uint64_t number, uint8_t *rows, hb_seed *seed)
{
    const hb_session *s = &f->session;
    hb_engine *e = s->engine;
    hb_codec *codec;
    hb_encryptor *encryptor;
    hb_batch values, plain, c[2];
    const bool seeded = f->header.seeded;
    assert_int_equal(hb_codec_open(e, s->params, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_encryptor_open(s->engine, seeded ? &s->secret : NULL, seeded ? NULL : &s->public_key,
                                       HB_GAUSSIAN, 1, &encryptor),
                     HB_OK);
    assert_int_equal(hb_values_alloc(&values, e, s->params, 1), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, e, s->params, s->params->data_limbs, 1), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &c[0], 1, LIMBS, s->params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &c[1], 1, LIMBS, s->params->ids), HB_OK);
    memcpy(values.data, f->values + number * N, N * sizeof(uint64_t)); /* the CPU engine's memory is the host's */
    assert_int_equal(hb_encode(codec, plain, values), HB_OK);
    assert_int_equal(hb_encrypt(encryptor, c[0], c[1], seed, plain, &root, number), HB_OK);
    assert_int_equal(hb_pack(e, (hb_packed){rows, 1, 0, 1}, c[0]), HB_OK);
    if (!seeded) {
        assert_int_equal(
            hb_pack(e, (hb_packed){rows + hb_packed_bytes(&s->params->ring, s->params->ids, LIMBS), 1, 0, 1}, c[1]),
            HB_OK);
    }
    hb_batch *all[] = {&values, &plain, &c[0], &c[1]};
    for (size_t i = 0; i < 4; i++) {
        hb_batch_free(e, all[i]);
    }
    hb_encryptor_close(encryptor);
    hb_codec_close(codec);
}

/* Compares rows and sum of a unit with those of its ciphertexts made one by one. */
static void check_rows(const fixture *f, const hb_unit_buffer *buffer, uint64_t u)
{
    uint64_t first, count;
    hb_header_unit_range(&f->header, u, &first, &count);
    assert_int_equal(buffer->rows.count, count);
    const uint32_t components = f->header.seeded ? 1 : 2;
    uint8_t digests[2 * LIMBS * UNIT * HB_DIGEST_BYTES], sum[HB_DIGEST_BYTES];
    uint8_t *one = malloc(2 * hb_packed_bytes(&f->session.params->ring, f->session.params->ids, LIMBS));
    assert_non_null(one);
    for (uint64_t c = 0; c < count; c++) {
        hb_seed seed = {{0}};
        encrypt_one(f, first + c, one, &seed);
        assert_true(!f->header.seeded || memcmp(&seed, &buffer->rows.seeds[c], sizeof seed) == 0);
        const uint8_t *own = one, *rows = buffer->rows.c0;
        for (uint32_t k = 0; k < components * LIMBS; k++) {
            const size_t row = hb_header_row_bytes(&f->header, k % LIMBS);
            rows = k == LIMBS ? buffer->rows.c1 : rows;
            assert_memory_equal(rows + c * row, own, row);
            hb_digest_row(digests + (k * count + c) * HB_DIGEST_BYTES, own, row);
            rows += count * row;
            own += row;
        }
    }
    hb_unit_digest(sum, &f->header, f->digest, u, &buffer->rows, digests);
    assert_memory_equal(sum, buffer->sum, sizeof sum);
    free(one);
}

static void check_units(hb_scheme scheme, bool seeded)
{
    fixture f;
    open_fixture_of(&f, scheme, seeded);
    hb_unit_encryptor encryptor;
    hb_unit_decryptor decryptor;
    hb_unit_buffers buffers;
    assert_int_equal(hb_unit_buffers_init(&buffers, f.session.engine, &f.header, SLOTS, true, false), HB_OK);
    assert_int_equal(hb_session_fork(&f.session, WORKERS), HB_OK);
    hb_engine *const *queue = f.session.queue; /* each on its own */
    assert_int_equal(hb_unit_encryptor_init(&encryptor, &f.session, queue[1], &f.header, UNIT, HB_GAUSSIAN), HB_OK);
    assert_int_equal(hb_unit_decryptor_init(&decryptor, &f.session, queue[0], &f.header, UNIT), HB_OK);
    const size_t batches[] = {UNIT, BATCH}; /* with BATCH the last piece of a unit is shorter */
    for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++) {
        encryptor.batch = decryptor.batch = batches[b];
        for (uint64_t u = 0; u < hb_header_units(&f.header); u++) {
            uint64_t first, count;
            hb_header_unit_range(&f.header, u, &first, &count);
            hb_unit_buffer *buffer = &buffers.buffer[u % SLOTS];
            memcpy(buffer->values, f.values + first * N, count * N * sizeof(uint64_t));
            assert_int_equal(hb_unit_encrypt(&encryptor, buffer, u, &root), HB_OK);
            check_rows(&f, buffer, u);
            memset(buffer->values, 0, count * N * sizeof(uint64_t));
            assert_int_equal(hb_unit_rows_upload(&decryptor.rows, &buffer->rows), HB_OK);
            assert_int_equal(hb_unit_decrypt(&decryptor, buffer, u), HB_OK);
            assert_true(same_values(&f.header, buffer->values, f.values + first * N, (size_t)count * N));
        }
    }
    if (scheme == HB_CKKS) {
        const hb_precision *precision = &decryptor.measured.precision;
        assert_int_equal(precision->count, 2 * CIPHERTEXTS * f.header.capacity);
        assert_true(hb_precision_least_bits(precision) > 25 && hb_precision_least_bits(precision) < 40);
    } else {
        assert_int_equal(decryptor.measured.count, 2 * CIPHERTEXTS);
        assert_true(decryptor.measured.least > 20 && decryptor.measured.least <= LIMBS * 30 - 13);
        assert_true(decryptor.measured.sum >= decryptor.measured.count * decryptor.measured.least);
    }
    hb_unit_decryptor_clear(&decryptor);
    hb_unit_encryptor_clear(&encryptor);
    hb_unit_buffers_clear(&buffers);
    close_fixture(&f);
}

static void test_secret(void **state)
{
    (void)state;
    check_units(HB_BFV, true);
    check_units(HB_CKKS, true);
}

static void test_public(void **state)
{
    (void)state;
    check_units(HB_BFV, false);
    check_units(HB_CKKS, false);
}

/* Rows that are no ciphertext of the key: refused with the number of the ciphertext. */
static void test_noise(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, true);
    hb_unit_encryptor encryptor;
    hb_unit_decryptor decryptor;
    hb_unit_buffers buffers;
    assert_int_equal(hb_unit_buffers_init(&buffers, f.session.engine, &f.header, SLOTS, true, false), HB_OK);
    hb_engine *engine = f.session.engine;
    assert_int_equal(hb_unit_encryptor_init(&encryptor, &f.session, engine, &f.header, UNIT, HB_GAUSSIAN), HB_OK);
    assert_int_equal(hb_unit_decryptor_init(&decryptor, &f.session, engine, &f.header, UNIT), HB_OK);
    hb_unit_buffer *buffer = &buffers.buffer[0];
    memcpy(buffer->values, f.values + UNIT * N, UNIT * N * sizeof(uint64_t));
    assert_int_equal(hb_unit_encrypt(&encryptor, buffer, 1, &root), HB_OK);
    buffer->rows.seeds[3].bytes[0] ^= 1;
    assert_int_equal(hb_unit_rows_upload(&decryptor.rows, &buffer->rows), HB_OK);
    assert_int_equal(hb_unit_decrypt(&decryptor, buffer, 1), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "ciphertext 8 "));
    memset(buffer->rows.c0, 0xff, hb_header_row_bytes(&f.header, 0)); /* residues above the modulus */
    assert_int_equal(hb_unit_rows_upload(&decryptor.rows, &buffer->rows), HB_OK);
    assert_int_equal(hb_unit_decrypt(&decryptor, buffer, 1), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "residues"));
    hb_unit_decryptor_clear(&decryptor);
    hb_unit_encryptor_clear(&encryptor);
    hb_unit_buffers_clear(&buffers);
    close_fixture(&f);
}

/* A unit's workspace takes exactly the planned memory, without the seeds, which stay on the host. */
static void test_memory(void **state)
{
    (void)state;
    const size_t batches[] = {UNIT, BATCH, 1};
    for (int k = 0; k < 4; k++) {
        const bool seeded = k % 2 == 1;
        const hb_scheme scheme = k / 2 == 0 ? HB_BFV : HB_CKKS;
        fixture f;
        open_fixture_of(&f, scheme, seeded);
        hb_engine *engine = f.session.engine;
        const hb_params *params = f.session.params;
        const uint64_t seeds = seeded ? UNIT * sizeof(hb_seed) : 0;
        /* The order of slots, which is a table for some parameters. */
        const uint64_t spare = scheme == HB_CKKS ? N / 2 * sizeof(uint32_t) : 0;
        engine->batch_bytes = 0;
        count_on(engine);
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            const uint64_t encrypting = encryptor_bytes(&f.session, &f.header, batches[i]) + seeds,
                           decrypting = decryptor_bytes(&f.session, &f.header, batches[i]) + seeds;
            assert_in_range(hb_unit_encryptor_bytes(params, &f.header, batches[i]), encrypting, encrypting + spare);
            assert_in_range(hb_unit_decryptor_bytes(params, &f.header, batches[i]), decrypting, decrypting + spare);
        }
        count_off(engine);
        engine->batch_bytes = 0;
        assert_int_equal(hb_unit_batch(engine, params, UNIT), UNIT);
        engine->batch_bytes = 2 * params->key_limbs * N * sizeof(uint64_t);
        assert_int_equal(hb_unit_batch(engine, params, UNIT), 2);
        engine->batch_bytes = 1;
        assert_int_equal(hb_unit_batch(engine, params, UNIT), 1);
        close_fixture(&f);
    }
}

static void test_budgets(void **state)
{
    (void)state;
    hb_quality_measured all = hb_quality_measured_none;
    hb_quality_measured_add(&all, &hb_quality_measured_none);
    assert_true(all.count == 0 && all.sum == 0 && all.least == UINT32_MAX);
    hb_quality_measured_add(&all, &(hb_quality_measured){.count = 3, .sum = 30, .least = 9});
    hb_quality_measured_add(&all, &(hb_quality_measured){.count = 2, .sum = 21, .least = 10});
    assert_true(all.count == 5 && all.sum == 51 && all.least == 9);
}

HB_UNIT(units)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_secret), cmocka_unit_test(test_public),
                                       cmocka_unit_test(test_noise), cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_budgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
