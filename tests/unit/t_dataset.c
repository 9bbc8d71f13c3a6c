/* Datasets: what is written is read back, by us and by HDF5 alone through the index, whatever the number of shards; and
 * anything that was changed on the way is refused or has no effect. */
#include "scratch.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>

#include "dataset.h"
#include "durable.h"

#define MAX_UNITS 64

/* A dataset in memory. */
typedef struct sample {
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_rows rows[MAX_UNITS];
    uint8_t sums[MAX_UNITS][HB_DIGEST_BYTES];
} sample;

static size_t component_bytes(const hb_header *h, uint64_t count)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < h->limbs; l++) {
        bytes += hb_header_row_bytes(h, l);
    }
    return bytes * (size_t)count;
}

static uint8_t *noisy(size_t bytes, uint64_t *state)
{
    uint8_t *data = malloc(bytes + 1);
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (uint8_t)noise(state);
    }
    return data;
}

static void sum_unit(const sample *s, uint64_t u, const hb_rows *rows, uint8_t sum[HB_DIGEST_BYTES])
{
    const hb_header *h = &s->header;
    size_t count = (size_t)rows->count, d = 0;
    uint8_t(*digests)[HB_DIGEST_BYTES] = calloc(2 * h->limbs * count + 1, sizeof *digests);
    for (int c = 0; c < (h->seeded ? 1 : 2); c++) {
        const uint8_t *at = c == 0 ? rows->c0 : rows->c1;
        for (uint32_t l = 0; l < h->limbs; l++) {
            for (size_t i = 0; i < count; i++, at += hb_header_row_bytes(h, l)) {
                hb_digest_row(digests[d++], at, hb_header_row_bytes(h, l));
            }
        }
    }
    hb_unit_digest(sum, h, s->digest, u, rows, digests[0]);
    free(digests);
}

static sample *make_sample(bool seeded, uint64_t table_rows, uint64_t columns, uint64_t unit, uint64_t seed)
{
    sample *s = calloc(1, sizeof *s);
    hb_header *h = &s->header;
    h->spec = (hb_params_spec){.n = 1024, .key_limbs = 3, .plain = 65537, .security = 128, .insecure = true};
    h->spec.primes[0] = 134012929; /* 27 bits */
    h->spec.primes[1] = 12289;     /* 14 bits */
    h->spec.primes[2] = 40961;
    memset(h->key_id, 0x5a, sizeof h->key_id);
    h->limbs = 2;
    h->components = 2;
    h->seeded = seeded;
    h->encoding = HB_ENCODE_SLOTS;
    h->order = HB_PACK_COLUMNS;
    h->schema = (hb_schema){.rows = table_rows, .columns = columns, .rank = 2, .width = 4, .named = true};
    h->schema.column = calloc((size_t)columns, sizeof *h->schema.column);
    for (uint64_t c = 0; c < columns; c++) {
        char name[32];
        snprintf(name, sizeof name, "column %d \xc3\xa9", (int)c);
        h->schema.column[c].name = strdup(name);
        h->schema.column[c].is_signed = c % 2 == 0;
    }
    h->ciphertexts = (table_rows + 1023) / 1024 * columns;
    h->unit = unit;
    hb_header_digest(s->digest, h);
    uint64_t state = seed;
    assert_true(hb_header_units(h) <= MAX_UNITS);
    for (uint64_t u = 0; u < hb_header_units(h); u++) {
        uint64_t first, count;
        hb_header_unit_range(h, u, &first, &count);
        hb_rows *r = &s->rows[u];
        r->count = count;
        r->c0 = noisy(component_bytes(h, count), &state);
        if (seeded) {
            r->seeds = (hb_seed *)noisy((size_t)count * HB_SEED_BYTES, &state);
        } else {
            r->c1 = noisy(component_bytes(h, count), &state);
        }
        sum_unit(s, u, r, s->sums[u]);
    }
    return s;
}

static void free_sample(sample *s)
{
    for (int u = 0; u < MAX_UNITS; u++) {
        free(s->rows[u].c0);
        free(s->rows[u].c1);
        free(s->rows[u].seeds);
    }
    hb_header_clear(&s->header);
    free(s);
}

/* Units are shared out from the front; written backwards, which must not matter. */
static void write_parts(const char *name, const sample *s, uint32_t parts)
{
    uint64_t units = hb_header_units(&s->header), next = 0;
    for (uint32_t p = 0; p < parts; p++) {
        uint64_t share = units / parts + (p < units % parts ? 1 : 0);
        hb_shard_writer *shard;
        assert_ok(hb_shard_create(name, &s->header, p, next, share, &shard));
        for (uint64_t u = next + share; u-- > next;) {
            if (u == next) {
                assert_refused(hb_shard_finish(shard), HB_EINTERNAL, "was not written");
            }
            assert_ok(hb_shard_write(shard, u, &s->rows[u], s->sums[u]));
        }
        assert_ok(hb_shard_finish(shard));
        hb_shard_writer_close(shard);
        next += share;
    }
}

static void write_sample(const char *name, const sample *s, uint32_t parts, bool force)
{
    assert_ok(hb_dataset_begin(name, force));
    write_parts(name, s, parts);
    assert_ok(hb_dataset_commit(name, &s->header, parts, force));
}

static void alloc_rows(const hb_header *h, hb_rows *rows)
{
    rows->c0 = malloc(component_bytes(h, h->unit) + 1);
    rows->c1 = malloc(component_bytes(h, h->unit) + 1);
    rows->seeds = malloc((size_t)h->unit * HB_SEED_BYTES);
}

static void free_rows(hb_rows *rows)
{
    free(rows->c0);
    free(rows->c1);
    free(rows->seeds);
}

static void check_header(const hb_header *a, const hb_header *b)
{
    assert_memory_equal(&a->spec, &b->spec, sizeof a->spec);
    assert_memory_equal(a->key_id, b->key_id, sizeof a->key_id);
    assert_true(a->limbs == b->limbs && a->components == b->components && a->seeded == b->seeded);
    assert_true(a->encoding == b->encoding && a->order == b->order);
    assert_true(a->ciphertexts == b->ciphertexts && a->unit == b->unit);
    const hb_schema *x = &a->schema, *y = &b->schema;
    assert_true(x->rows == y->rows && x->columns == y->columns && x->rank == y->rank && x->width == y->width);
    assert_true(x->big_endian == y->big_endian && x->named == y->named);
    for (uint64_t c = 0; c < x->columns; c++) {
        assert_string_equal(x->column[c].name, y->column[c].name);
        assert_int_equal(x->column[c].is_signed, y->column[c].is_signed);
    }
}

static bool unit_equals(const hb_header *h, const hb_rows *a, const hb_rows *b)
{
    return a->count == b->count && memcmp(a->c0, b->c0, component_bytes(h, a->count)) == 0 &&
           (h->seeded ? memcmp(a->seeds, b->seeds, (size_t)a->count * HB_SEED_BYTES) == 0
                      : memcmp(a->c1, b->c1, component_bytes(h, a->count)) == 0);
}

/* Reads a dataset in a scattered order and compares it with the sample. */
static void check_dataset(const char *name, const sample *s, uint32_t parts)
{
    hb_dataset *dataset;
    uint64_t first, units;
    assert_ok(hb_dataset_open(name, &dataset));
    check_header(hb_dataset_header(dataset), &s->header);
    hb_dataset_units(dataset, &first, &units);
    assert_int_equal(first, 0);
    assert_int_equal(units, hb_header_units(&s->header));
    assert_int_equal(hb_dataset_parts(dataset), parts);
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    for (uint64_t i = 0; i < units; i++) {
        uint64_t u = (i * 5 + 2) % units;
        u = units % 5 == 0 ? i : u;
        assert_ok(hb_dataset_read(dataset, u, &rows));
        assert_true(unit_equals(&s->header, &rows, &s->rows[u]));
        assert_memory_equal(hb_dataset_unit_sum(dataset, u), s->sums[u], HB_DIGEST_BYTES);
    }
    uint8_t sum[HB_DIGEST_BYTES], expected[HB_DIGEST_BYTES];
    hb_dataset_sum(dataset, sum);
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch data");
    hb_digest_add(&state, s->digest, sizeof s->digest);
    hb_digest_add(&state, s->sums, (size_t)units * HB_DIGEST_BYTES);
    hb_digest_end(&state, expected);
    assert_memory_equal(sum, expected, sizeof sum);
    free_rows(&rows);
    hb_dataset_close(dataset);
}

/* The rows of one limb as plain HDF5 gives them from the index. */
static uint8_t *read_virtual(const char *name, const char *dataset, size_t bytes)
{
    char path[300];
    snprintf(path, sizeof path, "%s/index.h5", name);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    assert_int_equal((size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type), bytes);
    uint8_t *data = malloc(bytes + 1);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return data;
}

static void check_virtual(const char *name, const sample *s)
{
    const hb_header *h = &s->header;
    uint8_t *seeds = h->seeded ? read_virtual(name, "/ct/seed", (size_t)h->ciphertexts * HB_SEED_BYTES) : NULL;
    for (int c = 0; c < (h->seeded ? 1 : 2); c++) {
        for (uint32_t l = 0; l < h->limbs; l++) {
            char dataset[32];
            snprintf(dataset, sizeof dataset, "/ct/c%d/q%02u", c, l);
            size_t row = hb_header_row_bytes(h, l), before = l == 0 ? 0 : hb_header_row_bytes(h, 0);
            uint8_t *data = read_virtual(name, dataset, (size_t)h->ciphertexts * row), *at = data;
            for (uint64_t u = 0; u < hb_header_units(h); u++) {
                size_t count = (size_t)s->rows[u].count;
                const uint8_t *rows = c == 0 ? s->rows[u].c0 : s->rows[u].c1;
                assert_memory_equal(at, rows + before * count, count * row);
                at += count * row;
            }
            free(data);
        }
    }
    for (uint64_t i = 0; seeds && i < h->ciphertexts; i++) {
        assert_memory_equal(seeds + i * HB_SEED_BYTES, &s->rows[i / h->unit].seeds[i % h->unit], HB_SEED_BYTES);
    }
    free(seeds);
}

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
    assert_int_equal(hb_header_choose_unit(640, 1000, 11), 10); /* a block does not fit */
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
    assert_refused(hb_dataset_begin(name, false), HB_ECREATE, "exists already");
    assert_false(is_there(in_scratch("out.heb.partial")));
    assert_ok(hb_dataset_begin(name, true)); /* a job that dies */
    write_parts(name, s, 1);
    assert_refused(hb_dataset_begin(in_scratch("out.heb.partial"), false), HB_ECREATE, "exists already");
    assert_ok(hb_dataset_begin(name, true));
    write_parts(name, s, 1);
    hb_dataset_abandon(name);
    assert_false(is_there(in_scratch("out.heb.partial")));
    check_dataset(name, s, 1);

    assert_int_equal(mkdir(in_scratch("mine.heb"), 0755), 0);
    spit(in_scratch("mine.heb/thesis.tex"), "x", 1);
    assert_refused(hb_dataset_begin(in_scratch("mine.heb"), true), HB_ECREATE, "thesis.tex");
    assert_int_equal(mkdir(in_scratch("mine2.heb.partial"), 0755), 0);
    assert_refused(hb_dataset_begin(in_scratch("mine2.heb"), false), HB_ECREATE, "unfinished job");
    spit(in_scratch("mine2.heb.partial/thesis.tex"), "x", 1);
    hb_dataset_abandon(in_scratch("mine2.heb"));
    assert_true(is_there(in_scratch("mine2.heb.partial/thesis.tex")));
    assert_refused(hb_dataset_begin(in_scratch("mine.heb/thesis.tex/a.heb"), false), HB_ECREATE, "Not a directory");

    /* shards that do not make up the dataset */
    const char *other = in_scratch("gap.heb");
    sample *t = make_sample(true, 3000, 1, 1, 6);
    assert_ok(hb_dataset_begin(other, false));
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
        assert_ok(hb_dataset_begin(name, true));
        spit(in_scratch("continued.heb.partial/job.json"), "{}", 2);
        assert_int_equal(hb_dataset_partial_bytes(name, 2), 0);
        assert_ok(hb_shard_create(name, &s->header, 0, 0, 5, &a));
        assert_true(hb_dataset_partial_bytes(name, 2) >= 10 * hb_header_ciphertext_bytes(&s->header));
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
        assert_refused(hb_dataset_continue(name, false), HB_ECREATE, "exists already");
        assert_ok(hb_dataset_continue(name, true));

        /* The same file as one that was never interrupted. */
        size_t bytes, expected_bytes;
        uint8_t *made = slurp(in_scratch("continued.heb/part-00000.h5"), &bytes);
        write_sample(name, s, 1, true);
        uint8_t *expected = slurp(in_scratch("continued.heb/part-00000.h5"), &expected_bytes);
        assert_int_equal(bytes, expected_bytes);
        assert_memory_equal(made, expected, bytes);
        assert_int_equal(hb_rename(name, in_scratch("kept.heb"), true), HB_OK);
        free(made);
        free(expected);
        free_rows(&rows);
        free_sample(s);
    }
}

/* Whatever byte of an unfinished shard is damaged: it is made anew, or its rows and sums are, or it does not matter. */
static void test_unfinished_damage(void **state)
{
    (void)state;
    sample *s = make_sample(true, 1, 1, 1, 22);
    const char *name = in_scratch("broken.heb");
    char path[200];
    snprintf(path, sizeof path, "%s.partial/part-00000.h5", name);
    assert_ok(hb_dataset_begin(name, true));
    hb_shard_writer *shard;
    assert_ok(hb_shard_create(name, &s->header, 0, 0, 1, &shard));
    assert_ok(hb_shard_write(shard, 0, &s->rows[0], s->sums[0]));
    hb_shard_writer_close(shard);
    size_t bytes, anew = 0, redone = 0;
    uint8_t *good = slurp(path, &bytes);
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    for (size_t i = 0; i < bytes; i += i < 2500 ? 1 : 13) {
        good[i] ^= (uint8_t)(1u << (i * 7 % 8));
        spit(path, good, bytes);
        good[i] ^= (uint8_t)(1u << (i * 7 % 8));
        assert_ok(hb_shard_ensure(name, &s->header, 0, 0, 1, &shard));
        uint8_t sum[HB_DIGEST_BYTES] = {0};
        const uint8_t *stored = hb_shard_sum(shard, 0);
        if (stored) {
            assert_ok(hb_shard_read(shard, 0, &rows));
            sum_unit(s, 0, &rows, sum);
        }
        bool finished = stored && memcmp(stored, sum, sizeof sum) == 0;
        assert_true(!finished || unit_equals(&s->header, &rows, &s->rows[0]));
        anew += !stored;
        redone += stored && !finished;
        hb_shard_writer_close(shard);
    }
    assert_true(anew > 100 && redone > 300);
    spit(path, good, bytes - 1);
    assert_ok(hb_shard_ensure(name, &s->header, 0, 0, 1, &shard));
    assert_null(hb_shard_sum(shard, 0));
    hb_shard_writer_close(shard);
    hb_dataset_abandon(name);
    free_rows(&rows);
    free(good);
    free_sample(s);
}

static void copy_file(const char *from, const char *to)
{
    size_t bytes;
    uint8_t *data = slurp(from, &bytes);
    spit(to, data, bytes);
    free(data);
}

/* A disk that fills at any point of making a shard. */
static void test_full_disk(void **state)
{
    (void)state;
    sample *s = make_sample(false, 3000, 1, 1, 7);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t bytes = 0; bytes <= 32768; bytes += bytes < 8192 ? 512 : 4096) {
        hb_shard_writer *shard = NULL;
        assert_ok(hb_dataset_begin(in_scratch("full.heb"), true));
        const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        hb_status st = hb_shard_create(in_scratch("full.heb"), &s->header, 0, 0, 3, &shard);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(st, HB_EIO);
        assert_null(shard);
        hb_dataset_abandon(in_scratch("full.heb"));
        assert_false(is_there(in_scratch("full.heb.partial")) || is_there(in_scratch("full.heb")));
    }
    write_sample(in_scratch("full.heb"), s, 1, false); /* and afterwards all is well */
    check_dataset(in_scratch("full.heb"), s, 1);
    free_sample(s);
}

/* The largest header there is, and rows of terabytes: found to be too much without memory or time for them. */
static void test_huge(void **state)
{
    (void)state;
    sample *s = make_sample(false, 1, 1, 1, 7);
    hb_header *h = &s->header;
    h->spec.n = 1 << 17;
    h->spec.key_limbs = h->limbs = HB_MAX_LIMBS;
    for (int l = 0; l < HB_MAX_LIMBS; l++) {
        h->spec.primes[l] = ((uint64_t)1 << 59) + 1;
    }
    h->schema.rows = (uint64_t)1 << 37;
    h->ciphertexts = (uint64_t)1 << 20;
    h->unit = 1 << 14;
    hb_shard_writer *shard = NULL;
    assert_ok(hb_dataset_begin(in_scratch("huge.heb"), true));
    assert_refused(hb_shard_create(in_scratch("huge.heb"), h, 0, 0, 64, &shard), HB_EIO, "cannot reserve 13194");
    h->schema.rows = UINT64_MAX;
    h->ciphertexts = (uint64_t)1 << 47;
    h->unit = (uint64_t)1 << 46;
    assert_refused(hb_shard_create(in_scratch("huge.heb"), h, 0, 0, 2, &shard), HB_ECREATE, "more than a file");
    hb_dataset_abandon(in_scratch("huge.heb"));
    free_sample(s);
}

static void test_wrong_shards(void **state)
{
    (void)state;
    hb_dataset *dataset;
    sample *s = make_sample(false, 3000, 1, 1, 7), *t = make_sample(false, 3000, 1, 1, 8);
    sample *v = make_sample(true, 3000, 1, 1, 8);
    write_sample(in_scratch("a.heb"), s, 3, true);
    write_sample(in_scratch("b.heb"), t, 3, true);
    write_sample(in_scratch("c.heb"), v, 3, true);
    char part[128];
    snprintf(part, sizeof part, "%s", in_scratch("a.heb/part-00001.h5"));
    unlink(part);
    assert_refused(hb_dataset_open(in_scratch("a.heb"), &dataset), HB_ENOINPUT, "part-00001.h5: is missing");
    /* what is missing reads as ones, never as zeros */
    uint8_t *rows = read_virtual(in_scratch("a.heb"), "/ct/c0/q01", 3 * 1792);
    for (size_t i = 1792; i < 2 * 1792; i++) {
        assert_int_equal(rows[i], 0xff);
    }
    free(rows);
    copy_file(in_scratch("c.heb/part-00001.h5"), part); /* another header */
    assert_refused(hb_dataset_open(in_scratch("a.heb"), &dataset), HB_EDATA, "another dataset");
    copy_file(in_scratch("b.heb/part-00001.h5"), part); /* the same header, other rows */
    assert_refused(hb_dataset_open(in_scratch("a.heb"), &dataset), HB_EDATA, "does not hold what");
    copy_file(in_scratch("a.heb/part-00002.h5"), part); /* another place */
    assert_refused(hb_dataset_open(in_scratch("a.heb"), &dataset), HB_EDATA, "does not hold what");
    copy_file(in_scratch("a.heb/index.h5"), part); /* an index in place of a shard */
    assert_refused(hb_dataset_open(in_scratch("a.heb"), &dataset), HB_EDATA, "has no attribute 'complete'");
    spit(part, "hello", 5);
    assert_refused(hb_dataset_open(in_scratch("a.heb"), &dataset), HB_EDATA, "is no HDF5 file");
    unlink(in_scratch("b.heb/index.h5"));
    assert_refused(hb_dataset_open(in_scratch("b.heb"), &dataset), HB_ENOINPUT, "index.h5");
    assert_refused(hb_dataset_open(in_scratch("nothing.heb"), &dataset), HB_ENOINPUT, "nothing.heb");
    free_sample(s);
    free_sample(t);
    free_sample(v);
}

/* Overwrites a 64-bit attribute or the first words of a dataset through HDF5, checksums and all. */
static void tamper(const char *path, const char *group, const char *attribute, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t object = H5Oopen(file, group, H5P_DEFAULT), a = H5Aopen(object, attribute, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_true(H5Awrite(a, H5T_NATIVE_UINT64, &value) >= 0);
    H5Aclose(a);
    H5Oclose(object);
    H5Fclose(file);
}

static void tamper_dataset(const char *path, const char *name, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(d), one = H5Screate(H5S_SCALAR);
    hsize_t at[2] = {0, 0};
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0);
    assert_true(H5Dwrite(d, H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(file);
}

static void test_hostile_counts(void **state)
{
    (void)state;
    sample *s = make_sample(true, 3000, 2, 2, 10);
    const struct {
        const char *file, *group, *name; /* name of an attribute, or NULL: group is a dataset */
        uint64_t value;
    } cases[] = {{"index.h5", "/ct", "ciphertexts", UINT64_MAX},
                 {"index.h5", "/ct", "unit", 0},
                 {"index.h5", "/ct", "unit", 1},
                 {"index.h5", "/ct", "limbs", 60},
                 {"index.h5", "/ct", "components", 1},
                 {"index.h5", "/table", "rows", UINT64_MAX},
                 {"index.h5", "/table", "rows", (uint64_t)1 << 62},
                 {"index.h5", "/table", "columns", UINT64_MAX},
                 {"index.h5", "/table", "columns", 0},
                 {"index.h5", "/table", "width", 3},
                 {"index.h5", "/shards/first_unit", NULL, 1},
                 {"index.h5", "/shards/units", NULL, UINT64_MAX},
                 {"index.h5", "/shards/units", NULL, 0},
                 {"index.h5", "/params/n", NULL, 0},
                 {"index.h5", "/params/n", NULL, 1536},
                 {"index.h5", "/params/n", NULL, 2048},
                 {"index.h5", "/params/primes", NULL, 0},
                 {"index.h5", "/params/plain", NULL, UINT64_MAX},
                 {"index.h5", "/unit/sum", NULL, 77},
                 {"part-00000.h5", "/ct", "unit", 3},
                 {"part-00000.h5", "/unit", "first", UINT64_MAX},
                 {"part-00000.h5", "/unit", "units", UINT64_MAX},
                 {"part-00000.h5", "/unit", "units", 0},
                 {"part-00000.h5", "/", "complete", 0},
                 {"part-00000.h5", "/", "version", 2},
                 {"part-00000.h5", "/", "insecure", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_sample(in_scratch("hostile.heb"), s, 2, true);
        char path[300];
        snprintf(path, sizeof path, "%s/%s", in_scratch("hostile.heb"), cases[i].file);
        if (cases[i].name) {
            tamper(path, cases[i].group, cases[i].name, cases[i].value);
        } else {
            tamper_dataset(path, cases[i].group, cases[i].value);
        }
        hb_dataset *dataset;
        assert_refused(hb_dataset_open(in_scratch("hostile.heb"), &dataset), HB_EDATA, cases[i].file);
    }
    free_sample(s);
}

/* Opens and reads everything; true if it is refused somewhere, by the sums at the latest, false if all is equal. */
static bool is_refused(const char *path, const sample *s, hb_rows *rows)
{
    hb_dataset *dataset;
    if (hb_dataset_open(path, &dataset) != HB_OK) {
        return true;
    }
    bool refused = false;
    check_header(hb_dataset_header(dataset), &s->header);
    uint64_t first, units;
    hb_dataset_units(dataset, &first, &units);
    assert_true(units == hb_header_units(&s->header));
    for (uint64_t u = 0; u < units && !refused; u++) {
        uint8_t sum[HB_DIGEST_BYTES];
        refused = hb_dataset_read(dataset, u, rows) != HB_OK;
        if (!refused) {
            sum_unit(s, u, rows, sum);
            refused = memcmp(sum, hb_dataset_unit_sum(dataset, u), sizeof sum) != 0;
            assert_true(refused || unit_equals(&s->header, rows, &s->rows[u]));
        }
    }
    hb_dataset_close(dataset);
    return refused;
}

static void test_truncated(void **state)
{
    (void)state;
    sample *s = make_sample(true, 1, 1, 1, 11);
    write_sample(in_scratch("cut.heb"), s, 1, true);
    size_t bytes;
    uint8_t *data = slurp(in_scratch("cut.heb/part-00000.h5"), &bytes);
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("cut.h5"));
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    spit(path, data, bytes);
    assert_false(is_refused(path, s, &rows));
    for (size_t length = bytes; length-- > 0;) {
        assert_int_equal(truncate(path, (off_t)length), 0);
        assert_true(is_refused(path, s, &rows));
    }
    spit(path, data, bytes);
    assert_int_equal(truncate(path, (off_t)bytes + 1), 0);
    assert_true(is_refused(path, s, &rows));
    free_rows(&rows);
    free(data);
    free_sample(s);
}

/* One bit of every byte of a shard, a different one from byte to byte. What HDF5 never reads (gaps) may stay unseen. */
static void test_bit_flips(void **state)
{
    (void)state;
    sample *s = make_sample(true, 1, 1, 1, 12);
    write_sample(in_scratch("flip.heb"), s, 1, true);
    size_t bytes, seen = 0;
    uint8_t *data = slurp(in_scratch("flip.heb/part-00000.h5"), &bytes);
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("flip.h5"));
    spit(path, data, bytes);
    FILE *file = fopen(path, "r+b");
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    for (size_t i = 0; i < bytes; i++) {
        uint8_t flipped = data[i] ^ (uint8_t)(1u << (i * 7 % 8));
        assert_int_equal(pwrite(fileno(file), &flipped, 1, (off_t)i), 1);
        seen += is_refused(path, s, &rows);
        assert_int_equal(pwrite(fileno(file), &data[i], 1, (off_t)i), 1);
    }
    assert_false(is_refused(path, s, &rows));
    assert_true(seen >= 3456 + 1792 + 32 + 32); /* at least rows, seed and sum */
    print_message("%zu of %zu bytes flipped were refused, the rest changed nothing\n", seen, bytes);
    fclose(file);
    free_rows(&rows);
    free(data);
    free_sample(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bytes_depend_on_nothing_else),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_one_shard_alone),
        cmocka_unit_test(test_unit_digest),
        cmocka_unit_test(test_choose_unit),
        cmocka_unit_test(test_output_refusals),
        cmocka_unit_test(test_continued),
        cmocka_unit_test(test_unfinished_damage),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_wrong_shards),
        cmocka_unit_test(test_hostile_counts),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_bit_flips),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
