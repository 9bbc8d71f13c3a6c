/* Which kernel a transform takes by a plan, and plans in files: written plans are read, damaged or foreign ones are
 * not. */
#include "unit/scratch.h"

#include <jansson.h>

#include "device/ntt_plan_file.h"
#include "unit/unit.h"

static const hb_cuda_device card = {
    .name = "NVIDIA H200 (fake)", .multiprocessors = 132, .l2 = (uint64_t)50 << 20, .sm90 = true};
static hb_group *group;

static hb_ntt_kind kind_of(uint32_t log_n, hb_ntt_arithmetic arithmetic, bool forward)
{
    return (hb_ntt_kind){log_n, arithmetic, forward};
}

static void test_rows(void **state)
{
    (void)state;
    bool met[HB_NTT_PLAN_ROWS] = {false};
    for (uint32_t log_n = 10; log_n <= 17; log_n++) {
        for (int a = 0; a < 2 * HB_NTT_ARITHMETICS; a++) {
            const hb_ntt_kind kind = kind_of(log_n, (hb_ntt_arithmetic)(a / 2), a % 2 == 0);
            const uint32_t row = hb_ntt_row_of(kind);
            assert_true(row < HB_NTT_PLAN_ROWS && !met[row]);
            met[row] = true;
            const hb_ntt_kind back = hb_ntt_kind_of(row);
            assert_true(back.log_n == kind.log_n && back.arithmetic == kind.arithmetic && back.forward == kind.forward);
        }
    }
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        size_t jobs;
        uint32_t class;
    } cases[] = {{1, 0},  {2, 1},  {3, 1},  {4, 2},      {6, 2},      {7, 3},        {12, 3},
                 {13, 4}, {24, 4}, {25, 5}, {49152, 15}, {49153, 16}, {SIZE_MAX, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(hb_ntt_class_of(cases[i].jobs), cases[i].class);
    }
}

/* Without a measurement: one launch for large batches, two while they stay in two thirds of the cache, 33 MiB, and
 * narrow thread blocks for up to 132 times 2^12 words. */
static void test_rules(void **state)
{
    (void)state;
    static const struct {
        uint32_t log_n;
        size_t jobs;
        uint32_t rule, old; /* old: of a GPU without clusters */
    } cases[] = {{10, 1, HB_NTT_SINGLE, HB_NTT_SINGLE},
                 {11, 1, HB_NTT_SINGLE, HB_NTT_SINGLE},
                 {12, 132, HB_NTT_NARROW_CLUSTER, HB_NTT_SINGLE},
                 {12, 133, HB_NTT_SINGLE, HB_NTT_SINGLE},
                 {12, 1 << 20, HB_NTT_SINGLE, HB_NTT_SINGLE},
                 {13, 66, HB_NTT_NARROW_CLUSTER, HB_NTT_TWO},
                 {13, 67, HB_NTT_CLUSTER, HB_NTT_TWO},
                 {14, 1, HB_NTT_NARROW_TWO, HB_NTT_NARROW_TWO},
                 {14, 33, HB_NTT_NARROW_TWO, HB_NTT_NARROW_TWO},
                 {14, 34, HB_NTT_TWO, HB_NTT_TWO},
                 {15, 16, HB_NTT_NARROW_TWO, HB_NTT_NARROW_TWO},
                 {15, 133, HB_NTT_TWO, HB_NTT_TWO},
                 {15, 134, HB_NTT_CLUSTER, HB_NTT_TWO},
                 {16, 66, HB_NTT_TWO, HB_NTT_TWO},
                 {16, 67, HB_NTT_DATAFLOW_75, HB_NTT_DATAFLOW_75},
                 {17, 4, HB_NTT_NARROW_TWO, HB_NTT_NARROW_TWO},
                 {17, 5, HB_NTT_TWO, HB_NTT_TWO},
                 {17, 33, HB_NTT_TWO, HB_NTT_TWO},
                 {17, 34, HB_NTT_DATAFLOW_75, HB_NTT_DATAFLOW_75}};
    const hb_cuda_ntt_plan none = {0};
    hb_cuda_device older = card;
    older.sm90 = false;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hb_ntt_kind kind = kind_of(cases[i].log_n, HB_NTT_U64_59, true);
        assert_int_equal(hb_ntt_choose(&none, &card, kind, cases[i].jobs), cases[i].rule);
        assert_int_equal(hb_ntt_choose(&none, &older, kind, cases[i].jobs), cases[i].old);
    }
}

/* With any contents of a plan, the chosen kernel works. */
static void test_choice_works(void **state)
{
    (void)state;
    hb_cuda_device older = card;
    older.sm90 = false;
    for (uint32_t value = 0; value < 256; value++) {
        hb_cuda_ntt_plan plan;
        hb_ntt_plan_of(&plan, value);
        for (uint32_t row = 0; row < HB_NTT_PLAN_ROWS; row++) {
            const hb_ntt_kind kind = hb_ntt_kind_of(row);
            for (size_t jobs = 1; jobs <= (size_t)1 << 20; jobs *= 4) {
                const uint32_t choice = hb_ntt_choose(&plan, &card, kind, jobs);
                assert_true(hb_ntt_possible(choice, &card, kind.log_n));
                assert_int_equal(choice == value, hb_ntt_possible(value, &card, kind.log_n) ||
                                                      value == hb_ntt_rule(&card, kind.log_n, jobs));
                assert_true(hb_ntt_possible(hb_ntt_choose(&plan, &older, kind, jobs), &older, kind.log_n));
            }
        }
    }
    hb_cuda_ntt_plan one = {0};
    one.choice[hb_ntt_row_of(kind_of(14, HB_NTT_F64_50, false))][3] = HB_NTT_CLUSTER;
    assert_int_equal(hb_ntt_choose(&one, &card, kind_of(14, HB_NTT_F64_50, false), 8), HB_NTT_CLUSTER);
    assert_int_equal(hb_ntt_choose(&one, &card, kind_of(14, HB_NTT_F64_50, true), 8), HB_NTT_NARROW_TWO);
    assert_int_equal(hb_ntt_choose(&one, &card, kind_of(14, HB_NTT_F64_49, false), 8), HB_NTT_NARROW_TWO);
    assert_int_equal(hb_ntt_choose(&one, &card, kind_of(14, HB_NTT_F64_50, false), 16), HB_NTT_NARROW_TWO);
}

/* Quotients of 2^16 in FP64 go by large clusters where one launch would do them, and the GPU runs such clusters. */
static void test_quotients(void **state)
{
    (void)state;
    hb_cuda_device large = card;
    large.cluster16 = true;
    const hb_cuda_ntt_plan none = {0};
    hb_cuda_ntt_plan two;
    hb_ntt_plan_of(&two, HB_NTT_TWO);
    assert_int_equal(hb_ntt_choose_quotient(&none, &large, kind_of(16, HB_NTT_F64_50, true), 1000), HB_NTT_CLUSTER_16);
    assert_int_equal(hb_ntt_choose_quotient(&none, &card, kind_of(16, HB_NTT_F64_50, true), 1000), HB_NTT_DATAFLOW_75);
    assert_int_equal(hb_ntt_choose_quotient(&none, &large, kind_of(16, HB_NTT_U64_59, true), 1000), HB_NTT_DATAFLOW_75);
    assert_int_equal(hb_ntt_choose_quotient(&none, &large, kind_of(17, HB_NTT_F64_50, true), 1000), HB_NTT_DATAFLOW_75);
    assert_int_equal(hb_ntt_choose_quotient(&none, &large, kind_of(16, HB_NTT_F64_50, true), 1), HB_NTT_NARROW_TWO);
    assert_int_equal(hb_ntt_choose_quotient(&two, &large, kind_of(16, HB_NTT_F64_50, true), 1000), HB_NTT_TWO);
    assert_int_equal(hb_ntt_choose(&none, &large, kind_of(16, HB_NTT_F64_50, true), 1000), HB_NTT_DATAFLOW_75);
    assert_false(hb_ntt_possible(HB_NTT_CLUSTER_16, &card, 16));
    assert_false(hb_ntt_possible(HB_NTT_CLUSTER_16, &large, 15));
}

/* One working candidate in each entry, in turn; every third the rule. */
static hb_cuda_ntt_plan some_plan(void)
{
    hb_cuda_ntt_plan plan = {0};
    uint32_t turn = 0;
    for (uint32_t row = 0; row < HB_NTT_PLAN_ROWS; row++) {
        for (uint32_t c = 0; c < HB_NTT_PLAN_CLASSES; c++) {
            do {
                turn = (turn + 1) % HB_NTT_CANDIDATES;
            } while (!hb_ntt_possible(turn, &card, hb_ntt_kind_of(row).log_n));
            plan.choice[row][c] = (uint8_t)((row + c) % 3 == 0 ? HB_NTT_BY_RULE : turn);
        }
    }
    return plan;
}

static char *path_of(const hb_cuda_device *device)
{
    char *path;
    assert_ok(hb_ntt_plan_path(device, &path));
    assert_non_null(path);
    return path;
}

static void test_path(void **state)
{
    (void)state;
    char *path;
    setenv("HOME", "/home/somebody", 1);
    setenv("XDG_CACHE_HOME", "relative", 1); /* is to be ignored, the specification says */
    path = path_of(&card);
    assert_memory_equal(path, "/home/somebody/.cache/hebatch/ntt-NVIDIA-H200--fake--driver-", 59);
    assert_null(strchr(path, ' '));
    free(path);
    setenv("XDG_CACHE_HOME", "/caches", 1);
    path = path_of(&card);
    assert_memory_equal(path, "/caches/hebatch/ntt-", 20);
    assert_non_null(strstr(path, "-hebatch-"));
    free(path);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_ok(hb_ntt_plan_path(&card, &path));
    assert_null(path);
    hb_cuda_ntt_plan plan = some_plan();
    assert_false(hb_ntt_plan_find(group, &card, &plan));
    assert_memory_equal(&plan, &(hb_cuda_ntt_plan){0}, sizeof plan);
}

static void test_round_trip(void **state)
{
    (void)state;
    const hb_cuda_ntt_plan plan = some_plan();
    hb_cuda_ntt_plan found;
    struct stat info;
    setenv("XDG_CACHE_HOME", in_scratch("caches"), 1);
    char *path = path_of(&card);
    assert_refused(hb_ntt_plan_read(path, &card, &found), HB_ENOINPUT, "not there");
    assert_false(hb_ntt_plan_find(group, &card, &found));
    assert_ok(hb_ntt_plan_write(path, &card, &plan));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(stat(in_scratch("caches"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_true(hb_ntt_plan_find(group, &card, &found));
    assert_memory_equal(&found, &plan, sizeof plan);
    assert_ok(hb_ntt_plan_write(path, &card, &(hb_cuda_ntt_plan){0})); /* over the old one */
    assert_ok(hb_ntt_plan_read(path, &card, &found));
    assert_memory_equal(&found, &(hb_cuda_ntt_plan){0}, sizeof plan);
    free(path);
    spit(in_scratch("file"), "", 0);
    setenv("XDG_CACHE_HOME", in_scratch("file"), 1);
    path = path_of(&card);
    assert_refused(hb_ntt_plan_write(path, &card, &plan), HB_ECREATE, "folder");
    free(path);
}

static void refused(const char *path, const hb_cuda_device *device, const char *words)
{
    hb_cuda_ntt_plan found = some_plan();
    assert_refused(hb_ntt_plan_read(path, device, &found), HB_EDATA, words);
    assert_memory_equal(&found, &(hb_cuda_ntt_plan){0}, sizeof found);
}

/* The file with `value` at a key of the document, or of row 1; value is taken over. */
static void refused_with(const char *path, const char *text, const char *key, json_t *value, bool in_row,
                         const char *words)
{
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    json_t *row = json_array_get(json_object_get(document, "rows"), 1);
    assert_int_equal(json_object_set_new(in_row ? row : document, key, value), 0);
    assert_int_equal(json_dump_file(document, path, 0), 0);
    json_decref(document);
    refused(path, &card, words);
}

static json_t *kernels(const char *last, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i + 1 < count; i++) {
        json_array_append_new(list, json_string("rule"));
    }
    json_array_append_new(list, last != NULL ? json_string(last) : json_integer(3));
    return list;
}

/* Stores a plan in a folder of its own, and returns its text; the caller frees both. */
static char *stored(const char *folder, char **path, size_t *bytes)
{
    const hb_cuda_ntt_plan plan = some_plan();
    setenv("XDG_CACHE_HOME", in_scratch(folder), 1);
    *path = path_of(&card);
    assert_ok(hb_ntt_plan_write(*path, &card, &plan));
    return (char *)slurp(*path, bytes);
}

static void test_others(void **state)
{
    (void)state;
    size_t bytes;
    char *path, *text = stored("others", &path, &bytes);
    hb_cuda_device other = card;
    snprintf(other.name, sizeof other.name, "NVIDIA H100 (fake)");
    refused(path, &other, "'gpu'");
    other = card;
    other.multiprocessors = 60;
    refused(path, &other, "'multiprocessors'");
    other = card;
    other.sm90 = false; /* a program without code for 9.0 under the same version */
    refused(path, &other, "damaged");
    free(text);
    free(path);
}

static void test_wrong_members(void **state)
{
    (void)state;
    size_t bytes;
    char *path, *text = stored("wrong", &path, &bytes);
    refused_with(path, text, "driver", json_integer(99), false, "'driver'");
    refused_with(path, text, "cuda", json_integer(99), false, "'cuda'");
    refused_with(path, text, "hebatch", json_string("99"), false, "'hebatch'");
    refused_with(path, text, "plan_version", json_integer(2), false, "'plan_version'");
    refused_with(path, text, "rows", json_integer(1), false, "no rows");
    refused_with(path, text, "n", json_integer(1000), true, "row 1");
    refused_with(path, text, "n", json_integer(1 << 18), true, "row 1");
    refused_with(path, text, "n", json_string("1024"), true, "row 1");
    refused_with(path, text, "arithmetic", json_string("f32"), true, "row 1");
    refused_with(path, text, "direction", json_string("sideways"), true, "row 1");
    refused_with(path, text, "more", json_true(), true, "row 1");
    refused_with(path, text, "kernels", kernels("rule", HB_NTT_PLAN_CLASSES - 1), true, "row 1");
    refused_with(path, text, "kernels", kernels("rule", HB_NTT_PLAN_CLASSES + 1), true, "row 1");
    refused_with(path, text, "kernels", kernels("fast", HB_NTT_PLAN_CLASSES), true, "row 1");
    refused_with(path, text, "kernels", kernels("two", HB_NTT_PLAN_CLASSES), true, "row 1"); /* of N = 1024 */
    refused_with(path, text, "kernels", kernels(NULL, HB_NTT_PLAN_CLASSES), true, "row 1");
    free(text);
    free(path);
}

/* Noise is refused, or changes a choice among working kernels. */
static void test_noise(void **state)
{
    (void)state;
    size_t bytes;
    char *path, *text = stored("noise", &path, &bytes);
    uint64_t random = 5;
    for (int i = 0; i < 500; i++) {
        hb_cuda_ntt_plan found;
        char *noisy = malloc(bytes);
        assert_non_null(noisy);
        memcpy(noisy, text, bytes);
        noisy[noise(&random) % bytes] = (char)noise(&random);
        spit(path, noisy, bytes);
        if (hb_ntt_plan_read(path, &card, &found) == HB_OK) {
            for (uint32_t row = 0; row < HB_NTT_PLAN_ROWS; row++) {
                assert_true(hb_ntt_possible(hb_ntt_choose(&found, &card, hb_ntt_kind_of(row), 1), &card,
                                            hb_ntt_kind_of(row).log_n));
            }
        }
        free(noisy);
    }
    free(text);
    free(path);
}

static void test_damage(void **state)
{
    (void)state;
    size_t bytes;
    char *path, *text = stored("damaged", &path, &bytes);
    for (size_t end = 0; end < bytes; end += 97) { /* torn */
        spit(path, text, end);
        refused(path, &card, "line");
    }
    char *large = calloc(1, (1 << 20) + 1);
    assert_non_null(large);
    spit(path, large, (1 << 20) + 1);
    refused(path, &card, "more than");
    free(large);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(path, &card, path); /* at once */
    hb_cuda_ntt_plan found = some_plan();
    assert_false(hb_ntt_plan_find(group, &card, &found)); /* a warning */
    assert_memory_equal(&found, &(hb_cuda_ntt_plan){0}, sizeof found);
    free(text);
    free(path);
}

HB_UNIT(ntt_plan)
{
    static hb_group one = {.size = 1, .node_size = 1};
    group = &one;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_classes),   cmocka_unit_test(test_rules),
        cmocka_unit_test(test_choice_works), cmocka_unit_test(test_quotients), cmocka_unit_test(test_path),
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_others),    cmocka_unit_test(test_wrong_members),
        cmocka_unit_test(test_noise),        cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
