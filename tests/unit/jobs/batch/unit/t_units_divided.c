/* Units whose limbs several members share: each has the rows of its limbs, and all have the sums and values, as one
 * that has all limbs makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "divided/engine.h"
#include "reference/thread_exchange.h"
#include "unit/unit.h"
#include "unit/units_fixture.h"

enum { UNITS = 3, BATCH = 2 };

/* The results of an engine with all limbs. */
typedef struct whole {
    fixture f;
    uint32_t members;
    hb_unit_buffers buffers; /* unit u in buffer u */
    hb_quality_measured measured;
} whole;

static void open_whole(whole *w, bool seeded)
{
    fixture *f = &w->f;
    hb_unit_encryptor encryptor;
    hb_unit_decryptor decryptor;
    open_fixture(f, seeded);
    assert_int_equal(hb_header_units(&f->header), UNITS);
    assert_int_equal(hb_unit_buffers_init(&w->buffers, f->session.engine, &f->header, UNITS, true, false), HB_OK);
    assert_int_equal(hb_unit_encryptor_init(&encryptor, &f->session, f->session.engine, &f->header, UNIT, HB_GAUSSIAN),
                     HB_OK);
    assert_int_equal(hb_unit_decryptor_init(&decryptor, &f->session, f->session.engine, &f->header, UNIT), HB_OK);
    for (uint64_t u = 0; u < UNITS; u++) {
        hb_unit_buffer *buffer = &w->buffers.buffer[u];
        fill_buffer(f, buffer, u);
        assert_int_equal(hb_unit_encrypt(&encryptor, buffer, u, &root), HB_OK);
        assert_int_equal(hb_unit_rows_upload(&decryptor.rows, &buffer->rows), HB_OK);
        assert_int_equal(hb_unit_decrypt(&decryptor, buffer, u), HB_OK);
    }
    w->measured = decryptor.measured;
    hb_unit_decryptor_clear(&decryptor);
    hb_unit_encryptor_clear(&encryptor);
}

static void close_whole(whole *w)
{
    hb_unit_buffers_clear(&w->buffers);
    close_fixture(&w->f);
}

/* Takes over the exchange, also on failure. */
static hb_status open_member(hb_session *s, const whole *w, hb_exchange *exchange)
{
    hb_engine *device = NULL;
    hb_status st = open_params(s);
    s->exchange = exchange;
    HB_TRY(st);
    HB_TRY(hb_params_divide(s->params, w->members));
    HB_TRY(hb_cpu_engine_open(&s->params->ring, &device));
    HB_TRY(hb_divided_engine_open(device, &s->params->map, exchange, HB_DIVIDE_BY_COST, 0, &s->engine));
    return load_keys(s, w->f.ternary, w->f.header.seeded);
}

#define EXPECT(condition)                                                      \
    do {                                                                       \
        if (!(condition)) {                                                    \
            return HB_FAIL(HB_EINTERNAL, "line %d: %s", __LINE__, #condition); \
        }                                                                      \
    } while (0)

/* Rows of member m against those of the whole unit. */
static hb_status compare_rows(const whole *w, uint32_t m, const hb_unit_buffer *own, const hb_unit_buffer *all)
{
    const size_t bytes = (size_t)all->rows.count * hb_header_row_bytes(&w->f.header, 0); /* all limbs alike */
    EXPECT(own->rows.count == all->rows.count);
    EXPECT(memcmp(own->sum, all->sum, sizeof own->sum) == 0);
    for (uint32_t l = 0, here = 0; l < LIMBS; l++) {
        EXPECT(hb_rows_have(&own->rows, l) == (l % w->members == m));
        if (l % w->members == m) {
            EXPECT(memcmp(own->rows.c0 + here * bytes, all->rows.c0 + l * bytes, bytes) == 0);
            EXPECT(w->f.header.seeded || memcmp(own->rows.c1 + here * bytes, all->rows.c1 + l * bytes, bytes) == 0);
            here++;
        }
    }
    EXPECT(!w->f.header.seeded ||
           memcmp(own->rows.seeds, all->rows.seeds, (size_t)all->rows.count * sizeof(hb_seed)) == 0);
    return HB_OK;
}

/* There and back. */
static hb_status check_unit(const whole *w, uint32_t m, hb_unit_encryptor *encryptor, hb_unit_decryptor *decryptor,
                            hb_unit_buffer *buffer, uint64_t u)
{
    const hb_unit_buffer *all = &w->buffers.buffer[u];
    const size_t bytes = fill_buffer(&w->f, buffer, u) * N * sizeof(uint64_t);
    HB_TRY(hb_unit_encrypt(encryptor, buffer, u, &root));
    HB_TRY(compare_rows(w, m, buffer, all));
    memset(buffer->values, 0, bytes);
    HB_TRY(hb_unit_rows_upload(&decryptor->rows, &buffer->rows));
    HB_TRY(hb_unit_decrypt(decryptor, buffer, u));
    EXPECT(memcmp(buffer->values, all->values, bytes) == 0);
    return HB_OK;
}

/* Damage that one member has shows on all of them. buffer: the last unit. */
static hb_status check_damage(const whole *w, uint32_t m, hb_unit_decryptor *decryptor, hb_unit_buffer *buffer)
{
    uint8_t sum[HB_DIGEST_BYTES];
    /* Low bits of every fourth residue of 30 bits in one limb: each is off by another number. */
    for (size_t i = 0; i < N && m + 1 == w->members; i += 4) {
        buffer->rows.c0[i * 30 / 8] ^= (uint8_t)(i / 4);
    }
    HB_TRY(hb_unit_rows_upload(&decryptor->rows, &buffer->rows));
    HB_TRY(hb_unit_rows_sum(&decryptor->rows, UNITS - 1, &buffer->rows, sum));
    EXPECT(memcmp(sum, buffer->sum, sizeof sum) != 0);
    EXPECT(hb_unit_decrypt(decryptor, buffer, UNITS - 1) == HB_EDATA);
    EXPECT(strstr(hb_last_error()->text, "noise budget") != NULL);
    return HB_OK;
}

static hb_status run_member(void *context, uint32_t m, meeting *at)
{
    const whole *w = context;
    const hb_header *header = &w->f.header;
    hb_session s = {0};
    hb_exchange *exchange = NULL;
    hb_unit_buffers buffers = {0};
    hb_unit_encryptor encryptor = {0};
    hb_unit_decryptor decryptor = {0};
    hb_status st;
    HB_TRY(thread_exchange_open(at, m, &exchange));
    HB_GOTO(open_member(&s, w, exchange));
    HB_GOTO(hb_unit_buffers_init(&buffers, s.engine, header, 1, true, false));
    HB_GOTO(hb_unit_encryptor_init(&encryptor, &s, s.engine, header, BATCH, HB_GAUSSIAN));
    HB_GOTO(hb_unit_decryptor_init(&decryptor, &s, s.engine, header, BATCH));
    for (uint64_t u = 0; u < UNITS; u++) {
        HB_GOTO(check_unit(w, m, &encryptor, &decryptor, &buffers.buffer[0], u));
    }
    if (memcmp(&decryptor.measured, &w->measured, sizeof w->measured) != 0) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "other noise budgets"));
    }
    st = check_damage(w, m, &decryptor, &buffers.buffer[0]);
done:
    hb_unit_decryptor_clear(&decryptor);
    hb_unit_encryptor_clear(&encryptor);
    hb_unit_buffers_clear(&buffers);
    hb_session_close(&s);
    return st;
}

static void check_units(bool seeded)
{
    whole w;
    open_whole(&w, seeded);
    for (w.members = 1; w.members <= LIMBS; w.members++) { /* 2: 2 limbs and 1 */
        if (run_members(w.members, run_member, &w) != HB_OK) {
            fail_msg("%u members: %s", w.members, hb_last_error()->text);
        }
    }
    close_whole(&w);
}

static void test_secret(void **state)
{
    (void)state;
    check_units(true);
}

static void test_public(void **state)
{
    (void)state;
    check_units(false);
}

/* The plan is right for the member with most limbs, and enough for the others. */
static void test_memory(void **state)
{
    (void)state;
    for (int seeded = 0; seeded <= 1; seeded++) {
        whole w;
        open_whole(&w, seeded);
        for (w.members = 2; w.members <= LIMBS; w.members++) {
            const uint64_t seeds = seeded ? UNIT * sizeof(hb_seed) : 0; /* t_units.c */
            uint32_t exact = 0;                                         /* members that have most limbs of every list */
            for (uint32_t m = 0; m < w.members; m++) {
                hb_session s = {0};
                hb_exchange *exchange;
                assert_int_equal(hb_exchange_open_alone(m, w.members, &exchange), HB_OK);
                assert_int_equal(open_member(&s, &w, exchange), HB_OK);
                const uint64_t encrypting = hb_unit_encryptor_bytes(s.params, &w.f.header, BATCH);
                const uint64_t decrypting = hb_unit_decryptor_bytes(s.params, &w.f.header, BATCH);
                count_on(s.engine);
                const uint64_t encryptor = encryptor_bytes(&s, &w.f.header, BATCH) + seeds;
                const uint64_t decryptor = decryptor_bytes(&s, &w.f.header, BATCH) + seeds;
                count_off(s.engine);
                assert_true(encryptor <= encrypting && decryptor <= decrypting);
                exact += encryptor == encrypting && decryptor == decrypting;
                hb_session_close(&s);
            }
            assert_true(exact > 0);
        }
        close_whole(&w);
    }
}

HB_UNIT(units_divided)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_secret), cmocka_unit_test(test_public),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
