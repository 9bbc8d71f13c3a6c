/* Datasets that get rows: old units stay, in shards of another header; the old dataset stays whole until the end. */
#include "unit/dataset_sample.h"

#include <time.h>
#include <unistd.h>

#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

/* A sample of more rows, whose first units are those of the other, with their sums, as far as they stay. */
static sample *make_grown(const sample *old, const hb_growth *growth, uint64_t rows, uint64_t seed)
{
    const hb_header *before = &old->header;
    sample *s = make_sample(before->seeded, rows, before->schema.columns, before->unit, seed);
    hb_header_set_grown(&s->header);
    digest_sample(s);
    for (uint64_t u = 0; u < growth->first_unit; u++) {
        hb_rows *to = &s->rows[u];
        const hb_rows *from = &old->rows[u];
        assert_int_equal(to->count, from->count);
        memcpy(to->c0, from->c0, component_bytes(before, from->count));
        if (before->seeded) {
            memcpy(to->seeds, from->seeds, (size_t)from->count * HB_SEED_BYTES);
        } else {
            memcpy(to->c1, from->c1, component_bytes(before, from->count));
        }
        memcpy(s->sums[u], old->sums[u], HB_DIGEST_BYTES);
    }
    return s;
}

static void begin_growing(const char *name)
{
    hb_hold hold;
    assert_ok(hb_dataset_begin(name, (hb_begin){.grows = true, .job = "{}\n", .bytes = 3}, &hold));
    hb_dataset_release(&hold);
}

/* Makes the shards of the units that are made. */
static void write_new(const char *name, const sample *s, const hb_growing *growing)
{
    const hb_growth *growth = &growing->growth;
    const uint64_t units = hb_header_units(&s->header) - growth->first_unit;
    uint64_t next = growth->first_unit;
    for (uint32_t p = 0; p < growing->parts; p++) {
        const uint64_t share = units / growing->parts + (p < units % growing->parts ? 1 : 0);
        hb_shard_writer *shard;
        assert_ok(hb_shard_create(name, &s->header, (uint32_t)growth->first_part + p, next, share, &shard));
        for (uint64_t u = next; u < next + share; u++) {
            assert_ok(hb_shard_write(shard, u, &s->rows[u], s->sums[u]));
        }
        assert_ok(hb_shard_finish(shard));
        hb_shard_writer_close(shard);
        next += share;
    }
}

/* Gives the dataset, which is `old`, so many rows, and returns its new description. */
static sample *grow(const char *name, const sample *old, uint64_t rows, uint32_t parts, uint64_t seed)
{
    hb_dataset *there;
    assert_ok(hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 0}, &there)); /* as who appends does */
    const hb_growing growing = {there, hb_dataset_growth(there), parts, {7}, NULL};
    sample *s = make_grown(old, &growing.growth, rows, seed);
    begin_growing(name);
    write_new(name, s, &growing);
    assert_ok(hb_dataset_append(name, &s->header, &growing));
    hb_dataset_close(there);
    return s;
}

static uint32_t parts_of(const char *name)
{
    hb_dataset *dataset;
    assert_ok(hb_dataset_open(name, &dataset));
    const uint32_t parts = hb_dataset_parts(dataset);
    hb_dataset_close(dataset);
    return parts;
}

static void check_grown(const char *name, const sample *s)
{
    check_dataset(name, s, parts_of(name));
    check_virtual(name, s);
}

/* Where rows go: units that do not lie on row blocks, row blocks that are full, a dataset without rows. */
static void test_growth(void **state)
{
    (void)state;
    static const struct {
        uint64_t rows, columns, unit;
        hb_growth growth;
    } cases[] = {{2500, 2, 2, {2500, true, 4, 2, 2}},  {2500, 2, 4, {2500, true, 4, 1, 2}},
                 {2500, 2, 3, {2500, true, 4, 1, 2}},  {2048, 2, 3, {2048, false, 4, 1, 2}},
                 {2048, 3, 3, {2048, false, 6, 2, 2}}, {1, 1, 1, {1, true, 0, 0, 2}},
                 {0, 2, 1, {0, false, 0, 0, 2}}};
    const char *name = in_scratch("growth.heb");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample *s = make_sample(false, cases[i].rows, cases[i].columns, cases[i].unit, 3);
        hb_dataset *dataset;
        write_sample(name, s, 2, true);
        assert_ok(hb_dataset_open(name, &dataset));
        const hb_growth found = hb_dataset_growth(dataset), *wanted = &cases[i].growth;
        assert_true(hb_dataset_is_folder(dataset));
        assert_true(found.rows == wanted->rows && found.shared == wanted->shared && found.kept == wanted->kept);
        assert_true(found.first_unit == wanted->first_unit && found.first_part == wanted->first_part);
        hb_dataset_close(dataset);
        free_sample(s);
    }
}

/* Again and again, with and without seeds, in one shard or several. */
static void test_append(void **state)
{
    (void)state;
    static const uint64_t rows[] = {2048, 2050, 4096, 5120, 9000};
    const char *name = in_scratch("append.heb");
    for (int seeded = 0; seeded < 2; seeded++) {
        for (uint64_t unit = 1; unit <= 3; unit++) {
            sample *s = make_sample(seeded != 0, rows[0], 2, unit, 5);
            write_sample(name, s, 1, true);
            for (size_t i = 1; i < sizeof rows / sizeof *rows; i++) {
                sample *next = grow(name, s, rows[i], (uint32_t)(i % 3 + 1), 10 * unit + i);
                free_sample(s);
                s = next;
                check_grown(name, s);
            }
            free_sample(s);
        }
    }
}

/* Sums of units are under the header of their time, and a reader that was there before reads on. */
static void test_readers(void **state)
{
    (void)state;
    const char *name = in_scratch("readers.heb");
    sample *first = make_sample(false, 3000, 2, 2, 1);
    write_sample(name, first, 3, true);
    hb_dataset *reader, *now;
    assert_ok(hb_dataset_open(name, &reader));
    sample *second = grow(name, first, 5000, 1, 2);
    assert_ok(hb_dataset_open(name, &now));
    assert_memory_equal(hb_dataset_unit_header(now, 1), first->digest, HB_DIGEST_BYTES);
    assert_memory_equal(hb_dataset_unit_header(now, 2), second->digest, HB_DIGEST_BYTES);
    hb_rows rows;
    alloc_rows(&first->header, &rows);
    for (uint64_t u = 0; u < 3; u++) {
        assert_ok(hb_dataset_read(reader, u, &rows));
        assert_true(unit_equals(&first->header, &rows, &first->rows[u]));
    }
    free_rows(&rows);
    hb_dataset_close(reader);
    /* The unneeded shard is there until the next append. */
    assert_int_equal(access(in_scratch("readers.heb/part-00002.h5"), F_OK), 0);
    assert_int_equal(hb_dataset_parts(now), 3);
    hb_dataset_close(now);
    sample *third = grow(name, second, 5001, 1, 3);
    assert_int_equal(access(in_scratch("readers.heb/part-00002.h5"), F_OK), -1);
    check_grown(name, third);
    free_sample(first);
    free_sample(second);
    free_sample(third);
}

/* Up to the new index everything may have happened, and the dataset is the old one. */
static void test_interrupted(void **state)
{
    (void)state;
    const char *name = in_scratch("cut.heb"), *stray = in_scratch("cut.heb/part-00001.h5");
    sample *first = make_sample(true, 2048, 1, 1, 1);
    write_sample(name, first, 1, true);
    hb_dataset *there;
    assert_ok(hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 0}, &there)); /* as who appends does */
    const hb_growing growing = {there, hb_dataset_growth(there), 1, {7}, NULL};
    sample *second = make_grown(first, &growing.growth, 4096, 2);
    begin_growing(name);
    write_new(name, second, &growing);
    check_grown(name, first);
    assert_int_equal(rename(in_scratch("cut.heb.partial/part-00001.h5"), stray), 0);
    check_grown(name, first);
    hb_dataset_abandon(name);
    /* Remaining files do not disturb another dataset. */
    sample *other = grow(name, first, 3000, 1, 3);
    check_grown(name, other);
    /* Nor is one that was replaced meanwhile appended to. */
    begin_growing(name);
    write_new(name, second, &growing);
    assert_refused(hb_dataset_append(name, &second->header, &growing), HB_ECREATE, "has replaced the dataset");
    check_grown(name, other);
    hb_dataset_abandon(name);
    hb_dataset_close(there);
    free_sample(first);
    free_sample(second);
    free_sample(other);
}

/* The index lists the appended tables, and later appends continue the list. */
static void test_listed(void **state)
{
    (void)state;
    /* The last rows, others under the same key, the same under another one, and rows without a digest. */
    const uint8_t table[HB_DIGEST_BYTES] = {7}, other[HB_DIGEST_BYTES] = {7, [31] = 1}, keyed[HB_DIGEST_BYTES] = {8},
                  none[HB_DIGEST_BYTES] = {0};
    const uint64_t rows = 5000 - 4096;
    const char *name = in_scratch("listed.heb");
    hb_dataset *dataset;
    uint64_t at = 0;
    const uint64_t before = (uint64_t)time(NULL);
    sample *first = make_sample(false, 2048, 1, 1, 1);
    write_sample(name, first, 1, true);
    assert_ok(hb_dataset_open(name, &dataset));
    assert_int_equal(hb_dataset_was_appended(dataset, table, rows, &at), HB_APPENDED_NEVER);
    hb_dataset_close(dataset);
    sample *second = grow(name, first, 4096, 1, 2), *third = grow(name, second, 5000, 1, 3);
    assert_ok(hb_dataset_open(name, &dataset));
    assert_int_equal(hb_dataset_was_appended(dataset, table, rows, &at), HB_APPENDED_BEFORE);
    assert_in_range(at, before, (uint64_t)time(NULL));
    assert_int_equal(hb_dataset_was_appended(dataset, other, rows, &at), HB_APPENDED_NEVER);
    at = 0;
    assert_int_equal(hb_dataset_was_appended(dataset, keyed, rows, &at), HB_APPENDED_PERHAPS);
    assert_in_range(at, before, (uint64_t)time(NULL));
    assert_int_equal(hb_dataset_was_appended(dataset, none, rows, &at), HB_APPENDED_PERHAPS);
    for (int i = 0; i < 3; i++) { /* no table had as many */
        assert_int_equal(hb_dataset_was_appended(dataset,
                                                 i == 0   ? table
                                                 : i == 1 ? keyed
                                                          : none,
                                                 rows + 1, &at),
                         HB_APPENDED_NEVER);
    }
    hb_dataset_close(dataset);
    free_sample(first);
    free_sample(second);
    free_sample(third);
}

/* Rows are appended without a look at shards that stay; where the index is of an older program, which did not say how
 * much they hold, all are looked at. A shard that is not there is missed all the same. */
static void test_without_look(void **state)
{
    (void)state;
    const char *name = in_scratch("unseen.heb"), *index = in_scratch("unseen.heb/index.h5");
    const char *part = in_scratch("unseen.heb/part-00001.h5");
    for (int older = 0; older < 2; older++) {
        hb_dataset *dataset;
        sample *first = make_sample(false, 2048, 1, 1, 1);
        write_sample(name, first, 2, true);
        sample *second = grow(name, first, 4096, 1, 2);
        if (older) {
            const hid_t file = H5Fopen(index, H5F_ACC_RDWR, H5P_DEFAULT);
            assert_true(H5Ldelete(file, "/shards/held", H5P_DEFAULT) >= 0);
            H5Fclose(file);
        }
        assert_ok(hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 0}, &dataset));
        hb_dataset_close(dataset);
        sample *third = grow(name, second, 6000, 1, 3);
        check_grown(name, third);
        assert_ok(hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 0}, &dataset));
        assert_ok(hb_dataset_require_current(name, dataset));
        assert_int_equal(unlink(part), 0);
        assert_refused(hb_dataset_require_current(name, dataset), HB_ENOINPUT, "part-00001.h5: is missing");
        hb_dataset_close(dataset);
        assert_ok(hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 0}, &dataset));
        hb_dataset_close(dataset);
        free_sample(first);
        free_sample(second);
        free_sample(third);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *at;
        uint64_t value;
        hb_status code;
        const char *says;
    } cases[] = {{"/shards/number", 1, HB_EDATA, "the number of shard 1 cannot be"},
                 {"/shards/number", UINT64_C(1) << 32, HB_EDATA, "the number of shard 0 cannot be"},
                 {"/shards/header", 5, HB_EDATA, "belongs to another dataset"},
                 {"/shards/held", 1, HB_EDATA, "the number of ciphertexts of shard 0 cannot be"},
                 {"/shards/held", 5, HB_EDATA, "the number of ciphertexts of shard 0 cannot be"},
                 {"/shards/held", UINT64_MAX, HB_EDATA, "the number of ciphertexts of shard 0 cannot be"},
                 {"/shards/held", 3, HB_EDATA, "part-00000.h5: does not hold what"},
                 {"/appended/table", 3, HB_EDATA, "does not match its digest"},
                 {"/appended/rows", 3, HB_EDATA, "does not match its digest"},
                 {"/appended/time", 3, HB_EDATA, "does not match its digest"},
                 {"/shards/units", 3, HB_EDATA, "does not follow the one before it"},
                 {"/shards/first_unit", 1, HB_EDATA, "does not follow the one before it"}};
    const char *name = in_scratch("damaged.heb"), *index = in_scratch("damaged.heb/index.h5");
    hb_dataset *dataset;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample *first = make_sample(false, 2048, 1, 1, 1);
        write_sample(name, first, 1, true);
        sample *second = grow(name, first, 4096, 1, 2);
        tamper_dataset(index, cases[i].at, cases[i].value);
        assert_refused(hb_dataset_open(name, &dataset), cases[i].code, cases[i].says);
        free_sample(first);
        free_sample(second);
    }
    /* Shards that are whole, and of a dataset of another shape. */
    sample *first = make_sample(false, 2048, 1, 1, 1), *other = make_sample(false, 2048, 2, 1, 1);
    write_sample(name, other, 1, true);
    const char *part = in_scratch("damaged.heb/part-00000.h5"), *aside = in_scratch("aside.h5");
    assert_int_equal(rename(part, aside), 0);
    write_sample(name, first, 1, true);
    sample *second = grow(name, first, 4096, 1, 2);
    assert_int_equal(rename(aside, part), 0);
    assert_refused(hb_dataset_open(name, &dataset), HB_EDATA, "belongs to another dataset");
    assert_int_equal(unlink(part), 0);
    assert_refused(hb_dataset_open(name, &dataset), HB_ENOINPUT, "part-00000.h5: is missing");
    free_sample(first);
    free_sample(second);
    free_sample(other);
}

HB_UNIT(dataset_append)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth),      cmocka_unit_test(test_append),
                                       cmocka_unit_test(test_readers),     cmocka_unit_test(test_listed),
                                       cmocka_unit_test(test_interrupted), cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_without_look)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
