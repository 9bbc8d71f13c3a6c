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
    char paths[2][300];
    const char *const list[] = {paths[0], paths[1]};
    snprintf(paths[0], sizeof paths[0], "%s", in_scratch(output));
    snprintf(paths[1], sizeof paths[1], "%s", in_scratch(input));
    return hb_paths_check(list, 1, list + 1, 1);
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

/* A hundred outputs, of which `one` and `other` stand among the rest. */
static hb_status check_outputs(const char *one, const char *other)
{
    enum { COUNT = 100 };
    static char paths[COUNT][300];
    const char *list[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "rest%d", i);
        snprintf(paths[i], sizeof paths[i], "%s", in_scratch(i == 20 ? one : i == 70 ? other : name));
        list[i] = paths[i];
    }
    const hb_status st = hb_paths_check(list, COUNT, NULL, 0);
    if (st == HB_EUSAGE) {
        assert_non_null(strstr(hb_last_error()->text, one)); /* the two are named */
        assert_non_null(strstr(hb_last_error()->text, other));
    }
    return st;
}

static void test_outputs(void **state)
{
    (void)state;
    assert_ok(check_outputs("a", "b"));
    assert_ok(check_outputs("a", "aa"));
    assert_ok(check_outputs("in", "in2"));
    assert_refused(check_outputs("a", "a"), HB_EUSAGE, "made twice");
    assert_refused(check_outputs("a", "a.partial"), HB_EUSAGE, "made twice");
    assert_refused(check_outputs("a.partial", "a"), HB_EUSAGE, "made twice");
    assert_refused(check_outputs("out.partial/x", "out"), HB_EUSAGE, "inside");
    assert_refused(check_outputs("in/a", "link"), HB_EUSAGE, "inside");
    assert_refused(check_outputs("link", "in/a"), HB_EUSAGE, "inside");
    assert_refused(check_outputs("link", "in"), HB_EUSAGE, "made twice");
    assert_refused(check_outputs("out", "out.partial/deep"), HB_EUSAGE, "inside");
    assert_ok(hb_paths_check(NULL, 0, NULL, 0));
}

/* Inputs may be read twice. */
static void test_inputs(void **state)
{
    (void)state;
    char in[300], inside[300], new[300];
    snprintf(in, sizeof in, "%s", in_scratch("in"));
    snprintf(inside, sizeof inside, "%s", in_scratch("in/plain.csv"));
    snprintf(new, sizeof new, "%s", in_scratch("new"));
    const char *const inputs[] = {in, in, inside, inside}, *const outputs[] = {new, in};
    assert_ok(hb_paths_check(outputs, 1, inputs, 4));
    assert_refused(hb_paths_check(outputs, 2, inputs, 4), HB_EUSAGE, "another name");
}

static void test_disks(void **state)
{
    (void)state;
    uint64_t one, other;
    assert_ok(hb_path_disk(in_scratch("a"), &one));
    assert_ok(hb_path_disk(in_scratch("b"), &other));
    assert_int_equal(one, other);
    assert_ok(hb_path_disk("/proc/x", &other));
    assert_int_not_equal(one, other);
    assert_refused(hb_path_disk(in_scratch("no/a"), &one), HB_ECREATE, "cannot look");
}

HB_UNIT(paths)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_input), cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_inputs), cmocka_unit_test(test_disks)};
    return cmocka_run_group_tests(tests, make, scratch_remove);
}
