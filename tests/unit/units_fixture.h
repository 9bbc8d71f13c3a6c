/* A small dataset's header, residues for all of its units, and sessions with a key pair on the CPU. */
#ifndef HB_TESTS_UNITS_FIXTURE_H
#define HB_TESTS_UNITS_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "batch/unit_decrypt.h"
#include "batch/unit_encrypt.h"
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

/* Primes = 1 mod 2048. */
static inline hb_status open_params(hb_session *s)
{
    const hb_params_spec spec = {.n = N,
                                 .key_limbs = LIMBS + 1,
                                 .primes = {1073707009, 1073698817, 1073692673, 1073682433},
                                 .bfv.plain = 12289,
                                 .security = {.level = 128},
                                 .insecure = true};
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

static inline void open_fixture(fixture *f, bool seeded)
{
    memset(f, 0, sizeof *f);
    hb_session *s = &f->session;
    assert_int_equal(hb_seed_start(), HB_OK);
    assert_int_equal(open_params(s), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&s->params->ring, &s->engine), HB_OK);
    assert_int_equal(hb_secret_draw(s->engine, s->params, &root, f->ternary), HB_OK);
    assert_int_equal(load_keys(s, f->ternary, seeded), HB_OK);
    f->column = (hb_column){.name = "", .is_signed = false};
    f->header = (hb_header){.spec = s->params->spec,
                            .limbs = LIMBS,
                            .components = 2,
                            .seeded = seeded,
                            .capacity = N,
                            .schema = {.rows = CIPHERTEXTS * N, .columns = 1, .rank = 1, .width = 8},
                            .ciphertexts = CIPHERTEXTS,
                            .unit = UNIT};
    f->header.schema.column = &f->column;
    hb_header_digest(f->digest, &f->header);
    f->values = malloc(CIPHERTEXTS * N * sizeof *f->values);
    assert_non_null(f->values);
    for (size_t i = 0; i < CIPHERTEXTS * N; i++) {
        f->values[i] = i * 2654435761U % 12289;
    }
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
