/* Ciphertext datasets: reading gives the written rows. */
#include "unit/dataset_sample.h"
#include "unit/unit.h"

#include <math.h>
#include <pthread.h>

static void test_round_trip(void **state)
{
    (void)state;
    const struct {
        bool seeded;
        uint64_t rows, columns, unit;
    } cases[] = {{true, 1, 1, 1}, {false, 1, 1, 1}, {true, 5000, 3, 4}, {false, 3000, 2, 1}, {false, 2048, 7, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sample *s = make_sample(cases[i].seeded, cases[i].rows, cases[i].columns, cases[i].unit, i + 1);
        for (uint32_t parts = 1; parts <= 4; parts++) { /* more parts than units: the last ones are empty */
            const char *name = in_scratch("round.heb/");
            write_sample(name, s, parts, true);
            check_dataset(name, s, parts);
            check_virtual(in_scratch("round.heb"), s);
        }
        free_sample(s);
    }
    assert_false(is_there(in_scratch("round.heb.partial")));
}

/* An attribute of the root or of /ct, as plain HDF5 reads it; UINT64_MAX: it is not there. */
static uint64_t attribute(const char *name, const char *group, const char *of)
{
    char path[300];
    snprintf(path, sizeof path, "%s/index.h5", name);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    uint64_t value = UINT64_MAX;
    if (H5Aexists_by_name(file, group, of, H5P_DEFAULT) > 0) {
        hid_t a = H5Aopen_by_name(file, group, of, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Aread(a, H5T_NATIVE_UINT64, &value) >= 0);
        H5Aclose(a);
    }
    H5Fclose(file);
    return value;
}

/* Bounds of noise are there if they do not follow from how ciphertexts were made. */
static void test_evaluated(void **state)
{
    (void)state;
    const char *name = in_scratch("evaluated.heb");
    sample *s = make_sample(false, 3000, 2, 2, 17);
    uint8_t fresh[HB_DIGEST_BYTES];
    memcpy(fresh, s->digest, sizeof fresh);
    write_sample(name, s, 2, true);
    assert_int_equal(attribute(name, "/", "version"), 3);
    assert_int_equal(attribute(name, "/ct", "capacity"), 1024);
    assert_int_equal(attribute(name, "/ct", "noise_worst"), UINT64_MAX);
    for (int dirty_padding = 0; dirty_padding <= 1; dirty_padding++) {
        evaluate_sample(s, 51201, 30719, dirty_padding == 1);
        assert_memory_not_equal(s->digest, fresh, sizeof fresh);
        memcpy(fresh, s->digest, sizeof fresh);
        write_sample(name, s, 2, true);
        check_dataset(name, s, 2);
        assert_int_equal(attribute(name, "/", "version"), 3);
        assert_int_equal(attribute(name, "/ct", "noise_worst"), 51201);
        assert_int_equal(attribute(name, "/ct", "noise_expected"), 30719);
        assert_int_equal(attribute(name, "/ct", "noise_powers"), 3);
        assert_int_equal(attribute(name, "/ct", "stray"), dirty_padding);
    }
    for (int certainty = HB_CERTAINTY_DRAWN; certainty <= HB_CERTAINTY_EXPECTED; certainty++) {
        s->header.quality.certainty = (hb_certainty)certainty;
        hb_header_quality(&s->header, s->header.quality);
        hb_header_digest(s->digest, &s->header);
        assert_memory_not_equal(s->digest, fresh, sizeof fresh);
        memcpy(fresh, s->digest, sizeof fresh);
        write_sample(name, s, 1, true);
        check_dataset(name, s, 1);
    }
    s->header.quality.certainty = HB_CERTAINTY_PROVEN;
    s->header.made_by = HB_MADE_IMPORTED;
    s->header.noise_assumed = true;
    evaluate_sample(s, 51201, 30719, true);
    assert_int_equal(s->header.made_by, HB_MADE_IMPORTED);
    assert_memory_not_equal(s->digest, fresh, sizeof fresh);
    write_sample(name, s, 1, true);
    check_dataset(name, s, 1);
    evaluate_sample(s, 51202, 30719, true);
    assert_memory_not_equal(s->digest, fresh, sizeof fresh);
    hb_header_quality(&s->header, (hb_quality){.worst = 10.00001}); /* rounded up: a bound stays one */
    assert_true(s->header.quality.worst == 10.0009765625 && s->header.quality.expected == 0);
    s->header.seeded = true;
    hb_shard_writer *shard;
    assert_ok(begin_dataset(in_scratch("seeded.heb"), true));
    assert_refused(hb_shard_create(in_scratch("seeded.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA, "have no seeds");
    hb_dataset_abandon(in_scratch("seeded.heb"));
    s->header.seeded = false;
    free_sample(s);
}

/* Every field of a column is in the digest: else a change of it would pass unseen. */
static void test_ranges_are_in_the_digest(void **state)
{
    (void)state;
    sample *s = make_sample(false, 3000, 2, 2, 18);
    hb_column *column = &s->header.schema.column[1];
    const hb_column was = *column;
    hb_column changed[] = {was, was, was, was};
    changed[0].least++;
    changed[1].most--;
    changed[2].ranged = false;
    changed[3].may_wrap = true;
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        uint8_t digest[HB_DIGEST_BYTES];
        *column = changed[i];
        hb_header_digest(digest, &s->header);
        assert_memory_not_equal(digest, s->digest, sizeof digest);
    }
    hb_shard_writer *shard;
    assert_ok(begin_dataset(in_scratch("range.heb"), true));
    assert_refused(hb_shard_create(in_scratch("range.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA, "column 2 is none");
    *column = was;
    uint64_t *const counts[] = {&s->header.schema.total_left_out, &s->header.schema.left_out.rows};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *counts[i] = (uint64_t)INT64_MAX + 1; /* more than JSON can say */
        assert_refused(hb_shard_create(in_scratch("range.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                       "left out are impossible");
        *counts[i] = 0;
    }
    static const double gaps[] = {-0.5, INFINITY, NAN};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        s->header.schema.threshold_gap = gaps[i];
        assert_refused(hb_shard_create(in_scratch("range.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                       "comparisons have a gap of");
    }
    uint8_t digest[HB_DIGEST_BYTES];
    s->header.schema.threshold_gap = 0.5;
    hb_header_digest(digest, &s->header);
    assert_memory_not_equal(digest, s->digest, sizeof digest);
    hb_dataset_abandon(in_scratch("range.heb"));
    free_sample(s);
}

static void test_holds(void **state)
{
    (void)state;
    const hb_column u = {.ranged = true, .least = 3, .most = UINT64_MAX};
    const hb_column i = {.is_signed = true, .ranged = true, .least = (uint64_t)-3, .most = 4}, none = {.ranged = false};
    assert_true(hb_column_holds(&u, 3) && hb_column_holds(&u, UINT64_MAX) && !hb_column_holds(&u, 2));
    assert_true(hb_column_holds(&i, (uint64_t)-3) && hb_column_holds(&i, 0) && hb_column_holds(&i, 4));
    assert_false(hb_column_holds(&i, (uint64_t)-4) || hb_column_holds(&i, 5) || hb_column_holds(&i, INT64_MAX));
    assert_true(hb_column_holds(&none, 0) && hb_column_holds(&none, UINT64_MAX));
}

/* Datasets that were written as versions 1 and 2: a fresh one, and a + a of it. */
static void test_older_versions(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 2; version++) {
        char path[300];
        snprintf(path, sizeof path, "%s/datasets/version-%u", HB_TESTS_VECTORS, version);
        hb_dataset *dataset;
        assert_ok(hb_dataset_open(path, &dataset));
        const hb_header *h = hb_dataset_header(dataset);
        assert_int_equal(h->version, version);
        assert_int_equal(h->made_by, version == 1 ? HB_MADE_FRESH : HB_MADE_EVALUATED);
        assert_true(h->seeded == (version == 1) && !h->noise_assumed && !h->dirty_padding);
        assert_true(version == 1 || h->quality.worst > 10);
        assert_true(h->spec.scheme == HB_BFV && h->cells == HB_CELL_INTEGER && h->form == HB_COEFFICIENT_FORM);
        assert_true(h->scale == 0 && h->capacity == h->spec.n);
        assert_true(h->schema.rows == 3 && h->schema.columns == 2 && h->schema.named);
        assert_string_equal(h->schema.column[0].name, "gr\xc3\xb6\xc3\x9f"
                                                      "e");
        assert_string_equal(h->schema.column[1].name, "b");
        assert_true(h->schema.column[0].is_signed && !h->schema.column[0].ranged);
        assert_true(h->schema.column[0].may_wrap == (version == 2));
        hb_rows rows;
        alloc_rows(h, &rows);
        for (uint64_t u = 0; u < hb_header_units(h); u++) {
            assert_ok(hb_dataset_read(dataset, u, &rows));
            uint8_t sum[HB_DIGEST_BYTES];
            sample s = {.header = *h};
            hb_header_digest(s.digest, h);
            sum_unit(&s, u, &rows, sum);
            assert_memory_equal(sum, hb_dataset_unit_sum(dataset, u), sizeof sum);
        }
        free_rows(&rows);
        hb_dataset_close(dataset);
    }
}

static void test_bytes_depend_on_nothing_else(void **state)
{
    (void)state;
    sample *s = make_sample(true, 3000, 2, 2, 9);
    size_t a_bytes, b_bytes;
    write_sample(in_scratch("same.heb"), s, 1, true);
    uint8_t *a = slurp(in_scratch("same.heb/part-00000.h5"), &a_bytes);
    sleep(1); /* a time stored anywhere would differ */
    write_sample(in_scratch("same.heb"), s, 1, true);
    uint8_t *b = slurp(in_scratch("same.heb/part-00000.h5"), &b_bytes);
    assert_int_equal(a_bytes, b_bytes);
    assert_memory_equal(a, b, a_bytes);
    free(a);
    free(b);
    free_sample(s);
}

static void test_empty(void **state)
{
    (void)state;
    for (uint32_t parts = 0; parts <= 2; parts++) {
        sample *s = make_sample(parts % 2 == 0, 0, 3, 1, 3);
        assert_int_equal(hb_header_units(&s->header), 0);
        write_sample(in_scratch("empty.heb"), s, parts, true);
        check_dataset(in_scratch("empty.heb"), s, parts);
        check_virtual(in_scratch("empty.heb"), s);
        free_sample(s);
    }
}

static void test_one_shard_alone(void **state)
{
    (void)state;
    sample *s = make_sample(false, 5000, 1, 2, 4); /* 5 ciphertexts, units of 2, 2, 1 */
    write_sample(in_scratch("alone.heb"), s, 2, true);
    hb_dataset *dataset;
    uint64_t first, units;
    assert_ok(hb_dataset_open(in_scratch("alone.heb/part-00001.h5"), &dataset));
    hb_dataset_units(dataset, &first, &units);
    assert_int_equal(first, 2);
    assert_int_equal(units, 1);
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    assert_ok(hb_dataset_read(dataset, 2, &rows));
    assert_true(unit_equals(&s->header, &rows, &s->rows[2]));
    assert_refused(hb_dataset_mismatch(dataset, 2), HB_EDATA, "part-00001.h5: ciphertexts 4 to 4 (unit 2)");
    free_rows(&rows);
    hb_dataset_close(dataset);
    free_sample(s);
}

/* One of several threads that read a dataset of more shards than are open at a time. */
typedef struct reader {
    pthread_t thread;
    hb_dataset *dataset;
    const sample *s;
    uint64_t step; /* co-prime to the units: each its own order */
    bool right;
    hb_rows rows;
} reader;

static void *read_all(void *argument)
{
    reader *r = argument;
    const uint64_t units = hb_header_units(&r->s->header);
    r->right = true;
    for (uint64_t i = 0; i < 4 * units; i++) {
        const uint64_t u = i * r->step % units;
        r->right = r->right && hb_dataset_read(r->dataset, u, &r->rows) == HB_OK &&
                   unit_equals(&r->s->header, &r->rows, &r->s->rows[u]);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 5, PARTS = 23 };
    sample *s = make_sample(true, 48000, 1, 1, 9); /* 47 ciphertexts, each a unit */
    hb_dataset *dataset;
    reader readers[THREADS];
    write_sample(in_scratch("threads.heb"), s, PARTS, true);
    assert_ok(hb_dataset_open(in_scratch("threads.heb"), &dataset));
    assert_int_equal(hb_header_units(&s->header), 47);
    for (uint64_t i = 0; i < THREADS; i++) {
        readers[i] = (reader){.dataset = dataset, .s = s, .step = 1 + 7 * i};
        alloc_rows(&s->header, &readers[i].rows);
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_all, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_true(readers[i].right);
        free_rows(&readers[i].rows);
    }
    hb_dataset_close(dataset);
    free_sample(s);
}

static void test_unit_digest(void **state)
{
    (void)state;
    sample *s = make_sample(true, 3000, 1, 3, 5);
    hb_digest_state digest;
    uint8_t expected[HB_DIGEST_BYTES], row[HB_DIGEST_BYTES];
    hb_digest_begin(&digest, "hebatch unit");
    hb_digest_add(&digest, s->digest, sizeof s->digest);
    hb_digest_add_u64(&digest, 0);
    hb_digest_add(&digest, s->rows[0].seeds, 3 * HB_SEED_BYTES);
    for (size_t i = 0; i < 6; i++) { /* 3 rows of 1024 * 27 bits, 3 of 1024 * 14 */
        size_t at = i < 3 ? i * 3456 : 3 * 3456 + (i - 3) * 1792;
        hb_digest_row(row, s->rows[0].c0 + at, i < 3 ? 3456 : 1792);
        hb_digest_add(&digest, row, sizeof row);
    }
    hb_digest_end(&digest, expected);
    assert_memory_equal(expected, s->sums[0], sizeof expected);
    assert_int_equal(hb_header_ciphertext_bytes(&s->header), 3456 + 1792 + 32);
    /* every field counts */
    uint8_t changed[HB_DIGEST_BYTES];
    s->header.key_id[15] ^= 1;
    hb_header_digest(changed, &s->header);
    assert_memory_not_equal(changed, s->digest, sizeof changed);
    s->header.key_id[15] ^= 1;
    s->header.schema.column[0].is_signed = !s->header.schema.column[0].is_signed;
    hb_header_digest(changed, &s->header);
    assert_memory_not_equal(changed, s->digest, sizeof changed);
    s->header.schema.column[0].is_signed = !s->header.schema.column[0].is_signed;
    hb_header other[4] = {s->header, s->header, s->header, s->header};
    other[0].cells = HB_CELL_REAL;
    other[1].form = HB_NTT_FORM;
    other[2].scale = 0x1p-1074; /* the least bit that there is */
    other[3].capacity--;
    for (int i = 0; i < 4; i++) {
        hb_header_digest(changed, &other[i]);
        assert_memory_not_equal(changed, s->digest, sizeof changed);
    }
    hb_header_digest(changed, &s->header);
    assert_memory_equal(changed, s->digest, sizeof changed);
    free_sample(s);
}

static void test_choose_unit(void **state)
{
    (void)state;
    const uint64_t mib = (uint64_t)1 << 20;
    assert_int_equal(hb_header_choose_unit(0, 1000, 1), 1);
    assert_int_equal(hb_header_choose_unit(64, 1000, 1), 1);
    assert_int_equal(hb_header_choose_unit(65, 1000, 1), 2);
    assert_int_equal(hb_header_choose_unit(640, 1000, 3), 9);   /* 10, whole blocks of 3 */
    assert_int_equal(hb_header_choose_unit(640, 1000, 11), 11); /* 10, but 58 units of a whole block will do */
    assert_int_equal(hb_header_choose_unit(640, 1000, 40), 40);
    assert_int_equal(hb_header_choose_unit(640, 1000, 41), 10);   /* 15 units would not */
    assert_int_equal(hb_header_choose_unit(640, 3 * mib, 11), 5); /* a block is above 16 MiB */
    assert_int_equal(hb_header_choose_unit(1 << 30, 4 * mib, 1), 4);
    assert_int_equal(hb_header_choose_unit(1 << 30, 40 * mib, 5), 1);
    assert_true(hb_header_choose_unit(UINT64_MAX, 1, 1) == 16 * mib);
}

static void test_output_refusals(void **state)
{
    (void)state;
    sample *s = make_sample(true, 10, 1, 1, 6);
    const char *name = in_scratch("out.heb");
    write_sample(name, s, 1, false);
    assert_refused(begin_dataset(name, false), HB_ECREATE, "exists already");
    assert_false(is_there(in_scratch("out.heb.partial")));
    assert_ok(begin_dataset(name, true)); /* a job that dies */
    write_parts(name, s, 1);
    assert_refused(begin_dataset(in_scratch("out.heb.partial"), false), HB_ECREATE, "exists already");
    assert_ok(begin_dataset(name, true));
    write_parts(name, s, 1);
    hb_dataset_abandon(name);
    assert_false(is_there(in_scratch("out.heb.partial")));
    check_dataset(name, s, 1);

    assert_int_equal(mkdir(in_scratch("mine.heb"), 0755), 0);
    spit(in_scratch("mine.heb/thesis.tex"), "x", 1);
    assert_refused(begin_dataset(in_scratch("mine.heb"), true), HB_ECREATE, "thesis.tex");
    assert_int_equal(mkdir(in_scratch("mine2.heb.partial"), 0755), 0);
    assert_refused(begin_dataset(in_scratch("mine2.heb"), false), HB_ECREATE, "unfinished job");
    spit(in_scratch("mine2.heb.partial/thesis.tex"), "x", 1);
    hb_dataset_abandon(in_scratch("mine2.heb"));
    assert_true(is_there(in_scratch("mine2.heb.partial/thesis.tex")));
    assert_refused(begin_dataset(in_scratch("mine.heb/thesis.tex/a.heb"), false), HB_ECREATE, "Not a directory");

    /* shards that do not make up the dataset */
    const char *other = in_scratch("gap.heb");
    sample *t = make_sample(true, 3000, 1, 1, 6);
    assert_ok(begin_dataset(other, false));
    hb_shard_writer *shard;
    assert_ok(hb_shard_create(other, &t->header, 0, 1, 2, &shard));
    assert_refused(hb_dataset_commit(other, &t->header, 1, false), HB_EDATA, "is not complete");
    assert_refused(hb_shard_create(other, &t->header, 0, 1, 2, &(hb_shard_writer *){NULL}), HB_ECREATE,
                   "unfinished run");
    assert_ok(hb_shard_write(shard, 1, &t->rows[1], t->sums[1]));
    assert_ok(hb_shard_write(shard, 2, &t->rows[2], t->sums[2]));
    assert_ok(hb_shard_finish(shard));
    hb_shard_writer_close(shard);
    assert_refused(hb_dataset_commit(other, &t->header, 1, false), HB_EINTERNAL, "begins at unit 1");
    assert_refused(hb_dataset_commit(other, &s->header, 1, false), HB_EINTERNAL, "another dataset");
    assert_false(is_there(other));
    hb_dataset_abandon(other);
    free_sample(s);
    free_sample(t);
}

/* The one shard of a dataset has the bytes of one that was never interrupted, which replaces it. */
static void assert_as_uninterrupted(const char *name, const char *shard, const sample *s)
{
    size_t bytes, expected_bytes;
    uint8_t *made = slurp(shard, &bytes);
    write_sample(name, s, 1, true);
    uint8_t *expected = slurp(shard, &expected_bytes);
    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(made, expected, bytes);
    free(made);
    free(expected);
}

/* A job that dies after unit 0 and a unit without a sum; another finishes, one writer of the shard after the other. */
static void test_continued(void **state)
{
    (void)state;
    for (int seeded = 0; seeded < 2; seeded++) {
        sample *s = make_sample(seeded == 1, 5000, 2, 2, 21); /* 10 ciphertexts, 5 units */
        const char *name = in_scratch("continued.heb");
        hb_shard_writer *a, *b;
        hb_rows rows;
        alloc_rows(&s->header, &rows);
        assert_ok(begin_dataset(name, true));
        spit(in_scratch("continued.heb.partial/job.json"), "{}", 2);
        assert_int_equal(hb_dataset_partial_bytes(name, 0, 0, 2), 0);
        assert_ok(hb_shard_create(name, &s->header, 0, 0, 5, &a));
        assert_true(hb_dataset_partial_bytes(name, 0, 0, 2) < 10 * hb_header_ciphertext_bytes(&s->header));
        assert_ok(hb_shard_reserve(a));
        assert_int_equal(hb_dataset_partial_bytes(name, 0, 0, 2) >= 10 * hb_header_ciphertext_bytes(&s->header),
                         !scratch_is_in_memory()); /* where space is looked at only (hb_reserve) */
        assert_ok(hb_shard_write(a, 0, &s->rows[0], s->sums[0]));
        assert_null(hb_shard_sum(a, 1));
        hb_shard_writer_close(a); /* killed: nothing was synced or finished */

        assert_refused(hb_shard_join(name, &s->header, 1, 0, 5, &a), HB_ENOINPUT, "part-00001.h5");
        assert_refused(hb_shard_join(name, &s->header, 0, 0, 4, &a), HB_EDATA, "is not this part");
        assert_refused(hb_shard_join(name, &s->header, 0, 1, 4, &a), HB_EDATA, "is not this part");
        assert_ok(hb_shard_join(name, &s->header, 0, 0, 5, &a));
        assert_ok(hb_shard_ensure(name, &s->header, 0, 0, 5, &b)); /* finds it, and keeps it */
        assert_memory_equal(hb_shard_sum(b, 0), s->sums[0], HB_DIGEST_BYTES);
        assert_ok(hb_shard_read(b, 0, &rows));
        assert_true(unit_equals(&s->header, &rows, &s->rows[0]));
        for (uint64_t u = 1; u < 5; u++) {
            assert_null(hb_shard_sum(a, u));
            assert_ok(hb_shard_write(u % 2 == 0 ? a : b, u, &s->rows[u], s->sums[u]));
            assert_ok(hb_shard_sync(u % 2 == 0 ? a : b));
        }
        assert_ok(hb_shard_write(b, 2, &s->rows[2], s->sums[2])); /* again */
        assert_ok(hb_shard_sync(b));
        assert_refused(hb_dataset_commit(name, &s->header, 1, false), HB_EDATA, "is not complete");
        assert_ok(hb_shard_finish(a));
        hb_shard_writer_close(a);
        hb_shard_writer_close(b);
        assert_ok(hb_shard_join(name, &s->header, 0, 0, 5, &a)); /* of a job killed after the mark */
        assert_ok(hb_shard_finish(a));
        hb_shard_writer_close(a);
        assert_ok(hb_dataset_commit(name, &s->header, 1, false));
        assert_false(is_there(in_scratch("continued.heb/job.json")));
        check_dataset(name, s, 1);
        assert_refused(hb_dataset_check_target(name, false), HB_ECREATE, "exists already");
        assert_ok(hb_dataset_check_target(name, true));
        assert_as_uninterrupted(name, in_scratch("continued.heb/part-00000.h5"), s);
        assert_int_equal(hb_rename(name, in_scratch("kept.heb"), true), HB_OK);
        free_rows(&rows);
        free_sample(s);
    }
}

HB_UNIT(dataset)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_evaluated),
        cmocka_unit_test(test_ranges_are_in_the_digest),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_older_versions),
        cmocka_unit_test(test_bytes_depend_on_nothing_else),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_one_shard_alone),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_unit_digest),
        cmocka_unit_test(test_choose_unit),
        cmocka_unit_test(test_output_refusals),
        cmocka_unit_test(test_continued),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
