/* A queue of the divided engine beside its operations: members that are alone, turns, waits, the choice by cost, and
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/seed.h"
#include "bfv/behz.h"
#include "reference/counting_engine.h"
#include "reference/members.h"
#include "unit/unit.h"

/* A queue that waits for its turn while the one before it does something else. */
typedef struct waiter {
    hb_engine *engine;
    hb_batch r, a;
    hb_status status;
} waiter;

static void *wait_for_turn(void *argument)
{
    waiter *w = argument;
    w->status = hb_decompose(w->engine, w->r, w->a);
    return NULL;
}

/* One of several computes alone: the words mean nothing, the work is done, and no member is waited for. */
static void test_alone(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    hb_exchange *x;
    hb_engine *device, *e, *second;
    hb_batch a, r;
    assert_int_equal(hb_params_divide(params, 4), HB_OK);
    assert_int_equal(hb_exchange_open_alone(3, 4, &x), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &device), HB_OK);
    assert_int_equal(hb_divided_engine_open(device, &params->map, x, HB_DIVIDE_BY_COST, 0, &e), HB_OK);
    assert_true(hb_divided_device(e) == device);
    assert_true(hb_divided_device(device) == device);
    assert_int_equal(hb_limbs_here(e, params->ids, 5), 1);
    assert_int_equal(e->batch_bytes, 4 * device->batch_bytes);
    assert_int_equal(hb_engine_fork(e, &second), HB_OK);
    assert_int_equal(hb_batch_alloc(second, &a, 3, 5, params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(second, &r, 15, 5, params->ids), HB_OK);
    assert_int_equal(hb_clear(second, a), HB_OK);
    assert_int_equal(hb_decompose(second, r, a), HB_OK);
    assert_int_equal(hb_finish(second), HB_OK);
    assert_int_equal(x->stats.transfers[HB_ALL_GATHER], 1);
    waiter w = {.engine = second, .r = r, .a = a};
    pthread_t thread;
    hb_engine_enter(e);
    hb_engine_enter(second);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_turn, &w), 0);
    usleep(10000);
    hb_engine_interrupt(e);
    pthread_join(thread, NULL);
    assert_int_equal(w.status, HB_EPEER);
    hb_engine_close(e); /* in any order; it leaves */
    hb_engine_leave(second);
    assert_int_equal(hb_decompose(second, r, a), HB_EPEER);
    hb_batch_free(second, &a);
    hb_batch_free(second, &r);
    hb_engine_close(second);
    hb_exchange_close(x);
    hb_params_close(params);
}

/* Digests of all limbs come in one transfer, in whatever order limbs are dealt; those of a member stand together. */
static void test_digests(void **state)
{
    (void)state;
    enum { ROWS = 3, LIMBS = 5 };
    hb_params *params = six_primes();
    static uint8_t digests[LIMBS * ROWS * HB_DIGEST_BYTES], packed[LIMBS * ROWS * 1024 * 8];
    for (int order = 0; order < HB_LIMB_ORDERS; order++) {
        hb_exchange *x;
        hb_engine *device, *e;
        bool taken[LIMBS] = {false};
        const hb_params_division division = {3, 1, (hb_limb_order)order};
        assert_int_equal(hb_params_divide_as(params, &division), HB_OK);
        assert_int_equal(hb_exchange_open_alone(1, 3, &x), HB_OK);
        assert_int_equal(hb_cpu_engine_open(&params->ring, &device), HB_OK);
        assert_int_equal(hb_divided_engine_open(device, &params->map, x, HB_DIVIDE_BY_COST, 0, &e), HB_OK);
        assert_int_equal(hb_digest_rows(e, digests, (hb_packed){packed, ROWS, 0, 1}, params->ids, LIMBS), HB_OK);
        assert_int_equal(x->stats.transfers[HB_ALL_GATHER], 1);
        for (uint32_t i = 0; i < LIMBS; i++) {
            const uint32_t place = hb_digest_place(e, params->ids, LIMBS, i);
            assert_true(place < LIMBS && !taken[place]);
            taken[place] = true;
            assert_int_equal(hb_digest_place(device, params->ids, LIMBS, i), i);
            for (uint32_t j = 0; j < i; j++) { /* members one behind the other, the limbs of each in their order */
                const uint8_t one = params->map.owner[params->ids[j]], other = params->map.owner[params->ids[i]];
                assert_true((hb_digest_place(e, params->ids, LIMBS, j) < place) == (one <= other));
            }
        }
        hb_engine_close(e);
        hb_exchange_close(x);
    }
    hb_params_close(params);
}

/* An exchange that moves nothing, and counts how often it was waited for. */
static const hb_exchange_ops *alone_ops;
static int settled;

static hb_status count_settle(hb_exchange *x, uint64_t ticket)
{
    settled++;
    return alone_ops->settle(x, ticket);
}

static void expect_settled(hb_engine *e, hb_batch r, hb_batch a, int times)
{
    assert_int_equal(settled, times);
    assert_int_equal(hb_decompose(e, r, a), HB_OK);
    settled = 0;
}

/* Nothing waits for a device on which a transfer has not ended: it would wait for other members for ever. */
static void test_waits(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const hb_garner *garner = &params->levels[5].garner;
    hb_exchange *x;
    hb_engine *device, *e, *other;
    hb_batch a, r;
    uint64_t digits[HB_MAX_LIMBS], word = 0;
    size_t wrong;
    assert_int_equal(hb_params_divide(params, 2), HB_OK);
    assert_int_equal(hb_exchange_open_alone(0, 2, &x), HB_OK);
    alone_ops = x->ops;
    hb_exchange_ops ops = *x->ops;
    ops.settle = count_settle;
    x->ops = &ops;
    assert_int_equal(hb_cpu_engine_open(&params->ring, &device), HB_OK);
    assert_int_equal(hb_divided_engine_open(device, &params->map, x, HB_DIVIDE_BY_COST, 0, &e), HB_OK);
    assert_int_equal(hb_engine_fork(e, &other), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &a, 1, 5, params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &r, 5, 5, params->ids), HB_OK);
    void *memory, *host;
    assert_int_equal(hb_alloc(e, 3 * params->ring.n * sizeof word, &memory), HB_OK);
    assert_int_equal(hb_host_alloc(e, sizeof word, &host), HB_OK);
    const hb_packed packed = {memory, 1, 0, 1};
    assert_int_equal(hb_clear(e, a), HB_OK);
    assert_int_equal(hb_pack(e, packed, a), HB_OK);
    settled = 0;
    expect_settled(e, r, a, 0);
    assert_int_equal(hb_finish(other), HB_OK);
    expect_settled(e, r, a, 0); /* not this queue's */
    assert_int_equal(hb_finish(e), HB_OK);
    assert_int_equal(hb_finish(e), HB_OK);
    expect_settled(e, r, a, 1); /* once */
    assert_int_equal(hb_upload(e, memory, &word, sizeof word), HB_OK);
    expect_settled(e, r, a, 1);
    assert_int_equal(hb_download(e, &word, memory, sizeof word), HB_OK);
    expect_settled(e, r, a, 1);
    assert_int_equal(hb_unpack(e, a, packed, &wrong), HB_OK);
    expect_settled(e, r, a, 1);
    assert_int_equal(hb_count_zeros(e, &word, a), HB_OK);
    expect_settled(e, r, a, 1);
    assert_int_equal(hb_infinity_norm(e, digits, a, garner), HB_OK);
    expect_settled(e, r, a, 1);
    hb_free(e, memory);
    expect_settled(e, r, a, 1);
    hb_host_free(e, host);
    assert_int_equal(settled, 1);
    hb_batch_free(e, &a);
    hb_batch_free(e, &r);
    hb_engine_close(e);
    hb_engine_close(other);
    x->ops = alone_ops;
    hb_exchange_close(x);
    hb_params_close(params);
}

/* Transfers of one lift by cost, by pattern. */
static void check_choice(hb_exchange_cost cost, uint64_t gathers, uint64_t slices)
{
    hb_params *params = six_primes();
    hb_exchange *x;
    hb_engine *device, *e;
    hb_behz behz;
    hb_batch a, r;
    assert_int_equal(hb_params_divide(params, 3), HB_OK);
    assert_int_equal(hb_exchange_open_alone(1, 3, &x), HB_OK);
    x->cost = cost;
    assert_int_equal(hb_cpu_engine_open(&params->ring, &device), HB_OK);
    assert_int_equal(hb_divided_engine_open(device, &params->map, x, HB_DIVIDE_BY_COST, 0, &e), HB_OK);
    assert_int_equal(hb_behz_init(&behz, params, 5), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &a, 2, 5, params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &r, 2, behz.limbs, behz.ids), HB_OK);
    assert_int_equal(hb_clear(e, a), HB_OK);
    assert_int_equal(hb_base_convert(e, r, a, &behz.lift), HB_OK);
    assert_int_equal(x->stats.transfers[HB_ALL_GATHER], gathers);
    assert_int_equal(x->stats.transfers[HB_ALL_TO_ALL], slices);
    hb_behz_clear(&behz);
    hb_batch_free(e, &a);
    hb_batch_free(e, &r);
    hb_engine_close(e);
    hb_exchange_close(x);
    hb_params_close(params);
}

/* 4 of 5 limbs to gather, against 2/3 of 5/3 and of two of about 6 limbs by slices: 4 against 2.7 or less. */
static void test_choice(void **state)
{
    (void)state;
    check_choice((hb_exchange_cost){.start = {0}}, 0, 2); /* bytes */
    check_choice((hb_exchange_cost){.start = {1e-3, 1e-3, 0}, .byte = {1e-12, 1e-12, 0}}, 1, 0);
    /* Starts that cost less than the transfers: these go in halves. */
    check_choice((hb_exchange_cost){.start = {1e-9, 1e-9, 0}, .byte = {1e-6, 1e-6, 0}}, 0, 4);
    check_choice((hb_exchange_cost){.start = {0, 0, 0}, .byte = {1e-6, 1e-5, 0}}, 2, 0);
    check_choice((hb_exchange_cost){.start = {1e-2, 1e-3, 0}, .byte = {0, 0, 0}}, 0, 2);
}

/* A queue takes exactly the bytes that it announces, with room for one polynomial at most and with more. */
static void check_queue_bytes(const hb_params_spec *spec, uint32_t members, uint64_t least, uint64_t most)
{
    hb_params *params;
    hb_exchange *x;
    hb_engine *device, *e;
    assert_int_equal(hb_params_open(spec, &params), HB_OK);
    assert_int_equal(hb_divided_queue_bytes(&params->map, params->ring.n, 0, 0), 0);
    assert_int_equal(hb_params_divide(params, members), HB_OK);
    assert_int_equal(hb_exchange_open_alone(0, members, &x), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &device), HB_OK);
    device->batch_bytes = 0; /* the more the better */
    count_on(device);
    assert_int_equal(hb_divided_engine_open(device, &params->map, x, HB_DIVIDE_BY_COST, 0, &e), HB_OK);
    count_off(device);
    assert_int_equal(hb_divided_queue_bytes(&params->map, params->ring.n, 0, 0), counted.bytes);
    assert_in_range(counted.bytes, least, most);
    hb_engine_close(e);
    hb_exchange_close(x);
    hb_params_close(params);
}

static void test_queue_bytes(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    uint32_t bits[24];
    for (int i = 0; i < 24; i++) {
        bits[i] = 50;
    }
    hb_params *small = six_primes(), *medium = members_params(16384, bits, 8, 65537), *large;
    for (uint32_t members = 2; members <= 5; members++) {
        check_queue_bytes(&small->spec, members, 32 * MIB, 32 * MIB);
    }
    /* At k = 2 slices of an auxiliary base of 9 limbs or so: 3 * 5 + 3 * 4.5 limbs of 1/8 MiB, 16 polynomials,
     * twice. */
    check_queue_bytes(&medium->spec, 2, 80 * MIB, 136 * MIB);
    large = members_params(65536, bits, 24, 65537);
    assert_int_equal(hb_params_divide(large, 2), HB_OK);
    assert_int_equal(hb_divided_queue_bytes(&large->map, large->ring.n, 0, 0), 512 * MIB);
    /* Little memory: a 32nd of it, but room for one polynomial: of key switching over the integers, with 6 blocks in
     * 6 primes, 3 * 36 limbs of 1/2 MiB, twice. */
    assert_int_equal(hb_divided_queue_bytes(&large->map, large->ring.n, 0, (uint64_t)4096 * MIB), 128 * MIB);
    assert_int_equal(hb_divided_queue_bytes(&large->map, large->ring.n, 0, 1), 108 * MIB);
    hb_params_close(small);
    hb_params_close(medium);
    hb_params_close(large);
}

/* The digest of member `odd` differs from the others' in one bit of one byte. */
static hb_status compare_digests(side *s, const void *with)
{
    const uint32_t odd = *(const uint32_t *)with;
    uint8_t digest[HB_DIGEST_BYTES] = {1, 2, 3};
    HB_TRY(hb_divided_same(s->engine, digest, "a plan"));
    for (int byte = 0; byte < HB_DIGEST_BYTES; byte++) {
        digest[byte] ^= s->engine->member == odd ? 64 : 0;
        const hb_status st = hb_divided_same(s->engine, digest, "a plan");
        digest[byte] ^= s->engine->member == odd ? 64 : 0;
        if (st != (s->whole ? HB_OK : HB_EDATA)) {
            return HB_FAIL(HB_DIFFERS, "byte %d: status %d", byte, (int)st);
        }
        HB_ASSERT(s->whole ||
                  strcmp(hb_last_error()->text, "a plan is not the same on all ranks that share its limbs") == 0);
    }
    return hb_divided_same(s->engine, digest, "a plan"); /* nothing has failed that others wait for */
}

/* Where a member's digest differs, all get the failure; an engine with all limbs asks no other. */
static void test_same(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    for (uint32_t members = 2; members <= 4; members++) {
        for (uint32_t odd = 0; odd < members; odd++) {
            performance p = {
                .spec = &params->spec, .play = compare_digests, .with = &odd, .members = members, .queues = 2};
            meeting at;
            meeting_init(&at, members);
            const hb_status st = perform(&p, &at, NULL);
            if (st != HB_OK) {
                print_error("%s\n", hb_last_error()->text);
            }
            meeting_clear(&at);
            assert_int_equal(st, HB_OK);
        }
    }
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(divided_queue)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),       cmocka_unit_test(test_waits), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_queue_bytes), cmocka_unit_test(test_same),  cmocka_unit_test(test_digests),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
