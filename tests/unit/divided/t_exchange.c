/* The front end of exchanges, the one that moves nothing, and the measurement of costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/seed.h"
#include "cpu/engine.h"
#include "reference/aborts.h"
#include "reference/thread_exchange.h"
#include "ring/ring.h"
#include "unit/unit.h"

static void open_engine(hb_ring *ring, hb_engine **engine)
{
    uint16_t id;
    assert_int_equal(hb_ring_init(ring, 10), HB_OK);
    assert_int_equal(hb_ring_add_modulus(ring, 12289, &id), HB_OK);
    assert_int_equal(hb_cpu_engine_open(ring, engine), HB_OK);
}

static void test_alone(void **state)
{
    (void)state;
    hb_exchange *x;
    hb_ring ring;
    hb_engine *engine;
    open_engine(&ring, &engine);
    uint64_t mine[2] = {3, 4}, all[6] = {0}, ticket, block = 5;
    assert_int_equal(hb_exchange_open_alone(1, 3, &x), HB_OK);
    assert_int_equal(x->members, 3);
    assert_int_equal(x->member, 1);
    assert_int_equal(hb_exchange_gather_words(x, mine, 2, all), HB_OK);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(all[i], mine[i % 2]);
    }
    const hb_transfer t = {.pattern = HB_BROADCAST, .receive = {&block, NULL, NULL}, .receive_bytes = {8, 0, 0}};
    assert_int_equal(hb_exchange_start(x, engine, &t, &ticket), HB_OK);
    assert_int_equal(hb_exchange_wait(x, engine, ticket), HB_OK);
    assert_int_equal(hb_exchange_settle(x, ticket), HB_OK);
    assert_int_equal(block, 5);
    hb_exchange_interrupt(x);
    assert_int_equal(hb_exchange_start(x, engine, &t, &ticket), HB_EPEER);
    assert_int_equal(hb_exchange_wait(x, engine, ticket), HB_EPEER);
    assert_int_equal(hb_exchange_settle(x, ticket), HB_EPEER);
    assert_int_equal(hb_exchange_gather_words(x, mine, 1, all), HB_EPEER);
    hb_exchange_close(x);
    hb_exchange_close(NULL);
    hb_engine_close(engine);
}

/* Member 1 of 3: transfers that are refused. */
typedef struct fixture {
    hb_exchange *x;
    hb_engine *engine;
} fixture;

static void wrong_transfer(void *with, int which)
{
    fixture *f = with;
    uint64_t words[8] = {0}, ticket;
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    for (int m = 0; m < 3; m++) {
        t.send[m] = words;
        t.send_bytes[m] = t.receive_bytes[m] = 16;
        t.receive[m] = words + 2 * (m + 1);
    }
    switch (which) {
    case 0:
        t.pattern = HB_PATTERNS;
        break;
    case 1:
        t.send_bytes[0] = 8; /* not the same to all */
        break;
    case 2:
        t.send[2] = words + 1;
        break;
    case 3:
        t.receive_bytes[2] = 12; /* no whole words */
        break;
    case 4:
        t.receive[0] = (char *)words + 4;
        break;
    case 5:
        t.receive[0] = NULL;
        break;
    case 6:
        t.pattern = HB_BROADCAST;
        t.root = 3;
        break;
    default:
        return; /* its own block is not looked at */
    }
    hb_status st = hb_exchange_start(f->x, f->engine, &t, &ticket);
    (void)st;
}

static void test_transfers(void **state)
{
    (void)state;
    fixture f;
    hb_ring ring;
    uint64_t word = 0, ticket;
    open_engine(&ring, &f.engine);
    assert_int_equal(hb_exchange_open_alone(1, 3, &f.x), HB_OK);
    for (int which = 0; which < 7; which++) {
        assert_aborts(wrong_transfer, &f, which);
    }
    /* Own entries and entries that a broadcast does not use are ignored; all blocks may be empty. */
    hb_transfer own = {.pattern = HB_ALL_TO_ALL, .send = {NULL, (char *)&word + 1, NULL}, .send_bytes = {0, 3, 0}};
    assert_int_equal(hb_exchange_start(f.x, f.engine, &own, &ticket), HB_OK);
    own = (hb_transfer){.pattern = HB_BROADCAST, .root = 2, .send_bytes = {5, 5, 5}, .receive_bytes = {7, 7, 0}};
    assert_int_equal(hb_exchange_start(f.x, f.engine, &own, &ticket), HB_OK);
    hb_exchange_close(f.x);
    hb_engine_close(f.engine);
}

/* Costs of every member. */
typedef struct costs {
    hb_exchange_cost of[4];
} costs;

static hb_status measure(void *context, uint32_t member, meeting *at)
{
    costs *c = context;
    const uint64_t prime = 12289;
    hb_ring ring;
    uint16_t id;
    hb_exchange *x = NULL;
    hb_engine *engine = NULL;
    hb_status st;
    HB_GOTO(hb_ring_init(&ring, 10));
    HB_GOTO(hb_ring_add_modulus(&ring, prime, &id));
    HB_GOTO(hb_cpu_engine_open(&ring, &engine));
    HB_GOTO(thread_exchange_open(at, member, &x));
    HB_GOTO(hb_exchange_measure(x, engine));
    c->of[member] = x->cost;
done:
    hb_exchange_close(x);
    hb_engine_close(engine);
    return st;
}

static void test_measure(void **state)
{
    (void)state;
    for (uint32_t members = 1; members <= 4; members++) {
        costs c;
        memset(&c, 0, sizeof c);
        assert_int_equal(run_members(members, measure, &c), HB_OK);
        for (uint32_t m = 0; m < members; m++) {
            assert_memory_equal(&c.of[m], &c.of[0], sizeof c.of[0]);
        }
        for (int p = 0; p < HB_PATTERNS; p++) {
            const double start = c.of[0].start[p], byte = c.of[0].byte[p];
            assert_true(isfinite(start) && isfinite(byte) && start >= 0 && byte >= 0);
            assert_int_equal(start + byte > 0, members > 1);
        }
    }
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(exchange)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_measure),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
