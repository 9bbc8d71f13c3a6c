/* The root of a job: kept, found again, never taken over by another job, and gone at the end. */
#include "unit/scratch.h"

#include <sys/stat.h>

#include "mpi/group/group.h"
#include "output/kept_root.h"
#include "unit/unit.h"

static hb_group *group;
static const char *output;

static hb_kept_root taken(bool continues)
{
    hb_kept_root root = {.given = false};
    assert_ok(hb_kept_root_take(&root, group, output, continues));
    return root;
}

static bool same(const hb_kept_root *a, const hb_kept_root *b)
{
    return memcmp(&a->seed, &b->seed, sizeof a->seed) == 0;
}

static void test_found_again(void **state)
{
    (void)state;
    struct stat info;
    hb_kept_root first = taken(true);
    assert_false(first.found);
    assert_ok(hb_kept_root_settle(&first, false));
    assert_ok(hb_kept_root_keep(&first));
    assert_int_equal(stat(in_scratch("x.heb.partial.key"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    hb_kept_root again = taken(true);
    assert_true(again.found && same(&first, &again));
    /* While the first job runs, no other one keeps or removes its file. */
    assert_refused(hb_kept_root_keep(&again), HB_ECREATE, "another job is writing it");
    hb_kept_root_remove(&again);
    assert_true(is_there(in_scratch("x.heb.partial.key")));
    const hb_seed seed = first.seed;
    hb_kept_root_clear(&first);
    assert_ok(hb_kept_root_settle(&again, true));
    assert_memory_equal(&again.seed, &seed, sizeof seed);
    assert_ok(hb_kept_root_keep(&again));
    hb_kept_root_remove(&again);
    assert_false(is_there(in_scratch("x.heb.partial.key")));
    hb_kept_root_clear(&again);
}

/* A job that begins has another root, although a file lies there. */
static void test_never_taken_over(void **state)
{
    (void)state;
    hb_kept_root first = taken(false), second;
    assert_ok(hb_kept_root_keep(&first));
    hb_held_key_release(&first.held); /* it was killed */
    second = taken(false);
    assert_false(second.found || same(&first, &second));
    second = taken(true);
    assert_true(second.found);
    assert_ok(hb_kept_root_settle(&second, false));
    assert_false(second.found || same(&first, &second));
    assert_ok(hb_kept_root_keep(&second));
    hb_kept_root third = taken(true);
    assert_true(same(&second, &third));
    /* A job that begins anew between the look and the hold has a root of its own. */
    hb_kept_root_clear(&second);
    second = taken(false);
    assert_ok(hb_kept_root_keep(&second));
    hb_held_key_release(&second.held);
    assert_refused(hb_kept_root_keep(&third), HB_ECREATE, "another job has replaced it meanwhile");
    hb_kept_root_remove(&third);
    assert_false(is_there(in_scratch("x.heb.partial.key")));
}

static void test_gone(void **state)
{
    (void)state;
    hb_kept_root root = taken(true);
    assert_refused(hb_kept_root_settle(&root, true), HB_EDATA, "x.heb.partial.key: is gone");
    /* A file of another length holds none. */
    assert_ok(hb_kept_root_keep(&root));
    assert_int_equal(truncate(in_scratch("x.heb.partial.key"), HB_SEED_BYTES - 1), 0);
    hb_kept_root again = taken(true);
    assert_false(again.found);
    hb_kept_root_remove(&root);
}

/* One of a test is in no file. */
static void test_given(void **state)
{
    (void)state;
    const hb_seed seed = {{5}};
    hb_kept_root root = {.given = true, .seed = seed};
    assert_ok(hb_kept_root_take(&root, group, output, true));
    assert_ok(hb_kept_root_settle(&root, true));
    assert_ok(hb_kept_root_keep(&root));
    assert_memory_equal(&root.seed, &seed, sizeof seed);
    assert_false(is_there(in_scratch("x.heb.partial.key")));
    hb_kept_root_remove(&root);
}

static int setup(void **state)
{
    if (scratch_make(state) != 0) {
        return -1;
    }
    static char name[256];
    snprintf(name, sizeof name, "%s", in_scratch("x.heb"));
    output = name;
    return hb_seed_start() == HB_OK && hb_group_open_alone(&group) == HB_OK ? 0 : -1;
}

static int teardown(void **state)
{
    return hb_group_close(group) == HB_OK ? scratch_remove(state) : -1;
}

HB_UNIT(kept_root)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_never_taken_over),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_given),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
