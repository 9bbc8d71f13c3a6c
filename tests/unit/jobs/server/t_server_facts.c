/* The file in which a server states facts about itself: it comes back as it was written, no part of one is left, and
 * whatever else may be in its place is refused. */
#include "server/facts.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/console.h"
#include "unit/scratch.h"
#include "unit/unit.h"

static hb_server_facts example(void)
{
    hb_server_facts facts;
    memset(&facts, 0, sizeof facts);
    hb_build_id(facts.build_id);
    memcpy(facts.running, "eval", 5);
    facts.since = hb_now();
    facts.began = facts.since - 60;
    facts.ranks = 2;
    facts.jobs = 9;
    facts.failed = 3;
    facts.keys = (hb_held){4, 1 << 20};
    facts.datasets = (hb_held){1, 5000};
    facts.weights = (hb_held){2, 70};
    return facts;
}

/* A folder, which is empty. */
static int open_folder(const char *name)
{
    assert_int_equal(mkdir(in_scratch(name), 0700), 0);
    const int folder = open(in_scratch(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder >= 0);
    return folder;
}

static void facts_come_back(void **state)
{
    (void)state;
    const int folder = open_folder("whole");
    hb_server_facts written = example(), facts;
    struct stat info;
    assert_refused(hb_server_facts_read(folder, "whole", &facts), HB_EUNAVAILABLE,
                   "whole: the server there says nothing");
    hb_server_facts_write(folder, &written);
    assert_int_equal(fstatat(folder, "facts", &info, 0), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_ok(hb_server_facts_read(folder, "whole", &facts));
    assert_memory_equal(&facts, &written, sizeof facts);
    hb_server_facts_forget(folder);
    assert_false(is_there(in_scratch("whole/facts")));
    close(folder);
}

/* One that cannot take its place is not left beside it. */
static void no_part_is_left(void **state)
{
    (void)state;
    const int folder = open_folder("part");
    hb_server_facts written = example();
    assert_int_equal(mkdir(in_scratch("part/facts"), 0700), 0);
    hb_server_facts_write(folder, &written);
    assert_false(is_there(in_scratch("part/facts.partial")));
    spit(in_scratch("part/facts.partial"), "x", 1);
    hb_server_facts_forget(folder);
    assert_false(is_there(in_scratch("part/facts.partial")));
    close(folder);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    const int folder = open_folder("other");
    hb_server_facts facts, good = example();
    uint8_t longer[sizeof good + 1] = {0};
    memcpy(longer, &good, sizeof good);
    spit(in_scratch("other/facts"), longer, 0);
    assert_refused(hb_server_facts_read(folder, "other", &facts), HB_EUNAVAILABLE, "says nothing of itself");
    spit(in_scratch("other/facts"), longer, sizeof good - 1);
    assert_refused(hb_server_facts_read(folder, "other", &facts), HB_EDATA,
                   "other/facts: is not as a server writes it");
    spit(in_scratch("other/facts"), longer, sizeof longer);
    assert_refused(hb_server_facts_read(folder, "other", &facts), HB_EDATA,
                   "other/facts: is not as a server writes it");
    longer[0] ^= 1; /* another build, whose facts may be longer */
    spit(in_scratch("other/facts"), longer, sizeof longer);
    assert_refused(hb_server_facts_read(folder, "other", &facts), HB_ECONFIG, "another build");
    assert_int_equal(unlink(in_scratch("other/facts")), 0);
    assert_int_equal(mkfifo(in_scratch("other/facts"), 0600), 0); /* which nobody writes */
    assert_refused(hb_server_facts_read(folder, "other", &facts), HB_EUNAVAILABLE, "says nothing of itself");
    close(folder);
}

static void numbers_are_checked(void **state)
{
    (void)state;
    const hb_server_facts good = example();
    const double now = good.since + 1;
    const uint64_t large = (uint64_t)INT64_MAX + 1;
    assert_ok(hb_server_facts_check(&good, good.build_id, now));
    assert_ok(hb_server_facts_check(&good, good.build_id, good.since));
    assert_refused(hb_server_facts_check(&good, "0123", now), HB_ECONFIG, "another build");
    hb_server_facts bad[16];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad[i] = good;
    }
    memset(bad[0].running, 'e', sizeof bad[0].running); /* without an end */
    memcpy(bad[1].running, "evil", 5);
    bad[2].began = NAN;
    bad[3].began = -INFINITY;
    bad[4].began = good.since + 0.5; /* after its job */
    bad[5].since = NAN;
    bad[6].since = now + 1; /* in the future */
    bad[7].ranks = 0;
    bad[8].ranks = 1ull << 31;
    bad[9].failed = 10; /* of 9 */
    bad[10].jobs = large;
    bad[11].keys.count = large;
    bad[12].keys.bytes = large;
    bad[13].datasets.bytes = UINT64_MAX;
    bad[14].weights.count = large;
    bad[15].weights.bytes = large;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_refused(hb_server_facts_check(&bad[i], good.build_id, now), HB_EDATA, "cannot be right");
    }
}

static void matrices_are_counted(void **state)
{
    (void)state;
    assert_string_equal(hb_human_things(0, "matrix").text, "0 matrices");
    assert_string_equal(hb_human_things(1, "matrix").text, "1 matrix");
    assert_string_equal(hb_human_things(2, "matrix").text, "2 matrices");
    assert_string_equal(hb_human_things(1, "key").text, "1 key");
    assert_string_equal(hb_human_things(2, "key").text, "2 keys");
}

HB_UNIT(server_facts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_come_back), cmocka_unit_test(no_part_is_left),
                                       cmocka_unit_test(other_files_are_refused), cmocka_unit_test(numbers_are_checked),
                                       cmocka_unit_test(matrices_are_counted)};
    return cmocka_run_group_tests_name("server_facts", tests, scratch_make, scratch_remove);
}
