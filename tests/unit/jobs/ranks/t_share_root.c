/* One root for all members, with threads for ranks that write down all that crosses between them: the root is not in
 * it, and damaged messages are refused. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/group/group_private.h"
#include "ranks/share_root.h"
#include "unit/unit.h"

enum { MOST = 5, WORDS = 256 };

/* The wire between the members. */
typedef struct wire {
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    uint64_t sums[WORDS];
    uint8_t sent[WORDS * sizeof(uint64_t)];
    size_t sent_bytes;
    hb_status status;
    int damaged; /* member whose part of the broadcast is changed on the way; -1: none */
} wire;

typedef struct member {
    hb_group base;
    wire *wire;
    hb_seed root;
    hb_status status;
} member;

static wire *wire_of(hb_group *group)
{
    return ((member *)group)->wire;
}

/* All members are here before anyone goes on; true for one of them. */
static bool meet(wire *w)
{
    return pthread_barrier_wait(&w->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
}

static hb_status wire_agree(hb_group *group, hb_status mine)
{
    wire *w = wire_of(group);
    if (meet(w)) {
        w->status = HB_OK;
    }
    meet(w);
    pthread_mutex_lock(&w->lock);
    w->status = mine > w->status ? mine : w->status;
    pthread_mutex_unlock(&w->lock);
    meet(w);
    const hb_status all = w->status;
    meet(w);
    return all;
}

static hb_status wire_sum(hb_group *group, uint64_t *values, size_t count)
{
    wire *w = wire_of(group);
    if (meet(w)) {
        memset(w->sums, 0, sizeof w->sums);
    }
    meet(w);
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < count; i++) {
        w->sums[i] += values[i];
    }
    pthread_mutex_unlock(&w->lock);
    meet(w);
    memcpy(values, w->sums, count * sizeof *values);
    meet(w);
    return HB_OK;
}

static hb_status wire_broadcast(hb_group *group, void *data, size_t bytes, int root)
{
    wire *w = wire_of(group);
    if (group->rank == root) {
        memcpy(w->sent, data, bytes);
        w->sent_bytes = bytes;
        if (w->damaged >= 0) {
            w->sent[(size_t)w->damaged * bytes / (size_t)group->size] ^= 1;
        }
    }
    meet(w);
    memcpy(data, w->sent, bytes);
    meet(w);
    return HB_OK;
}

static const hb_group_ops ops = {.agree = wire_agree, .sum = wire_sum, .broadcast = wire_broadcast};

static void *run(void *argument)
{
    member *m = argument;
    m->status = hb_share_root(&m->base, &m->root);
    return NULL;
}

/* All members at once. */
static void share(wire *w, member *members, int count, int damaged)
{
    pthread_t threads[MOST];
    *w = (wire){.lock = PTHREAD_MUTEX_INITIALIZER, .damaged = damaged};
    pthread_barrier_init(&w->barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        members[i] = (member){.base = {.ops = &ops, .rank = i, .size = count}, .wire = w};
        assert_int_equal(pthread_create(&threads[i], NULL, run, &members[i]), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&w->barrier);
}

static bool contains(const void *memory, size_t bytes, const hb_seed *root)
{
    const uint8_t *at = memory;
    for (size_t i = 0; i + HB_SEED_BYTES <= bytes; i++) {
        if (memcmp(at + i, root->bytes, HB_SEED_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

static void test_same(void **state)
{
    (void)state;
    const hb_seed none = {{0}};
    hb_seed before = none;
    for (int count = 1; count <= MOST; count++) {
        wire w;
        member members[MOST];
        share(&w, members, count, -1);
        for (int i = 0; i < count; i++) {
            assert_int_equal(members[i].status, HB_OK);
            assert_memory_equal(&members[i].root, &members[0].root, sizeof none);
        }
        assert_memory_not_equal(&members[0].root, &none, sizeof none);
        assert_memory_not_equal(&members[0].root, &before, sizeof none);
        assert_false(contains(w.sent, w.sent_bytes, &members[0].root));
        assert_false(contains(w.sums, sizeof w.sums, &members[0].root));
        before = members[0].root;
    }
}

static void test_damage(void **state)
{
    (void)state;
    for (int damaged = 1; damaged < MOST; damaged++) {
        wire w;
        member members[MOST];
        share(&w, members, MOST, damaged);
        for (int i = 0; i < MOST; i++) {
            assert_int_equal(members[i].status, HB_ECOMM);
        }
    }
}

HB_UNIT(share_root)
{
    if (hb_seed_start() != HB_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
