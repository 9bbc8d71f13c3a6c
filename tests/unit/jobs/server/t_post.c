/* The folder of a server as its post opens: whoever finds the server finds its own facts, and never those of an earlier
 * one. Jobs that arrive: tests/cli/serve.sh. */
#include "server/post.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "client/folder.h"
#include "unit/scratch.h"
#include "unit/unit.h"

static hb_status open_post(hb_post *post, hb_group *group, const char *name)
{
    hb_server_facts first;
    memset(&first, 0, sizeof first);
    first.began = first.since = hb_now();
    first.ranks = 1;
    return hb_post_open(post, group, in_scratch(name), &first);
}

/* The folder of a server that was killed. */
static void leave(const char *name, const char *facts, const char *partial)
{
    assert_int_equal(mkdir(in_scratch(name), 0700), 0);
    spit(in_scratch(facts), "those of another server, of whatever build that may have been, and of its jobs and ranks",
         80);
    spit(in_scratch(partial), "x", 1);
}

static void first_facts_are_its_own(void **state)
{
    (void)state;
    hb_group *group;
    hb_post post;
    hb_server_facts facts;
    assert_ok(hb_group_open_alone(&group));
    leave("killed", "killed/facts", "killed/facts.partial");
    assert_ok(open_post(&post, group, "killed"));
    assert_ok(hb_server_facts_read(post.folder, "killed", &facts));
    assert_int_equal(facts.ranks, 1);
    assert_false(is_there(in_scratch("killed/facts.partial")));
    assert_true(is_there(in_scratch("killed/jobs")));
    hb_post_close(&post);
    assert_false(is_there(in_scratch("killed/jobs")));
    assert_ok(hb_group_close(group));
}

/* A server that cannot listen states nothing. */
static void no_facts_without_a_server(void **state)
{
    (void)state;
    hb_group *group;
    hb_post post;
    assert_ok(hb_group_open_alone(&group));
    leave("deaf", "deaf/facts", "deaf/facts.partial");
    assert_int_equal(mkdir(in_scratch("deaf/jobs"), 0700), 0);
    assert_refused(open_post(&post, group, "deaf"), HB_ECREATE, "deaf/jobs: ");
    hb_post_close(&post);
    assert_false(is_there(in_scratch("deaf/facts")));
    assert_ok(hb_group_close(group));
}

/* A server that lives keeps its facts. */
static void facts_of_others_stay(void **state)
{
    (void)state;
    hb_group *group;
    hb_post post, second;
    assert_ok(hb_group_open_alone(&group));
    assert_ok(open_post(&post, group, "held"));
    assert_refused(open_post(&second, group, "held"), HB_ECREATE, "another server is there");
    hb_post_close(&second);
    assert_true(is_there(in_scratch("held/facts")) && is_there(in_scratch("held/jobs")));
    hb_post_close(&post);
    assert_ok(hb_group_close(group));
}

HB_UNIT(post)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_facts_are_its_own),
                                       cmocka_unit_test(no_facts_without_a_server),
                                       cmocka_unit_test(facts_of_others_stay)};
    return cmocka_run_group_tests_name("post", tests, scratch_make, scratch_remove);
}
