/* Where inputs and outputs lie, by any name. */
#include "unit/scratch.h"

#include "cli/paths.h"
#include "unit/unit.h"

/* in/ is a dataset, link a name of it, plain.csv a table, out.partial the rest of a job. */
static int make(void **state)
{
    scratch_make(state);
    assert_int_equal(mkdir(in_scratch("in"), 0755), 0);
    assert_int_equal(mkdir(in_scratch("out.partial"), 0755), 0);
    assert_int_equal(symlink("in", in_scratch("link")), 0);
    spit(in_scratch("in/plain.csv"), "x\n", 2);
    return 0;
}

static hb_status check(const char *output, const char *input)
{
    return hb_paths_check_input(in_scratch(output), in_scratch(input));
}

static void test_input(void **state)
{
    (void)state;
    assert_ok(check("new", "in"));
    assert_ok(check("inner", "in"));
    assert_ok(check("in/../new", "in"));
    assert_ok(check("new", "in/plain.csv"));
    assert_ok(check("out", "in/plain.csv"));
    assert_refused(check("in", "in"), HB_EUSAGE, "another name");
    assert_refused(check("link", "in"), HB_EUSAGE, "another name");
    assert_refused(check("in", "link"), HB_EUSAGE, "another name");
    assert_refused(check("in/new", "in"), HB_EUSAGE, "another name");
    assert_refused(check("link/new", "in"), HB_EUSAGE, "another name");
    assert_refused(check("in", "in/plain.csv"), HB_EUSAGE, "another name");
    assert_refused(check("in", "in/x.h5:/a/b"), HB_EUSAGE, "another name");
    assert_refused(check("out", "out.partial"), HB_EUSAGE, "another name");
    assert_refused(check("out/", "out.partial"), HB_EUSAGE, "another name");
    assert_refused(check("out", "out.partial/x.h5:/a"), HB_EUSAGE, "another name");
}

static void test_outputs(void **state)
{
    (void)state;
    char one[300], other[300];
    snprintf(one, sizeof one, "%s", in_scratch("a"));
    snprintf(other, sizeof other, "%s", in_scratch("b"));
    assert_ok(hb_paths_check_outputs(one, other));
    bool disk = false;
    assert_ok(hb_path_same_disk(one, other, &disk));
    assert_true(disk);
    assert_ok(hb_path_same_disk(one, "/proc/x", &disk));
    assert_false(disk);
    assert_refused(hb_path_same_disk(in_scratch("no/a"), one, &disk), HB_ECREATE, "cannot look");
    assert_refused(hb_paths_check_outputs(one, one), HB_EUSAGE, "made twice");
    assert_refused(hb_paths_check_outputs(in_scratch("a"), in_scratch("a.partial")), HB_EUSAGE, "made twice");
    assert_refused(hb_paths_check_outputs(in_scratch("in/a"), in_scratch("link")), HB_EUSAGE, "inside");
}

HB_UNIT(paths)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_input), cmocka_unit_test(test_outputs)};
    return cmocka_run_group_tests(tests, make, scratch_remove);
}
