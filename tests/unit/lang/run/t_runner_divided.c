/* The program written by hand, run by members that share the limbs of every ciphertext: each stores the limbs that it
 * has, the same bits as one that has all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "divided/engine.h"
#include "reference/counting_engine.h"
#include "reference/hand_program.h"
#include "reference/thread_exchange.h"
#include "unit/unit.h"

enum { BATCH = 2 };

typedef struct divided {
    const fixture *whole; /* its program, columns, and outputs */
    uint8_t *packed;      /* of each key of the ring, b and a, one after the other */
    uint32_t members;
    hb_division division;
} divided;

typedef struct member {
    const divided *of;
    hb_params *params;
    hb_exchange *exchange;
    hb_engine *engine;
    hb_switch_keys keys;
    hb_runner *runner;
    size_t differences; /* words stored that are not those of the whole run */
} member;

static hb_status load_here(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const member *m = context;
    const size_t count = hb_ciphertexts_count(to);
    (void)column;
    for (size_t p = 0; p < 2 * count; p++) { /* polynomials in the order of the columns */
        const uint64_t *from = m->of->whole->columns[operand] + first * ciphertext_words + p * LIMBS * N;
        uint64_t *row = hb_batch_slice(hb_ciphertexts_component(to, p % 2), p / 2, 1).data;
        for (uint32_t l = 0; l < LIMBS; l++) {
            if (hb_limb_here(m->engine, to.all.ids[l])) {
                HB_TRY(hb_upload(m->engine, row, from + l * N, N * sizeof *from));
                row += N;
            }
        }
    }
    return HB_OK;
}

static hb_status load_plain_here(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    const member *m = context;
    (void)operand;
    (void)column;
    return hb_upload(m->engine, to.data, m->of->whole->plain + first * N, to.count * N * sizeof *to.data);
}

static hb_status compare_here(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    member *m = context;
    const size_t count = hb_ciphertexts_count(from), words = (size_t)from.all.limbs * N;
    (void)column;
    HB_TRY(hb_finish(m->engine));
    for (size_t c = 0; c < count; c++) {
        for (uint32_t i = 0; i < 2; i++) {
            const uint64_t *row = hb_batch_slice(hb_ciphertexts_component(from, i), c, 1).data;
            const uint64_t *expected = m->of->whole->out[output] + (first + c) * ciphertext_words + i * words;
            for (uint32_t l = 0; l < from.all.limbs; l++) {
                if (hb_limb_here(m->engine, from.all.ids[l])) {
                    m->differences += memcmp(row, expected + l * N, N * sizeof *row) != 0;
                    row += N;
                }
            }
        }
    }
    return HB_OK;
}

/* As jobs do it, from packed rows. */
static hb_status load_keys(member *m)
{
    const hb_switch_keys *from = &m->of->whole->keys;
    const size_t bytes = (size_t)hb_switch_key_packed_bytes(m->params);
    for (uint32_t i = 0; i < from->count; i++) {
        const uint8_t *packed = m->of->packed + 2 * i * bytes;
        hb_switch_key key;
        HB_TRY(hb_switch_key_load(&key, m->engine, m->params, from->key[i].element, packed, packed + bytes, NULL));
        HB_TRY(hb_switch_keys_add(&m->keys, &key));
    }
    return HB_OK;
}

/* Takes over the exchange, also on failure. */
static hb_status open_member(member *m, const divided *of, hb_exchange *exchange)
{
    hb_engine *device;
    *m = (member){.of = of, .exchange = exchange};
    HB_TRY(hb_params_open(&of->whole->params->spec, &m->params));
    HB_TRY(hb_params_divide(m->params, of->members));
    HB_TRY(hb_cpu_engine_open(&m->params->ring, &device));
    HB_TRY(hb_divided_engine_open(device, &m->params->map, exchange, of->division, 0, &m->engine));
    return load_keys(m);
}

static hb_status open_runner(member *m)
{
    const hb_runner_setting setting = {m->params,
                                       &m->keys,
                                       &m->of->whole->program,
                                       BATCH,
                                       {load_here, load_plain_here, compare_here, m},
                                       NULL,
                                       {NULL, NULL},
                                       NULL,
                                       NULL};
    return hb_runner_open(m->engine, &setting, NULL, &m->runner);
}

static void close_member(member *m)
{
    hb_runner_close(m->runner);
    hb_switch_keys_clear(&m->keys);
    hb_engine_close(m->engine);
    hb_exchange_close(m->exchange);
    hb_params_close(m->params);
}

static hb_status run_passes(member *m)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (size_t first = 0; first < BLOCKS; first += BATCH) {
            HB_TRY(hb_runner_rows(m->runner, pass, first, BLOCKS - first < BATCH ? BLOCKS - first : BATCH));
        }
        HB_TRY(hb_runner_totals(m->runner, pass));
    }
    return hb_finish(m->engine);
}

static hb_status run_member(void *context, uint32_t number, meeting *at)
{
    member m;
    hb_exchange *exchange = NULL;
    hb_status st;
    HB_TRY(thread_exchange_open(at, number, &exchange));
    HB_GOTO(open_member(&m, context, exchange));
    HB_GOTO(open_runner(&m));
    HB_GOTO(run_passes(&m));
    if (m.differences != 0) {
        st = HB_FAIL(HB_EINTERNAL, "member %u stored %zu rows that differ", number, m.differences);
    }
done:
    close_member(&m);
    return st;
}

static void pack_keys(divided *d)
{
    const hb_switch_keys *keys = &d->whole->keys;
    const size_t bytes = (size_t)hb_switch_key_packed_bytes(d->whole->params);
    d->packed = malloc(2 * keys->count * bytes);
    assert_non_null(d->packed);
    for (uint32_t i = 0; i < keys->count; i++) {
        uint8_t *packed = d->packed + 2 * i * bytes;
        assert_int_equal(hb_switch_key_pack(&keys->key[i], packed, packed + bytes), HB_OK);
    }
}

static void members_store_their_limbs(void **state)
{
    fixture *f = *state;
    divided d = {.whole = f};
    run(f, BLOCKS, 1);
    pack_keys(&d);
    for (d.members = 1; d.members <= LIMBS; d.members++) {
        for (int division = HB_DIVIDE_BY_COST; division <= HB_DIVIDE_BY_SLICES; division++) {
            d.division = (hb_division)division;
            if (run_members(d.members, run_member, &d) != HB_OK) {
                fail_msg("%u members, division %d: %s", d.members, division, hb_last_error()->text);
            }
        }
    }
    free(d.packed);
}

/* The planned memory is enough for every member, and less than that of an engine with all limbs. */
static void plans_hold_for_members(void **state)
{
    fixture *f = *state;
    divided d = {.whole = f};
    const uint64_t whole =
        hb_runner_bytes(f->params, &f->program, BATCH, NULL) + hb_runner_shared_bytes(f->params, &f->program);
    pack_keys(&d);
    for (d.members = 2; d.members <= LIMBS; d.members++) {
        for (uint32_t number = 0; number < d.members; number++) {
            member m;
            hb_exchange *exchange;
            assert_int_equal(hb_exchange_open_alone(number, d.members, &exchange), HB_OK);
            assert_int_equal(open_member(&m, &d, exchange), HB_OK);
            const uint64_t planned =
                hb_runner_bytes(m.params, &f->program, BATCH, NULL) + hb_runner_shared_bytes(m.params, &f->program);
            m.engine->batch_bytes = 0; /* workspaces for the whole batch */
            count_on(m.engine);
            assert_int_equal(open_runner(&m), HB_OK);
            count_off(m.engine);
            assert_true(counted.bytes <= planned && planned < whole);
            close_member(&m);
        }
    }
    free(d.packed);
}

HB_UNIT(runner_divided)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_store_their_limbs),
        cmocka_unit_test(plans_hold_for_members),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
