/* Ciphertext datasets that are unfinished, cut, flipped, mixed up or hostile: refused, or equal. */
#include "unit/dataset_sample.h"

#include <math.h>

#include "unit/damage.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

/* For every damaged byte of an unfinished shard: the shard is made anew, or its rows and sums are, or it does not
 * matter. Bytes are a spread, narrower in the header; each counts for those up to the next. */
static void test_unfinished_damage(void **state)
{
    enum { NARROW = DAMAGE_STEP == 1 ? 7 : 23, WIDE = 71 };
    (void)state;
    sample *s = make_sample(true, 1, 1, 1, 22);
    const char *name = in_scratch("broken.heb");
    char path[200];
    snprintf(path, sizeof path, "%s.partial/part-00000.h5", name);
    assert_ok(begin_dataset(name, true));
    hb_shard_writer *shard;
    assert_ok(hb_shard_create(name, &s->header, 0, 0, 1, &shard));
    assert_ok(hb_shard_write(shard, 0, &s->rows[0], s->sums[0]));
    hb_shard_writer_close(shard);
    size_t bytes, anew = 0, redone = 0;
    uint8_t *good = slurp(path, &bytes);
    hb_rows rows;
    alloc_rows(&s->header, &rows);
    for (size_t i = 0, step; i < bytes; i += step) {
        step = i < 2500 ? NARROW : WIDE;
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
        anew += stored ? 0 : step;
        redone += stored && !finished ? step : 0;
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
        assert_ok(begin_dataset(in_scratch("full.heb"), true));
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
    h->capacity = h->spec.n;
    h->spec.key_limbs = h->limbs = HB_MAX_LIMBS;
    for (int l = 0; l < HB_MAX_LIMBS; l++) {
        h->spec.primes[l] = ((uint64_t)1 << 59) + 1;
    }
    h->schema.rows = (uint64_t)1 << 37;
    h->ciphertexts = (uint64_t)1 << 20;
    h->unit = 1 << 14;
    hb_shard_writer *shard = NULL;
    assert_ok(begin_dataset(in_scratch("huge.heb"), true));
    hb_status st =
        hb_shard_create(in_scratch("huge.heb"), h, 0, 0, 64, &shard); /* some file systems refuse the length */
    if (st == HB_OK) {
        assert_refused(hb_shard_reserve(shard), HB_EIO, "cannot reserve 13194");
        hb_shard_writer_close(shard);
    } else {
        assert_int_equal(st, HB_EIO);
        assert_non_null(strstr(hb_last_error()->text, "cannot be 13194"));
    }
    assert_int_equal(hb_dataset_partial_bytes(in_scratch("huge.heb"), 0, 0, 1) >> 30, 0);
    h->schema.rows = INT64_MAX; /* the most that a header may have */
    h->ciphertexts = (uint64_t)1 << 46;
    h->unit = (uint64_t)1 << 45;
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
    /* missing rows read as ones, never as zeros */
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
                 {"part-00000.h5", "/", "version", 2}, /* without bounds of noise */
                 {"part-00000.h5", "/", "version", 1},
                 {"part-00000.h5", "/", "version", 4},
                 {"part-00000.h5", "/ct", "capacity", 512},
                 {"part-00000.h5", "/ct", "capacity", 0},
                 {"part-00000.h5", "/table/least", NULL, 6},
                 {"part-00000.h5", "/table/most", NULL, 4},
                 {"part-00000.h5", "/table/ranged", NULL, 0},
                 {"part-00000.h5", "/table/may_wrap", NULL, 1},
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

/* Bounds of noise that someone has changed, or left out by naming the older version. */
static void test_hostile_noise(void **state)
{
    (void)state;
    sample *s = make_sample(false, 3000, 2, 2, 13);
    evaluate_sample(s, 51201, 30719, true);
    const struct {
        const char *group, *name;
        uint64_t value;
    } cases[] = {{"/ct", "noise_worst", 51200},
                 {"/ct", "noise_worst", UINT64_MAX},
                 {"/ct", "noise_expected", 30720},
                 {"/ct", "noise_expected", UINT64_MAX},
                 {"/ct", "noise_powers", 4},
                 {"/ct", "noise_powers", UINT64_MAX},
                 {"/ct", "stray", 0},
                 {"/ct", "stray", 2}, /* of a row that stands in the place of all, and there are more */
                 {"/ct", "stray", 3},
                 {"/ct", "seeded", 1},
                 {"/", "version", 2},
                 {"/", "version", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_sample(in_scratch("noise.heb"), s, 1, true);
        tamper(in_scratch("noise.heb/part-00000.h5"), cases[i].group, cases[i].name, cases[i].value);
        hb_dataset *dataset;
        assert_refused(hb_dataset_open(in_scratch("noise.heb"), &dataset), HB_EDATA, "part-00000.h5");
    }
    free_sample(s);
}

/* Members that do not suit the scheme are refused for that, before the digest is compared. */
static void test_hostile_scheme(void **state)
{
    (void)state;
    const double scales[] = {1, 0x1p-1074, -INFINITY, NAN, -0.0};
    hb_dataset *dataset;
    sample *s = make_sample(false, 3000, 2, 2, 13);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        write_sample(in_scratch("scheme.heb"), s, 1, true);
        tamper_scale(in_scratch("scheme.heb/index.h5"), scales[i]);
        assert_refused(hb_dataset_open(in_scratch("scheme.heb"), &dataset), HB_EDATA,
                       "index.h5: its integers have a scale, which those of bfv have not");
    }
    write_sample(in_scratch("scheme.heb"), s, 1, true);
    tamper(in_scratch("scheme.heb/index.h5"), "/ct", "capacity", 512);
    assert_refused(hb_dataset_open(in_scratch("scheme.heb"), &dataset), HB_EDATA,
                   "ciphertexts of 512 values, where bfv holds 1024");
    free_sample(s);
}

/* Parameters that name no scheme are those of BFV; a name is believed where this program knows it. */
static void test_scheme_of_params(void **state)
{
    (void)state;
    const char *const refused[] = {"ckks2", "", "BFV"};
    hb_dataset *dataset;
    sample *s = make_sample(false, 3000, 2, 2, 13);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char says[96];
        snprintf(says, sizeof says, "attribute 'scheme' is '%s'; this program knows: bfv, ckks", refused[i]);
        write_sample(in_scratch("named.heb"), s, 1, true);
        add_text(in_scratch("named.heb/index.h5"), "/params", "scheme", refused[i]);
        assert_refused(hb_dataset_open(in_scratch("named.heb"), &dataset), HB_EDATA, says);
    }
    write_sample(in_scratch("named.heb"), s, 1, true);
    add_text(in_scratch("named.heb/index.h5"), "/params", "scheme", "bfv");
    check_dataset(in_scratch("named.heb"), s, 1);
    free_sample(s);
}

/* Files of a scheme, a form, cells or a maker that this program does not know are refused for just that. */
static void test_unknown_words(void **state)
{
    (void)state;
    const struct {
        const char *group, *name, *text, *says;
    } cases[] = {{"/ct", "scheme", "bgv", "attribute 'scheme' is 'bgv'; this program knows: bfv, ckks"},
                 {"/ct", "scheme", "ckks", "its ciphertexts are of ckks, its parameters of bfv"},
                 {"/ct", "form", "fft", "'form' is 'fft'; this program knows: coefficient, ntt"},
                 {"/ct", "form", "ntt", "its ciphertexts are of a form that those of bfv have not"},
                 {"/table", "cells", "complex", "'cells' is 'complex'; this program knows: integer, real"},
                 {"/table", "cells", "real", "its cells are of a type that bfv does not encrypt"},
                 {"/ct", "made_by", "magic", "'made_by' is 'magic'; this program knows: secret key, public key, evalu"},
                 {"/ct", "made_by", "secret key", "made with the secret key have seeds"},
                 {"/ct", "made_by", "public key", "does not match its digest"},
                 {"/ct", "made_by", "import", "does not match its digest"},
                 {"/ct", "noise_source", "assumed", "does not match its digest"},
                 {"/ct", "noise_source", "hoped", "this program knows: proven, assumed, drawn, likely"},
                 {"/table", "order", "columns of rows", "this program knows: columns, rows"}};
    sample *s = make_sample(false, 3000, 2, 2, 13);
    evaluate_sample(s, 51201, 30719, true);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_sample(in_scratch("words.heb"), s, 1, true);
        tamper_text(in_scratch("words.heb/index.h5"), cases[i].group, cases[i].name, cases[i].text);
        hb_dataset *dataset;
        assert_refused(hb_dataset_open(in_scratch("words.heb"), &dataset), HB_EDATA, cases[i].says);
    }
    free_sample(s);
}

/* Opens and reads everything; true if it is refused somewhere, by the sums at the latest, false if all is equal. */
typedef struct held {
    sample *s;
    hb_rows rows; /* for reading */
} held;

static bool is_refused(const char *path, void *context)
{
    const sample *s = ((held *)context)->s;
    hb_rows *rows = &((held *)context)->rows;
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
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("cut.h5"));
    held whole = {.s = s};
    alloc_rows(&s->header, &whole.rows);
    copy_file(in_scratch("cut.heb/part-00000.h5"), path);
    assert_false(is_refused(path, &whole));
    damage_cut(path, is_refused, &whole);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size + 1), 0);
    assert_true(is_refused(path, &whole));
    free_rows(&whole.rows);
    free_sample(s);
}

/* One bit of every byte of a shard but its rows, of which a spread is flipped, a different one from byte to byte. Bytes
 * that HDF5 never reads (gaps) may stay unseen. */
static void test_bit_flips(void **state)
{
    (void)state;
    sample *s = make_sample(true, 1, 1, 1, 12);
    write_sample(in_scratch("flip.heb"), s, 1, true);
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("flip.h5"));
    copy_file(in_scratch("flip.heb/part-00000.h5"), path);
    held whole = {.s = s};
    alloc_rows(&s->header, &whole.rows);
    const size_t first = hb_header_row_bytes(&s->header, 0), second = hb_header_row_bytes(&s->header, 1);
    const damage_rows rows[] = {{s->rows[0].c0, first}, {s->rows[0].c0 + first, second}};
    damage_flip(path, is_refused, &whole, rows, 2, first + second + 32 + 32); /* at least rows, seed and sum */
    free_rows(&whole.rows);
    free_sample(s);
}

HB_UNIT(dataset_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unfinished_damage),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_wrong_shards),
        cmocka_unit_test(test_hostile_counts),
        cmocka_unit_test(test_hostile_noise),
        cmocka_unit_test(test_hostile_scheme),
        cmocka_unit_test(test_scheme_of_params),
        cmocka_unit_test(test_unknown_words),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_bit_flips),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
