/* A small dataset of random rows, and the expected results of reading it. */
#ifndef HB_TESTS_DATASET_SAMPLE_H
#define HB_TESTS_DATASET_SAMPLE_H

#include "io/dataset/dataset.h"
#include "io/files/durable.h"
#include "literals.h"
#include "scratch.h"
#include "table/real_text.h"
#include "unheld.h"
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#define MAX_UNITS 64

/* A dataset in memory. */
typedef struct sample {
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_rows rows[MAX_UNITS];
    uint8_t sums[MAX_UNITS][HB_DIGEST_BYTES];
} sample;

static inline size_t component_bytes(const hb_header *h, uint64_t count)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < h->limbs; l++) {
        bytes += hb_header_row_bytes(h, l);
    }
    return bytes * (size_t)count;
}

static inline uint8_t *noisy(size_t bytes, uint64_t *state)
{
    uint8_t *data = malloc(bytes + 1);
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (uint8_t)noise(state);
    }
    return data;
}

static inline void sum_unit(const sample *s, uint64_t u, const hb_rows *rows, uint8_t sum[HB_DIGEST_BYTES])
{
    const hb_header *h = &s->header;
    size_t count = (size_t)rows->count, d = 0;
    uint8_t(*digests)[HB_DIGEST_BYTES] = calloc(2 * h->limbs * count + 1, sizeof *digests);
    for (uint32_t c = 0; c < hb_header_stored(h); c++) {
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

/* Adds random rows, and the members that follow from them, to a complete header. */
static inline void add_rows(sample *s, uint64_t seed)
{
    hb_header *h = &s->header;
    hb_header_digest(s->digest, h);
    uint64_t state = seed;
    assert_true(hb_header_units(h) <= MAX_UNITS);
    for (uint64_t u = 0; u < hb_header_units(h); u++) {
        uint64_t first, count;
        hb_header_unit_range(h, u, &first, &count);
        hb_rows *r = &s->rows[u];
        r->count = count;
        r->limbs = HB_ROWS_ALL;
        r->c0 = noisy(component_bytes(h, count), &state);
        if (h->seeded) {
            r->seeds = (hb_seed *)noisy((size_t)count * HB_SEED_BYTES, &state);
        } else {
            r->c1 = noisy(component_bytes(h, count), &state);
        }
        sum_unit(s, u, r, s->sums[u]);
    }
}

/* Its header has changed: so do its digest and the sums of its units. */
static inline void digest_sample(sample *s)
{
    hb_header_digest(s->digest, &s->header);
    for (uint64_t u = 0; u < hb_header_units(&s->header); u++) {
        sum_unit(s, u, &s->rows[u], s->sums[u]);
    }
}

static inline sample *make_sample_of(uint32_t limbs, bool seeded, uint64_t table_rows, uint64_t columns, uint64_t unit,
                                     uint64_t seed)
{
    sample *s = calloc(1, sizeof *s);
    hb_header *h = &s->header;
    h->spec =
        (hb_params_spec){.n = 1024, .key_limbs = 3, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    h->spec.primes[0] = 134012929; /* 27 bits */
    h->spec.primes[1] = 12289;     /* 14 bits */
    h->spec.primes[2] = 40961;
    memset(h->key_id, 0x5a, sizeof h->key_id);
    h->limbs = limbs;
    h->seeded = seeded;
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_SLOTS);
    h->order = HB_PACK_COLUMNS;
    h->schema = (hb_schema){.rows = table_rows, .columns = columns, .rank = 2, .width = 4, .named = true};
    h->schema.column = calloc((size_t)columns, sizeof *h->schema.column);
    for (uint64_t c = 0; c < columns; c++) {
        char name[32];
        snprintf(name, sizeof name, "column %d \xc3\xa9", (int)c);
        h->schema.column[c].name = strdup(name);
        h->schema.column[c].is_signed = c % 2 == 0;
        h->schema.column[c].ranged = c % 3 != 2;
        h->schema.column[c].least = c == 0 ? (uint64_t)INT64_MIN : 0;
        h->schema.column[c].most = c == 0 ? 5 : c % 3 != 2 ? (uint64_t)INT64_MAX + c % 2 * 7 : 0;
        h->schema.column[c].may_wrap = c == 2;
    }
    h->ciphertexts = (table_rows + 1023) / 1024 * columns;
    h->unit = unit;
    add_rows(s, seed);
    return s;
}

/* Reals in CKKS: 2 of 4 limbs, 512 values a ciphertext, columns with and without ranges. */
static inline sample *make_real_sample(bool seeded, uint64_t table_rows, uint64_t columns, uint64_t unit, uint64_t seed)
{
    sample *s = calloc(1, sizeof *s);
    hb_header *h = &s->header;
    h->spec = (hb_params_spec){.scheme = HB_CKKS,
                               .n = 1024,
                               .key_limbs = 4,
                               .primes = {1125899904679937, 274877562881, 274878693377, 1125899905744897},
                               .special_limbs = 1,
                               .digit_limbs = 1,
                               .ckks = {.scale_bits = 38},
                               .security = {.level = 128},
                               .insecure = true};
    memset(h->key_id, 0xa5, sizeof h->key_id);
    h->limbs = 2;
    h->seeded = seeded;
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_SLOTS);
    h->order = HB_PACK_COLUMNS;
    h->schema = (hb_schema){.rows = table_rows, .columns = columns, .rank = 2, .width = 8, .named = false};
    h->schema.column = calloc((size_t)columns, sizeof *h->schema.column);
    for (uint64_t c = 0; c < columns; c++) {
        const double most = c % 2 == 0 ? 128 : 0;
        h->schema.column[c] = (hb_column){.name = strdup(""), .cells = HB_CELL_REAL, .ranged = c % 2 == 0};
        h->schema.column[c].least = hb_real_word(most > 0 ? -most / 4 : 0);
        h->schema.column[c].most = hb_real_word(most);
    }
    h->ciphertexts = (table_rows + 511) / 512 * columns;
    h->unit = unit;
    add_rows(s, seed);
    return s;
}

static inline sample *make_sample(bool seeded, uint64_t table_rows, uint64_t columns, uint64_t unit, uint64_t seed)
{
    return make_sample_of(2, seeded, table_rows, columns, unit, seed);
}

/* As if a computation had made it: with these bounds of its noise, in 1024ths of a bit. */
static inline void evaluate_sample(sample *s, uint64_t worst, uint64_t expected, bool dirty_padding)
{
    hb_header_quality(&s->header,
                      (hb_quality){.worst = (double)worst / 1024, .expected = (double)expected / 1024, .powers = 3});
    s->header.dirty_padding = dirty_padding;
    digest_sample(s);
}

static inline void free_sample(sample *s)
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
static inline void write_parts(const char *name, const sample *s, uint32_t parts)
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

static inline void write_sample(const char *name, const sample *s, uint32_t parts, bool force)
{
    assert_ok(begin_dataset(name, force));
    write_parts(name, s, parts);
    assert_ok(hb_dataset_commit(name, &s->header, parts, force));
}

static inline void alloc_rows(const hb_header *h, hb_rows *rows)
{
    rows->limbs = HB_ROWS_ALL;
    rows->c0 = malloc(component_bytes(h, h->unit) + 1);
    rows->c1 = malloc(component_bytes(h, h->unit) + 1);
    rows->seeds = malloc((size_t)h->unit * HB_SEED_BYTES);
}

static inline void free_rows(hb_rows *rows)
{
    free(rows->c0);
    free(rows->c1);
    free(rows->seeds);
}

static inline void check_header(const hb_header *a, const hb_header *b)
{
    assert_true(same_literal(&a->spec, &b->spec));
    assert_memory_equal(a->key_id, b->key_id, sizeof a->key_id);
    assert_true(a->limbs == b->limbs && hb_header_components(a) == hb_header_components(b) && a->seeded == b->seeded);
    assert_true(a->made_by == b->made_by && a->noise_assumed == b->noise_assumed &&
                a->dirty_padding == b->dirty_padding);
    assert_true(a->quality.worst == b->quality.worst && a->quality.expected == b->quality.expected);
    assert_true(a->quality.certainty == b->quality.certainty);
    assert_int_equal(a->quality.powers, b->quality.powers);
    assert_true(a->encoding == b->encoding && a->order == b->order && a->block == b->block);
    assert_true(a->cells == b->cells && a->form == b->form && a->scale == b->scale && a->capacity == b->capacity);
    assert_true(a->ciphertexts == b->ciphertexts && a->unit == b->unit);
    const hb_schema *x = &a->schema, *y = &b->schema;
    assert_true(x->rows == y->rows && x->columns == y->columns && x->rank == y->rank && x->width == y->width);
    assert_true(x->big_endian == y->big_endian && x->named == y->named);
    for (uint64_t c = 0; c < x->columns; c++) {
        assert_string_equal(x->column[c].name, y->column[c].name);
        assert_int_equal(x->column[c].is_signed, y->column[c].is_signed);
        assert_int_equal(x->column[c].cells, y->column[c].cells);
        assert_true(x->column[c].ranged == y->column[c].ranged && x->column[c].may_wrap == y->column[c].may_wrap);
        assert_true(x->column[c].least == y->column[c].least && x->column[c].most == y->column[c].most);
    }
}

static inline bool unit_equals(const hb_header *h, const hb_rows *a, const hb_rows *b)
{
    return a->count == b->count && memcmp(a->c0, b->c0, component_bytes(h, a->count)) == 0 &&
           (h->seeded ? memcmp(a->seeds, b->seeds, (size_t)a->count * HB_SEED_BYTES) == 0
                      : memcmp(a->c1, b->c1, component_bytes(h, a->count)) == 0);
}

/* Reads a dataset in a scattered order and compares it with the sample. */
static inline void check_dataset(const char *name, const sample *s, uint32_t parts)
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
static inline uint8_t *read_virtual(const char *name, const char *dataset, size_t bytes)
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

static inline void check_virtual(const char *name, const sample *s)
{
    const hb_header *h = &s->header;
    uint8_t *seeds = h->seeded ? read_virtual(name, "/ct/seed", (size_t)h->ciphertexts * HB_SEED_BYTES) : NULL;
    for (uint32_t c = 0; c < hb_header_stored(h); c++) {
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

#endif
