/* The order in which a rank goes through its units so that neighbours are in different shards, against its purpose:
 * each unit once, each shard in its own order, as many shards at a time as asked for. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "batch/job/shards.h"

enum { PARTS = 11, UNITS = 200 };

/* Shards of different sizes; of the units some are done. */
static void lay_out(hb_shards *shards, hb_part *parts)
{
    static const uint64_t sizes[PARTS] = {1, 30, 30, 29, 2, 50, 1, 1, 40, 15, 1};
    uint64_t first = 0;
    *shards = (hb_shards){.parts = parts, .count = PARTS};
    for (uint32_t p = 0; p < PARTS; p++) {
        parts[p] = (hb_part){p, first, sizes[p]};
        first += sizes[p];
    }
    assert_int_equal(first, UNITS);
}

static uint32_t part_of(const hb_part *parts, uint64_t u)
{
    uint32_t p = 0;
    while (u >= parts[p].first_unit + parts[p].units) {
        p++;
    }
    return p;
}

static void check_order(const hb_part *parts, const hb_units *before, const hb_units *after, uint32_t abreast)
{
    bool seen[UNITS] = {false};
    uint64_t last[PARTS] = {0};
    const uint64_t count = before->mine.count;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t u = after->list[i];
        const uint32_t p = part_of(parts, u);
        assert_true(u < UNITS && !seen[u]);
        assert_true(last[p] <= u);
        seen[u] = true;
        last[p] = u + 1;
    }
    for (uint64_t i = 0; i < count; i++) {
        assert_true(seen[before->list[i]]);
    }
    /* Shards that have been begun and not ended. */
    uint64_t left[PARTS] = {0}, all[PARTS] = {0};
    for (uint64_t i = 0; i < count; i++) {
        all[part_of(parts, before->list[i])]++;
        left[part_of(parts, before->list[i])]++;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t open = 0;
        left[part_of(parts, after->list[i])]--;
        for (uint32_t p = 0; p < PARTS; p++) {
            open += left[p] > 0 && left[p] < all[p];
        }
        assert_true(open <= abreast);
    }
}

static void test_interleave(void **state)
{
    (void)state;
    hb_part parts[PARTS];
    hb_shards shards;
    lay_out(&shards, parts);
    for (uint64_t without = 1; without < 9; without++) { /* every so many-th unit is done; 1: none is */
        for (uint32_t abreast = 0; abreast <= HB_PLAN_ABREAST + 2; abreast++) {
            uint64_t list[UNITS], sorted[UNITS], count = 0;
            for (uint64_t u = 0; u < UNITS; u++) {
                if (without == 1 || u % without != 0) {
                    list[count++] = u;
                }
            }
            memcpy(sorted, list, sizeof sorted);
            const hb_units before = {.mine = {0, count}, .list = sorted};
            hb_units after = {.mine = {0, count}, .list = list};
            assert_int_equal(hb_shards_interleave(&shards, &after, 1, abreast), HB_OK);
            const uint32_t most = abreast < HB_PLAN_ABREAST ? abreast : HB_PLAN_ABREAST;
            check_order(parts, &before, &after, most > 0 ? most : 1);
            if (abreast <= 1) {
                assert_memory_equal(list, sorted, count * sizeof *list);
            } else if (without == 1) { /* 1, 30, 30, 29 units: one of each, and again */
                const uint64_t first[] = {0, 1, 31, 61, 2, 32, 62};
                assert_true(abreast < 4 || memcmp(list, first, sizeof first) == 0);
            }
        }
    }
    hb_units none = {.mine = {0, 0}};
    assert_int_equal(hb_shards_interleave(&shards, &none, 1, 4), HB_OK);
}

/* Groups of units lie where their first unit does: of groups of 4, the shards of 1, 30, 30 and 29 units begin 1, 7, 8
 * and the rest. */
static void test_interleave_groups(void **state)
{
    (void)state;
    hb_part parts[PARTS];
    hb_shards shards;
    lay_out(&shards, parts);
    enum { EACH = 4, GROUPS = (UNITS + EACH - 1) / EACH };
    uint64_t list[GROUPS], units[GROUPS], seen = 0;
    for (uint64_t g = 0; g < GROUPS; g++) {
        list[g] = units[g] = g;
    }
    hb_units after = {.mine = {0, GROUPS}, .list = list};
    assert_int_equal(hb_shards_interleave(&shards, &after, EACH, 2), HB_OK);
    for (uint64_t g = 0; g < GROUPS; g++) {
        assert_true(list[g] < GROUPS && (seen >> list[g] & 1) == 0);
        seen |= (uint64_t)1 << list[g];
        units[g] *= EACH;
        list[g] *= EACH; /* now the first units */
    }
    const hb_units first = {.mine = {0, GROUPS}, .list = units};
    check_order(parts, &first, &after, 2);
    assert_true(part_of(parts, list[0]) != part_of(parts, list[1]));
}

static hb_status count_up(void *context)
{
    usleep(20000);
    return ++*(int *)context == 1 ? HB_OK : HB_FAIL(HB_EIO, "the second time");
}

/* Background work is done after the wait for its end, and its failure is returned as often as asked for. */
static void test_background(void **state)
{
    (void)state;
    hb_background b = {0};
    int calls = 0;
    assert_int_equal(hb_background_end(&b), HB_OK);
    hb_background_begin(&b, count_up, &calls);
    assert_int_equal(hb_background_end(&b), HB_OK);
    assert_int_equal(calls, 1);
    hb_background_begin(&b, count_up, &calls);
    for (int i = 0; i < 2; i++) {
        hb_clear_error();
        assert_int_equal(hb_background_end(&b), HB_EIO);
        assert_string_equal(hb_last_error()->text, "the second time");
    }
    assert_int_equal(calls, 2);
}

typedef struct calls {
    atomic_uint each[64];
    uint32_t failing; /* the index that fails; 64: none */
} calls;

static hb_status note_call(void *context, uint32_t i)
{
    calls *c = context;
    c->each[i]++;
    return i == c->failing ? HB_FAIL(HB_ENOMEM, "number %u", i) : HB_OK;
}

/* Everything once, and the message of the failure, from whichever thread. */
static void test_each(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= 64; count++) {
        calls c = {.failing = 64};
        assert_int_equal(hb_background_each(note_call, &c, count), HB_OK);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(c.each[i], i < count);
        }
        c = (calls){.failing = count / 2};
        hb_clear_error();
        assert_int_equal(hb_background_each(note_call, &c, count), count > 0 ? HB_ENOMEM : HB_OK);
        char words[16];
        snprintf(words, sizeof words, "number %u", count / 2);
        assert_string_equal(hb_last_error()->text, count > 0 ? words : "");
    }
}

/* --- shards whose space takes as long as this test lets it, and one that is refused */

enum { SHARDS = 3 };
static int writers[SHARDS]; /* only their addresses count */
static sem_t asked, allowed[SHARDS];
static hb_status answers[SHARDS];
static atomic_uint used[SHARDS];

static size_t number_of(const hb_shard_writer *writer)
{
    return (size_t)((const int *)(const void *)writer - writers);
}

hb_status __wrap_hb_shard_reserve(const hb_shard_writer *writer);
hb_status __wrap_hb_shard_use(hb_shard_writer *writer);
void __wrap_hb_shard_writer_close(hb_shard_writer *writer);

hb_status __wrap_hb_shard_reserve(const hb_shard_writer *writer)
{
    const size_t i = number_of(writer);
    sem_post(&asked);
    sem_wait(&allowed[i]);
    return answers[i] == HB_OK ? HB_OK : HB_FAIL(answers[i], "no space for shard %zu", i);
}

hb_status __wrap_hb_shard_use(hb_shard_writer *writer)
{
    used[number_of(writer)]++;
    return HB_OK;
}

void __wrap_hb_shard_writer_close(hb_shard_writer *writer)
{
    (void)writer;
}

/* Shards of one unit each, whose space is asked for and not there yet. */
static void begin_shards(hb_shards *shards)
{
    *shards = (hb_shards){.count = SHARDS, .lock = PTHREAD_MUTEX_INITIALIZER, .taken = PTHREAD_COND_INITIALIZER};
    shards->parts = calloc(SHARDS, sizeof *shards->parts);
    shards->writer = calloc(SHARDS, sizeof *shards->writer);
    shards->awaited = calloc(SHARDS, sizeof *shards->awaited);
    assert_true(shards->parts != NULL && shards->writer != NULL && shards->awaited != NULL);
    sem_init(&asked, 0, 0);
    for (uint32_t i = 0; i < SHARDS; i++) {
        shards->parts[i] = (hb_part){i, i, 1};
        shards->writer[i] = (hb_shard_writer *)(void *)&writers[i];
        sem_init(&allowed[i], 0, 0);
        used[i] = 0;
        answers[i] = HB_OK;
    }
    hb_shards_reserve_begin(shards, (hb_share){0, SHARDS});
    for (uint32_t i = 0; i < SHARDS; i++) {
        sem_wait(&asked);
    }
}

static hb_status use_last(void *shards)
{
    hb_shard_writer *writer;
    return hb_shards_use(shards, SHARDS - 1, &writer);
}

/* A unit waits for the space of its own shard, and for no other. */
static void test_space(void **state)
{
    (void)state;
    hb_shards shards;
    hb_shard_writer *writer;
    hb_background last;
    begin_shards(&shards);
    sem_post(&allowed[0]);
    assert_int_equal(hb_shards_use(&shards, 0, &writer), HB_OK); /* comes back, though the others have none */
    assert_ptr_equal(writer, shards.writer[0]);
    hb_background_begin(&last, use_last, &shards);
    sem_post(&allowed[1]);
    assert_int_equal(hb_shards_use(&shards, 1, &writer), HB_OK);
    assert_int_equal(used[SHARDS - 1], 0);
    sem_post(&allowed[SHARDS - 1]);
    assert_int_equal(hb_background_end(&last), HB_OK);
    assert_int_equal(used[SHARDS - 1], 1);
    assert_int_equal(hb_shards_reserve_end(&shards), HB_OK);
    hb_shards_clear(&shards);
}

/* Without space every unit ends with the reason, also waiting ones. */
static void test_no_space(void **state)
{
    (void)state;
    hb_shards shards;
    hb_shard_writer *writer;
    hb_background last;
    begin_shards(&shards);
    answers[1] = HB_EIO;
    hb_background_begin(&last, use_last, &shards);
    sem_post(&allowed[1]);
    for (int i = 0; i < 2; i++) {
        hb_clear_error();
        assert_int_equal(i == 0 ? hb_background_end(&last) : hb_shards_use(&shards, 1, &writer), HB_EIO);
        assert_string_equal(hb_last_error()->text, "no space for shard 1");
    }
    sem_post(&allowed[0]);
    sem_post(&allowed[2]);
    assert_int_equal(hb_shards_sync(&shards), HB_EIO);
    assert_int_equal(used[0] + used[1] + used[2], 0);
    hb_shards_clear(&shards);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interleave), cmocka_unit_test(test_interleave_groups),
                                       cmocka_unit_test(test_background), cmocka_unit_test(test_each),
                                       cmocka_unit_test(test_space),      cmocka_unit_test(test_no_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
