/* A small dataset's header, residues for all of its units, and sessions with a key pair on the CPU. */
#ifndef HB_TESTS_UNITS_FIXTURE_H
#define HB_TESTS_UNITS_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "batch/unit/unit_decrypt.h"
#include "batch/unit/unit_encrypt.h"
#include "ckks/presets.h"
#include "cpu/engine.h"
#include "reference/counting_engine.h"

enum { N = 1024, CIPHERTEXTS = 12, UNIT = 5, LIMBS = 3 };

static const hb_seed root = {{42}};

typedef struct fixture {
    hb_session session;
    hb_header header;
    hb_column column;
    int8_t ternary[N];
    uint64_t *values; /* [CIPHERTEXTS][N] residues */
    uint8_t digest[HB_DIGEST_BYTES];
} fixture;

/* Integers modulo 12289, or reals; primes = 1 mod 2048. */
static inline hb_params_spec spec_of(hb_scheme scheme)
{
    const hb_ckks_chain chain = {.first_bits = 50, .scale_bits = 40, .levels = LIMBS - 1, .special_limbs = 2};
    hb_params_spec real = {.n = N, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_ckks_find_chain(&real, &chain), HB_OK);
    const hb_params_spec integer = {.n = N,
                                    .key_limbs = LIMBS + 1,
                                    .primes = {1073707009, 1073698817, 1073692673, 1073682433},
                                    .bfv.plain = 12289,
                                    .security = {.level = 128},
                                    .insecure = true};
    return scheme == HB_CKKS ? real : integer;
}

static inline hb_status open_params(hb_session *s)
{
    const hb_params_spec spec = spec_of(HB_BFV);
    return hb_session_open_keyless(s, &spec);
}

/* Both keys on the engine; `seeded` says which one is used. */
static inline hb_status load_keys(hb_session *s, const int8_t *ternary, bool seeded)
{
    const hb_seed public_seed = {{7}};
    s->queue[0] = s->engine;
    s->kind = seeded ? HB_KEY_SECRET : HB_KEY_PUBLIC;
    HB_TRY(hb_secret_key_load(&s->secret, s->engine, s->params, ternary));
    return hb_public_key_generate(&s->public_key, &s->secret, &root, &public_seed);
}

/* Any value: of reals in [-1, 1), in the words that hold some. */
static inline uint64_t value_at(const hb_header *header, size_t i)
{
    const uint64_t number = i * 2654435761U % 12289;
    if (header->cells == HB_CELL_INTEGER) {
        return number;
    }
    return i % N < header->capacity ? hb_real_word((double)number / 6144.5 - 1) : 0;
}

static inline void open_fixture_of(fixture *f, hb_scheme scheme, bool seeded)
{
    memset(f, 0, sizeof *f);
    hb_session *s = &f->session;
    const hb_params_spec spec = spec_of(scheme);
    assert_int_equal(hb_seed_start(), HB_OK);
    assert_int_equal(hb_session_open_keyless(s, &spec), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&s->params->ring, &s->engine), HB_OK);
    assert_int_equal(hb_secret_draw(s->engine, s->params, &root, f->ternary), HB_OK);
    assert_int_equal(load_keys(s, f->ternary, seeded), HB_OK);
    f->header = (hb_header){.limbs = LIMBS, .seeded = seeded, .ciphertexts = CIPHERTEXTS, .unit = UNIT};
    hb_header_set_scheme(&f->header, &s->params->spec, HB_ENCODE_SLOTS);
    f->column = (hb_column){.name = "", .cells = f->header.cells};
    f->header.schema = (hb_schema){
        .rows = CIPHERTEXTS * f->header.capacity, .columns = 1, .rank = 1, .width = 8, .column = &f->column};
    hb_header_digest(f->digest, &f->header);
    f->values = malloc(CIPHERTEXTS * N * sizeof *f->values);
    assert_non_null(f->values);
    for (size_t i = 0; i < CIPHERTEXTS * N; i++) {
        f->values[i] = value_at(&f->header, i);
    }
}

static inline void open_fixture(fixture *f, bool seeded)
{
    open_fixture_of(f, HB_BFV, seeded);
}

/* Whether decrypted values equal the encrypted ones; reals, of capacity words in N, up to errors. */
static inline bool same_values(const hb_header *header, const uint64_t *got, const uint64_t *expected, size_t words)
{
    bool same = header->cells == HB_CELL_REAL || memcmp(got, expected, words * sizeof *got) == 0;
    for (size_t i = 0; i < words && header->cells == HB_CELL_REAL; i++) {
        same = same && (i % N >= header->capacity || fabs(hb_real_of(got[i]) - hb_real_of(expected[i])) < 1e-7);
    }
    return same;
}

static inline void close_fixture(fixture *f)
{
    free(f->values);
    hb_session_close(&f->session);
}

/* Residues of unit u into a buffer. */
static inline size_t fill_buffer(const fixture *f, hb_unit_buffer *buffer, uint64_t u)
{
    uint64_t first, count;
    hb_header_unit_range(&f->header, u, &first, &count);
    memcpy(buffer->values, f->values + first * N, (size_t)count * N * sizeof *f->values);
    return (size_t)count;
}

/* Bytes that the workspace of each takes on the engine of a session. */
static inline uint64_t encryptor_bytes(const hb_session *s, const hb_header *header, size_t batch)
{
    hb_unit_encryptor x;
    counted.bytes = 0;
    assert_int_equal(hb_unit_encryptor_init(&x, s, s->engine, header, batch, HB_GAUSSIAN), HB_OK);
    hb_unit_encryptor_clear(&x);
    return counted.bytes;
}

static inline uint64_t decryptor_bytes(const hb_session *s, const hb_header *header, size_t batch)
{
    hb_unit_decryptor x;
    counted.bytes = 0;
    assert_int_equal(hb_unit_decryptor_init(&x, s, s->engine, header, batch), HB_OK);
    hb_unit_decryptor_clear(&x);
    return counted.bytes;
}

#endif
