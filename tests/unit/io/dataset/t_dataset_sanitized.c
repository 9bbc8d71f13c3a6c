/* Datasets that were sanitized or opened: read as they were written, and refused where what they say cannot be. */
#include "unit/dataset_sample.h"

#include <math.h>

#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

enum { LAYOUT = 12 };

static sample *make_sanitized(void)
{
    sample *s = make_sample(false, 1500, 2, 2, 5);
    s->header.past.sanitized = 40.625;
    evaluate_sample(s, 36 << 10, 36 << 10, true);
    return s;
}

static void test_sanitized(void **state)
{
    (void)state;
    const char *name = in_scratch("sanitized.heb");
    sample *s = make_sanitized();
    hb_dataset *dataset;
    uint8_t digest[HB_DIGEST_BYTES];
    write_sample(name, s, 2, true);
    check_dataset(name, s, 2);
    assert_ok(hb_dataset_open(name, &dataset));
    const hb_header *header = hb_dataset_header(dataset);
    assert_true(header->version == LAYOUT && header->past.sanitized == 40.625 && !header->past.opened);
    hb_dataset_close(dataset);
    memcpy(digest, s->digest, sizeof digest);
    s->header.past.sanitized = 40.75;
    digest_sample(s);
    assert_memory_not_equal(digest, s->digest, sizeof digest);
    free_sample(s);
}

static void test_opened(void **state)
{
    (void)state;
    const char *name = in_scratch("opened.heb");
    sample *s = make_sample(false, 1500, 2, 2, 5);
    hb_dataset *dataset;
    uint8_t digest[HB_DIGEST_BYTES];
    s->header.past.opened = true;
    memset(&s->header.past.zero_seed, 0x3c, sizeof s->header.past.zero_seed);
    evaluate_sample(s, 36 << 10, 30 << 10, false);
    write_sample(name, s, 1, true);
    check_dataset(name, s, 1);
    assert_ok(hb_dataset_open(name, &dataset));
    const hb_header *header = hb_dataset_header(dataset);
    assert_true(header->version == LAYOUT && header->past.opened && header->past.sanitized == 0);
    assert_memory_equal(&header->past.zero_seed, &s->header.past.zero_seed, sizeof header->past.zero_seed);
    hb_dataset_close(dataset);
    memcpy(digest, s->digest, sizeof digest);
    s->header.past.zero_seed.bytes[31] ^= 1;
    digest_sample(s);
    assert_memory_not_equal(digest, s->digest, sizeof digest);
    free_sample(s);
}

/* The layout holds all that older ones hold, where it is there. */
static void test_with_masks(void **state)
{
    (void)state;
    const char *name = in_scratch("masked.heb");
    for (int fills = 0; fills < 2; fills++) {
        sample *s = make_sanitized();
        hb_column *column = s->header.schema.column;
        column[0].mask = 2;
        column[1].full = 1;
        column[0].has_fill = fills == 1;
        column[0].fill = fills == 1 ? 4 : 0;
        digest_sample(s);
        write_sample(name, s, 1, true);
        check_dataset(name, s, 1);
        hb_dataset *dataset;
        assert_ok(hb_dataset_open(name, &dataset));
        const hb_column *read = hb_dataset_header(dataset)->schema.column;
        assert_true(read[0].mask == 2 && read[1].full == 1 && read[0].fill == column[0].fill);
        hb_dataset_close(dataset);
        free_sample(s);
    }
}

static void test_cut(void **state)
{
    (void)state;
    sample *s = make_sample(false, 1, 300, 300, 21);
    hb_header *h = &s->header;
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_COEFFICIENTS);
    h->order = HB_PACK_ROWS;
    h->ciphertexts = h->unit = 1;
    h->past.computed_limbs = 2;
    h->kept = 512;
    h->past.sanitized = 41;
    free(s->rows[0].c0);
    free(s->rows[0].c1);
    add_rows(s, 22);
    memset(s->rows[0].c0 + 3456 / 2, 0, 3456 / 2); /* 1024 coefficients of 27 bits */
    memset(s->rows[0].c0 + 3456 + 1792 / 2, 0, 1792 / 2);
    evaluate_sample(s, 36 << 10, 36 << 10, true);
    write_sample(in_scratch("cut.heb"), s, 1, true);
    check_dataset(in_scratch("cut.heb"), s, 1);
    free_sample(s);
}

static void tamper_distance(const char *path, double value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t object = H5Oopen(file, "/ct", H5P_DEFAULT), a = H5Aopen(object, "sanitized", H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(a);
    H5Oclose(object);
    H5Fclose(file);
}

static void remove_distance(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Adelete_by_name(file, "/ct", "sanitized", H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

/* A change of the attributes, which the digest does not know. */
static void test_damaged(void **state)
{
    (void)state;
    static const char *const files[] = {"damaged.heb/index.h5", "damaged.heb/part-00000.h5"};
    static const double distances[] = {0, -1, -40.625, 0.5, 40.626, 64.5, 1e300, INFINITY, NAN};
    static const struct {
        const char *group, *name;
        uint64_t value;
    } numbers[] = {{"/ct", "stray", 0},  {"/ct", "stray", 2},  {"/", "version", 3},
                   {"/", "version", 9},  {"/", "version", 10}, {"/", "version", 11},
                   {"/", "version", 13}, {"/ct", "seeded", 1}, {"/ct", "noise_worst", 1}};
    enum { DISTANCES = sizeof distances / sizeof *distances, NUMBERS = sizeof numbers / sizeof *numbers };
    sample *s = make_sanitized();
    for (int i = 0; i < 2 * (DISTANCES + NUMBERS + 1); i++) {
        const char *path = in_scratch(files[i % 2]);
        const int k = i / 2;
        hb_dataset *dataset;
        write_sample(in_scratch("damaged.heb"), s, 1, true);
        if (k < DISTANCES) {
            tamper_distance(path, distances[k]);
        } else if (k < DISTANCES + NUMBERS) {
            tamper(path, numbers[k - DISTANCES].group, numbers[k - DISTANCES].name, numbers[k - DISTANCES].value);
        } else {
            remove_distance(path);
        }
        assert_refused(hb_dataset_open(in_scratch("damaged.heb"), &dataset), HB_EDATA,
                       files[i % 2] + strlen("damaged.heb/"));
    }
    free_sample(s);
}

/* A header that says it consistently, with the right digest. */
static void test_impossible(void **state)
{
    (void)state;
    enum { CLEAN, FILLED, ASSUMED, BOTH, FRESH, IMPORTED, TOO_SURE, CASES };
    for (int i = 0; i < CASES; i++) {
        sample *s = make_sanitized();
        hb_header *h = &s->header;
        hb_shard_writer *shard = NULL;
        h->dirty_padding = i != CLEAN;
        h->filled = i == FILLED;
        h->noise_assumed = i == ASSUMED;
        h->past.opened = i == BOTH;
        h->made_by = i == FRESH ? HB_MADE_FRESH : i == IMPORTED ? HB_MADE_IMPORTED : HB_MADE_EVALUATED;
        h->past.sanitized = i == TOO_SURE ? 65 : h->past.sanitized;
        h->schema.rows = i == FILLED ? 1 : h->schema.rows;
        h->ciphertexts = i == FILLED ? 2 : h->ciphertexts;
        assert_ok(begin_dataset(in_scratch("impossible.heb"), true));
        assert_refused(hb_shard_create(in_scratch("impossible.heb"), h, 0, 0, 1, &shard), HB_EDATA, "sanitized");
        hb_dataset_abandon(in_scratch("impossible.heb"));
        h->schema.rows = 1500;
        h->ciphertexts = 4;
        free_sample(s);
    }
}

HB_UNIT(dataset_sanitized)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sanitized), cmocka_unit_test(test_opened),  cmocka_unit_test(test_with_masks),
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_damaged), cmocka_unit_test(test_impossible),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
