/* Datasets under keys of several owners say so, whatever else they have. */
#include "unit/dataset_sample.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

static const hb_joint_spec five = {.owners = 5, .threshold = 5, .results = 20000, .session = {9, 8, 7}};

/* It comes back as it was, and is of the version of joint keys. */
static void round_trip(const char *name, sample *s)
{
    hb_dataset *dataset;
    s->header.spec.joint = five;
    s->header.version = 0;
    digest_sample(s);
    write_sample(name, s, 1, true);
    check_dataset(name, s, 1); /* compares literals, too */
    assert_ok(hb_dataset_open(name, &dataset));
    assert_int_equal(hb_dataset_header(dataset)->version, 11);
    assert_int_equal(hb_dataset_header(dataset)->spec.joint.owners, 5);
    hb_dataset_close(dataset);
}

static void test_round_trips(void **state)
{
    (void)state;
    sample *s = make_sample(false, 100, 2, 1, 3);
    hb_column *column = s->header.schema.column;
    round_trip(in_scratch("plain.heb"), s);
    s->header.schema.threshold_gap = 0.5;
    column[0].mask = 2;
    column[1].full = 1;
    round_trip(in_scratch("masks.heb"), s);
    column[0].has_fill = column[0].ranged = true;
    column[0].fill = 3;
    column[0].least = 0;
    column[0].most = 5;
    round_trip(in_scratch("fills.heb"), s);
    hb_dataset *dataset;
    assert_ok(hb_dataset_open(in_scratch("fills.heb"), &dataset));
    assert_int_equal(hb_dataset_header(dataset)->schema.column[0].fill, 3);
    hb_dataset_close(dataset);
    free_sample(s);
}

/* The owners are in the digest, and numbers that cannot be are refused. */
static void test_tampered(void **state)
{
    (void)state;
    const char *name = in_scratch("tampered.heb");
    sample *s = make_sample(false, 100, 2, 1, 3);
    static const struct {
        const char *name;
        uint64_t value;
    } cases[] = {{"/params/owners", 4},    {"/params/owners", 1},      {"/params/owners", 65}, {"/params/threshold", 4},
                 {"/params/threshold", 0}, {"/params/results", 20001}, {"/params/results", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_dataset *dataset;
        round_trip(name, s);
        tamper_dataset(in_scratch("tampered.heb/part-00000.h5"), cases[i].name, cases[i].value);
        assert_refused(hb_dataset_open(name, &dataset), HB_EDATA, "part-00000.h5");
    }
    free_sample(s);
}

/* A file says that it is of this version, with a digest that holds. */
static void say_version(const char *path, sample *s, uint32_t version)
{
    uint8_t digest[HB_DIGEST_BYTES];
    s->header.version = version;
    hb_header_digest(digest, &s->header);
    tamper(path, "/", "version", version);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), a = H5Aopen(file, "header_digest", H5P_DEFAULT);
    const hid_t type = H5Aget_type(a);
    assert_true(H5Awrite(a, type, digest) >= 0);
    H5Tclose(type);
    H5Aclose(a);
    H5Fclose(file);
}

/* The version is that of datasets of several parties, and of no others, though all sums hold. */
static void test_versions(void **state)
{
    (void)state;
    static const struct {
        uint32_t version;
        bool joint;
    } cases[] = {{3, true}, {5, true}, {6, true}, {7, true}, {11, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32], part[64];
        hb_dataset *dataset;
        sample *s = make_sample(false, 100, 2, 1, 3);
        s->header.spec.joint = cases[i].joint ? five : (hb_joint_spec){.owners = 0};
        digest_sample(s);
        snprintf(name, sizeof name, "version-%zu.heb", i);
        snprintf(part, sizeof part, "%s/part-00000.h5", name);
        write_sample(in_scratch(name), s, 1, true);
        say_version(in_scratch(part), s, cases[i].version);
        assert_refused(hb_dataset_open(in_scratch(part), &dataset), HB_EDATA,
                       "several parties or a history: it is damaged");
        free_sample(s);
    }
}

HB_UNIT(dataset_joint)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
