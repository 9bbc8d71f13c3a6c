/* Datasets that several ranks open: each looks at its share of the shards, and all know where the rows are. */
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unit/dataset_sample.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

enum { RANKS = 3 };

/* Ranks that take their turns in one process, in rounds: in round r each leaves its words of the r-th sum of a call,
 * and is told the sums before it. */
enum { MOST_SUMS = 2 };
typedef struct turns {
    uint64_t *sum[MOST_SUMS];
    size_t count[MOST_SUMS];
    int round, at; /* at: the next sum of the call that runs */
    int agreed;
} turns;

static void turns_clear(turns *t)
{
    for (int i = 0; i < MOST_SUMS; i++) {
        free(t->sum[i]);
    }
}

static hb_status agree(void *context, hb_status mine)
{
    turns *t = context;
    t->agreed++;
    return mine;
}

static hb_status add(void *context, uint64_t *words, size_t count)
{
    turns *t = context;
    const int at = t->at++;
    assert_true(at <= t->round && at < MOST_SUMS);
    if (t->sum[at] == NULL) {
        t->sum[at] = calloc(count, sizeof *words);
        t->count[at] = count;
    }
    assert_int_equal(count, t->count[at]);
    const bool known = at < t->round;
    for (size_t i = 0; i < count; i++) {
        t->sum[at][i] += known ? 0 : words[i];
        words[i] = known ? t->sum[at][i] : words[i];
    }
    return known ? HB_OK : HB_FAIL(HB_ESTOPPED, "the others come first");
}

/* A rank's turn: of its call the first sum comes first. */
static hb_dataset_ranks rank_of(turns *t, uint64_t rank)
{
    t->at = 0;
    return (hb_dataset_ranks){.rank = rank, .count = RANKS, .agree = agree, .add = add, .context = t};
}

static void check_rows(hb_dataset *dataset, const sample *s)
{
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    for (uint64_t u = 0; u < hb_header_units(&s->header); u++) {
        assert_ok(hb_dataset_read(dataset, u, &rows));
        assert_true(unit_equals(&s->header, &rows, &s->rows[u]));
    }
    free_rows(&rows);
}

/* Fewer shards than ranks, as many, more; rows of one component and of two. */
static void test_told(void **state)
{
    (void)state;
    const char *name = in_scratch("told.heb");
    for (uint32_t parts = 1; parts <= 7; parts += 2) {
        sample *s = make_sample(parts % 3 == 1, 7500, 1, 1, parts);
        turns t = {.sum = {NULL}};
        hb_dataset *dataset[RANKS];
        write_sample(name, s, parts, true);
        for (uint64_t r = 0; r < RANKS; r++) {
            assert_ok(hb_dataset_open_among(name, 0, rank_of(&t, r), &dataset[r]));
            check_header(hb_dataset_header(dataset[r]), &s->header);
            assert_int_equal(hb_dataset_parts(dataset[r]), parts);
            assert_int_equal(hb_dataset_tell(dataset[r], rank_of(&t, r)), HB_ESTOPPED);
        }
        for (t.round = 1; t.round < MOST_SUMS; t.round++) {
            for (uint64_t r = 0; r < RANKS; r++) {
                assert_int_equal(hb_dataset_tell(dataset[r], rank_of(&t, r)), HB_ESTOPPED);
            }
        }
        for (uint64_t r = 0; r < RANKS; r++) {
            assert_ok(hb_dataset_tell(dataset[r], rank_of(&t, r)));
            check_rows(dataset[r], s);
            hb_dataset_close(dataset[r]);
        }
        assert_int_equal(t.agreed, (1 + 4 + 4) * RANKS);
        turns_clear(&t);
        free_sample(s);
    }
}

/* Copies with equal sums that are cut into other shards are refused before places of rows are told. */
static void test_cut(void **state)
{
    (void)state;
    sample *s = make_sample(false, 7500, 1, 1, 4);
    const char *const names[RANKS] = {"cut-1.heb", "cut-4.heb", "cut-1.heb"};
    uint8_t sum[2][HB_DIGEST_BYTES];
    turns t = {.sum = {NULL}};
    hb_dataset *dataset[RANKS];
    write_sample(in_scratch("cut-1.heb"), s, 1, true);
    write_sample(in_scratch("cut-4.heb"), s, 4, true);
    for (uint64_t r = 0; r < RANKS; r++) {
        assert_ok(hb_dataset_open_among(in_scratch(names[r]), 0, rank_of(&t, r), &dataset[r]));
        hb_dataset_sum(dataset[r], sum[r % 2]);
        assert_int_equal(hb_dataset_tell(dataset[r], rank_of(&t, r)), HB_ESTOPPED);
    }
    assert_memory_equal(sum[0], sum[1], HB_DIGEST_BYTES);
    t.round = 1;
    for (uint64_t r = 0; r < RANKS; r++) {
        assert_refused(hb_dataset_tell(dataset[r], rank_of(&t, r)), HB_EDATA, "cut into other shards");
        hb_dataset_close(dataset[r]);
    }
    turns_clear(&t);
    free_sample(s);
}

/* Every shard is looked at by one rank, which says what is wrong with it; a rank that reads one that was changed since
 * says so. */
static void test_shares(void **state)
{
    (void)state;
    const char *name = in_scratch("shares.heb"), *part = in_scratch("shares.heb/part-00004.h5");
    sample *s = make_sample(false, 7000, 1, 1, 1); /* a unit in each of 7 shards */
    const hb_dataset_ranks alone = {.count = 1};
    turns t = {.sum = {NULL}};
    hb_dataset *dataset, *none;
    write_sample(name, s, 7, true);
    assert_ok(hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 0}, &none));
    assert_int_equal(unlink(part), 0);
    for (uint64_t r = 0; r < RANKS; r++) {
        if (r == 4 % RANKS) {
            assert_refused(hb_dataset_open_among(name, 0, rank_of(&t, r), &dataset), HB_ENOINPUT,
                           "part-00004.h5: is missing");
        } else {
            assert_ok(hb_dataset_open_among(name, 0, rank_of(&t, r), &dataset));
            hb_dataset_close(dataset);
        }
    }
    assert_refused(hb_dataset_open_shards(none, 4, 1, alone), HB_ENOINPUT, "part-00004.h5: is missing");
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    for (uint64_t u = 0; u < 4; u++) {
        assert_ok(hb_dataset_open_shards(none, u, 1, alone));
        assert_ok(hb_dataset_read(none, u, &rows));
        assert_true(unit_equals(&s->header, &rows, &s->rows[u]));
    }
    assert_ok(hb_dataset_open_shards(none, 6, 1, alone));
    assert_int_equal(truncate(in_scratch("shares.heb/part-00006.h5"), 5000), 0);
    assert_refused(hb_dataset_read(none, 6, &rows), HB_EDATA, "part-00006.h5: has 5000 bytes instead of");
    free_rows(&rows);
    hb_dataset_close(none);
    free_sample(s);
}

/* A dataset that was made gets its name with the shards that each rank has read back. */
static void test_made(void **state)
{
    (void)state;
    const char *name = in_scratch("made.heb");
    for (uint32_t parts = 1; parts <= 5; parts += 2) {
        sample *s = make_sample(parts == 3, 7500, 1, 1, parts);
        turns t = {.sum = {NULL}};
        hb_made_shards made[RANKS];
        assert_ok(begin_dataset(name, true));
        write_parts(name, s, parts);
        for (int round = 0; round < 2; round++) {
            t.round = round;
            for (uint64_t r = 0; r < RANKS; r++) {
                made[r] = (hb_made_shards){.parts = parts};
                assert_int_equal(hb_made_shards_look(&made[r], name, &s->header, rank_of(&t, r)),
                                 round > 0 ? HB_OK : HB_ESTOPPED);
                if (round == 0) {
                    free(made[r].words);
                }
            }
        }
        assert_ok(hb_dataset_commit_as(name, &s->header,
                                       &(hb_committing){.parts = parts, .force = true, .made = &made[parts % RANKS]}));
        check_dataset(name, s, parts);
        for (uint64_t r = 0; r < RANKS; r++) {
            free(made[r].words);
        }
        turns_clear(&t);
        free_sample(s);
    }
}

/* The rank whose shard is missing, or of another dataset, says so. */
static void test_badly_made(void **state)
{
    (void)state;
    const char *name = in_scratch("badly.heb"), *part = in_scratch("badly.heb.partial/part-00001.h5");
    sample *s = make_sample(false, 7500, 1, 1, 3), *other = make_sample(true, 7500, 1, 1, 3);
    const hb_dataset_ranks alone = {.count = 1};
    hb_made_shards made = {.parts = 2};
    assert_ok(begin_dataset(name, true));
    write_parts(name, s, 2);
    assert_refused(hb_made_shards_look(&made, name, &other->header, alone), HB_EINTERNAL,
                   "part-00000.h5: was written for another dataset");
    free(made.words);
    /* Shards that do not end where the units do. */
    made = (hb_made_shards){.parts = 1};
    assert_ok(hb_made_shards_look(&made, name, &s->header, alone));
    const hb_committing how = {.parts = 1, .force = true, .made = &made};
    assert_refused(hb_dataset_commit_as(name, &s->header, &how), HB_EINTERNAL, "its shards end at unit 4 of 8");
    made.shard[0].first_unit = 1;
    assert_refused(hb_dataset_commit_as(name, &s->header, &how), HB_EINTERNAL, "shard 0 begins at unit 1 instead of 0");
    made.shard[0] = (hb_made_shard){0, UINT64_MAX, 4};
    assert_refused(hb_dataset_commit_as(name, &s->header, &how), HB_EINTERNAL, "shard 0 has more units than there are");
    free(made.words);
    made = (hb_made_shards){.parts = 2};
    assert_int_equal(unlink(part), 0);
    assert_refused(hb_made_shards_look(&made, name, &s->header, alone), HB_ENOINPUT, "part-00001.h5");
    free(made.words);
    hb_dataset_abandon(name);
    free_sample(s);
    free_sample(other);
}

static void *make_late(void *path)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    assert_int_equal(mkdir(path, 0700), 0);
    return NULL;
}

/* A rank of another host may see the folder that rank 0 has made some time later. */
static void test_joined_late(void **state)
{
    (void)state;
    hb_hold hold = HB_HOLD_NONE;
    char partial[] = "late.heb.partial";
    pthread_t maker;
    assert_int_equal(pthread_create(&maker, NULL, make_late, partial), 0);
    assert_int_equal(hb_dataset_join("late.heb", &hold), HB_OK);
    hb_dataset_release(&hold);
    assert_int_equal(pthread_join(maker, NULL), 0);
    assert_int_equal(rmdir(partial), 0);
    assert_refused(hb_dataset_join("late.heb", &hold), HB_ENOINPUT, "late.heb.partial: cannot be opened");
}

HB_UNIT(dataset_ranks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told), cmocka_unit_test(test_cut),        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_made), cmocka_unit_test(test_badly_made), cmocka_unit_test(test_joined_late),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
