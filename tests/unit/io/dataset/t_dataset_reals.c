/* Datasets of reals: reading gives the written members, and unsuitable ones are refused. */
#include "unit/dataset_sample.h"

#include <math.h>

#include "table/grouping.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

/* Ciphertexts of reals: every field comes back, the scale is that of the level, half of the words are values. */
static void test_reals(void **state)
{
    (void)state;
    for (int seeded = 0; seeded <= 1; seeded++) {
        sample *s = make_real_sample(seeded == 1, 1300, 3, 2, 31);
        const hb_header *h = &s->header;
        assert_true(h->cells == HB_CELL_REAL && h->form == HB_NTT_FORM && h->capacity == 512 && h->ciphertexts == 9);
        /* S_1 = sqrt(2^38 q_1), in numbers of 64 bits */
        const long double exact = sqrtl(0x1p38L * 274877562881.0L);
        assert_true(h->scale == (double)exact);
        write_sample(in_scratch("real.heb"), s, 2, true);
        check_dataset(in_scratch("real.heb"), s, 2);
        if (seeded == 0) {
            evaluate_sample(s, 20480, 10240, false);
            write_sample(in_scratch("real.heb"), s, 3, true);
            check_dataset(in_scratch("real.heb"), s, 3);
        }
        s->header.schema.column[1].cells = HB_CELL_INTEGER;
        hb_shard_writer *shard;
        assert_ok(begin_dataset(in_scratch("mixed.heb"), true));
        assert_refused(hb_shard_create(in_scratch("mixed.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                       "its columns are not those of a table of reals");
        hb_dataset_abandon(in_scratch("mixed.heb"));
        free_sample(s);
    }
}

/* Rows in blocks: their size comes back, and is checked against the columns. */
static void test_blocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t block;
        const char *says;
    } cases[] = {{3, "a block is a power of two"},
                 {2, "a block is a power of two"},
                 {1024, "512 at most"},
                 {8, "its table fills 6 ciphertexts, but it says 3"}};
    hb_dataset *dataset;
    sample *s = make_real_sample(false, 384, 3, 2, 31);
    s->header.order = HB_PACK_ROWS;
    s->header.block = 4; /* 128 rows a ciphertext */
    evaluate_sample(s, 20480, 10240, false);
    write_sample(in_scratch("rows.heb"), s, 1, true);
    check_dataset(in_scratch("rows.heb"), s, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sample(in_scratch("rows.heb"), s, 1, true);
        tamper(in_scratch("rows.heb/index.h5"), "/table", "block", cases[i].block);
        assert_refused(hb_dataset_open(in_scratch("rows.heb"), &dataset), HB_EDATA, cases[i].says);
    }
    free_sample(s);
}

/* Another scheme, form, type, width or sign, a scale that is not the level's, ranges of no numbers. */
static void test_hostile_reals(void **state)
{
    (void)state;
    hb_dataset *dataset;
    sample *s = make_real_sample(true, 1300, 2, 2, 13);
    const double scale = s->header.scale,
                 scales[] = {0, 1, nextafter(scale, 0), nextafter(scale, INFINITY), -scale, NAN, INFINITY, 0x1p38};
    const struct {
        const char *group, *name, *text, *says;
    } words[] = {{"/ct", "scheme", "bfv", "its ciphertexts are of bfv, its parameters of ckks"},
                 {"/ct", "form", "coefficient", "its ciphertexts are of a form that those of ckks have not"},
                 {"/table", "cells", "integer", "its cells are of a type that ckks does not encrypt"},
                 {"/params", "scheme", "bfv", "index.h5"}};
    const struct {
        const char *group, *name;
        uint64_t value;
        const char *says;
    } numbers[] = {{"/table", "width", 4, "its columns are not those of a table of reals"},
                   {"/table/signed", NULL, 1, "its columns are not those of a table of reals"},
                   {"/ct", "capacity", 1024, "ciphertexts of 1024 values, where ckks holds 512"},
                   {"/ct", "limbs", 1, "its scale is"},
                   {"/params/primes", NULL, 1125899904679938, "index.h5"},
                   {"/params/scale_bits", NULL, 37, "index.h5"},
                   {"/params/scale_bits", NULL, 64, "index.h5"},
                   {"/params/like_seal", NULL, 1, "index.h5"},
                   {"/table/least", NULL, 0x7ff8000000000000, "the range of the values of column 1 is none"},
                   {"/table/least", NULL, 0xfff0000000000000, "the range of the values of column 1 is none"},
                   {"/table/most", NULL, 0x7ff0000000000000, "the range of the values of column 1 is none"},
                   {"/table/most", NULL, 0xc050000000000000, "the range of the values of column 1 is none"},
                   {"/table/most", NULL, 0x4060000000000001, "does not match its digest"}};
    assert_true(scale != 0x1p38 && fabs(scale / 0x1p38 - 1) < 1e-4);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        write_sample(in_scratch("real.heb"), s, 1, true);
        tamper_scale(in_scratch("real.heb/index.h5"), scales[i]);
        assert_refused(hb_dataset_open(in_scratch("real.heb"), &dataset), HB_EDATA, "index.h5: its scale is");
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        write_sample(in_scratch("real.heb"), s, 1, true);
        tamper_text(in_scratch("real.heb/index.h5"), words[i].group, words[i].name, words[i].text);
        assert_refused(hb_dataset_open(in_scratch("real.heb"), &dataset), HB_EDATA, words[i].says);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        write_sample(in_scratch("real.heb"), s, 1, true);
        if (numbers[i].name != NULL) {
            tamper(in_scratch("real.heb/index.h5"), numbers[i].group, numbers[i].name, numbers[i].value);
        } else {
            tamper_dataset(in_scratch("real.heb/index.h5"), numbers[i].group, numbers[i].value);
        }
        assert_refused(hb_dataset_open(in_scratch("real.heb"), &dataset), HB_EDATA, numbers[i].says);
    }
    free_sample(s);
}

/* How errors of reals are spread over slots is read again, and changes are refused. */
static void test_hostile_spread(void **state)
{
    (void)state;
    sample *s = make_real_sample(false, 1300, 2, 2, 13);
    hb_header_quality(&s->header, (hb_quality){.worst = 30, .expected = 20, .norm = 25.0001, .peak = 21, .powers = 1});
    hb_header_digest(s->digest, &s->header);
    hb_dataset *dataset;
    write_sample(in_scratch("spread.heb"), s, 1, true);
    assert_int_equal(hb_dataset_open(in_scratch("spread.heb"), &dataset), HB_OK);
    const hb_quality read = hb_dataset_header(dataset)->quality;
    assert_true(read.norm == 25 + 0x1p-10 && read.peak == 21 && read.worst == 30 && read.expected == 20);
    hb_dataset_close(dataset);
    const struct {
        const char *name;
        uint64_t value;
    } cases[] = {{"noise_norm", 25600}, {"noise_norm", UINT64_MAX}, {"noise_peak", 0}, {"noise_peak", UINT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_sample(in_scratch("spread.heb"), s, 1, true);
        tamper(in_scratch("spread.heb/part-00000.h5"), "/ct", cases[i].name, cases[i].value);
        assert_refused(hb_dataset_open(in_scratch("spread.heb"), &dataset), HB_EDATA, "part-00000.h5");
    }
    free_sample(s);
}

/* Columns of a pair, and of complex numbers: reading gives the written members, every field is in the digest, and
 * unsuitable ones are refused. */
static void test_halves(void **state)
{
    (void)state;
    sample *s = make_real_sample(true, 1300, 3, 2, 31);
    hb_column *column = s->header.schema.column;
    column[0].halves = HB_HALVES_PAIR;
    column[0].least = hb_real_word(-128);
    column[0].part[0] = strdup("left");
    column[0].part[1] = strdup("r\xc3\xa9");
    column[1].halves = HB_HALVES_COMPLEX;
    digest_sample(s);
    const char *path = in_scratch("halves.heb"), *index = in_scratch("halves.heb/index.h5");
    hb_dataset *dataset;
    write_sample(path, s, 2, true);
    check_dataset(path, s, 2);
    assert_ok(hb_dataset_open(path, &dataset));
    const hb_column *read = hb_dataset_header(dataset)->schema.column;
    assert_true(read[0].halves == HB_HALVES_PAIR && read[1].halves == HB_HALVES_COMPLEX &&
                read[2].halves == HB_HALVES_REAL && read[1].part[0] == NULL);
    assert_string_equal(read[0].part[0], "left");
    assert_string_equal(read[0].part[1], "r\xc3\xa9");
    hb_dataset_close(dataset);
    const struct {
        const char *group;
        uint64_t value;
        const char *says;
    } cases[] = {{"/table/halves", 3, "column 1 is neither real nor complex nor a pair"},
                 {"/table/halves", 255, "column 1 is neither real nor complex nor a pair"},
                 {"/table/halves", HB_HALVES_COMPLEX, "does not match its digest"},
                 {"/table/halves", HB_HALVES_REAL, "does not match its digest"},
                 {"/table/least", 0xc050000000000000, "column 1 has complex numbers, or a pair of columns"},
                 {"/table/parts", 0, "column 1 has complex numbers, or a pair of columns"},
                 {"/table/parts", 'L', "does not match its digest"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sample(path, s, 1, true);
        tamper_dataset(index, cases[i].group, cases[i].value);
        assert_refused(hb_dataset_open(path, &dataset), HB_EDATA, cases[i].says);
    }
    /* A file that says nothing of them has another digest. */
    write_sample(path, s, 1, true);
    const hid_t file = H5Fopen(index, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && H5Ldelete(file, "/table/halves", H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
    assert_int_equal(hb_dataset_open(path, &dataset), HB_EDATA);
    /* Neither integers nor coefficients have halves. */
    hb_shard_writer *shard;
    s->header.schema.column[1].halves = HB_HALVES_REAL;
    hb_header_set_scheme(&s->header, &s->header.spec, HB_ENCODE_COEFFICIENTS);
    s->header.ciphertexts = 6;
    assert_ok(begin_dataset(in_scratch("no.heb"), true));
    assert_refused(hb_shard_create(in_scratch("no.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                   "column 1 has complex numbers, or a pair of columns");
    hb_dataset_abandon(in_scratch("no.heb"));
    free_sample(s);
}

/* Meanings of columns: reading gives the written ones, every field is in the digest, and impossible ones are
 * refused. */
static void test_meanings(void **state)
{
    (void)state;
    static const char *const text[] = {"m", "f", "d\xc3\xa9"}, *const more[] = {"abcdefgh"};
    sample *s = make_real_sample(false, 1300, 4, 2, 31);
    hb_column *column = s->header.schema.column;
    column[0].meaning.kind = HB_MEANING_BOOL;
    column[1].meaning.kind = HB_MEANING_CATEGORY;
    column[2].meaning.kind = HB_MEANING_DATE;
    column[3].meaning.kind = HB_MEANING_CATEGORY;
    assert_ok(hb_labels_make(text, 3, &column[1].meaning.labels));
    assert_ok(hb_labels_make(more, 1, &column[3].meaning.labels));
    digest_sample(s);
    const char *path = in_scratch("meanings.heb"), *index = in_scratch("meanings.heb/index.h5");
    hb_dataset *dataset;
    write_sample(path, s, 2, true);
    check_dataset(path, s, 2);
    assert_ok(hb_dataset_open(path, &dataset));
    for (int c = 0; c < 4; c++) {
        assert_true(hb_meaning_same(&hb_dataset_header(dataset)->schema.column[c].meaning, &column[c].meaning));
    }
    hb_dataset_close(dataset);
    const struct {
        const char *group;
        uint64_t value;
        const char *says;
    } cases[] = {{"/table/meaning", 13, "what the numbers of column 1 stand for is not known"},
                 {"/table/meaning", HB_MEANING_CATEGORY, "what the numbers of column 1 stand for is not known"},
                 {"/table/meaning", HB_MEANING_DATE, "does not match its digest"},
                 {"/table/meaning", HB_MEANING_NUMBER, "does not match its digest"},
                 {"/table/scale", 10, "what the numbers of column 1 stand for is not known"},
                 {"/table/scale", UINT64_MAX, "what the numbers of column 1 stand for is not known"},
                 {"/table/label_counts", 1, "4 labels of 8 bytes, where columns have 5"},
                 {"/table/label_counts", UINT64_MAX, "too many labels"},
                 {"/table/label_counts", HB_MOST_LABELS, "4 labels of 8 bytes, where columns have"},
                 {"/table/labels", 'f', "two labels of a category are the same"},
                 {"/table/labels", 0, "label 1 of a category is empty"},
                 {"/table/labels", 'x', "does not match its digest"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sample(path, s, 1, true);
        tamper_dataset(index, cases[i].group, cases[i].value);
        assert_refused(hb_dataset_open(path, &dataset), HB_EDATA, cases[i].says);
    }
    write_sample(path, s, 1, true);
    const hid_t file = H5Fopen(index, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && H5Ldelete(file, "/table/meaning", H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
    assert_refused(hb_dataset_open(path, &dataset), HB_EDATA, "does not match its digest");
    /* A scale is one of integers. */
    hb_shard_writer *shard;
    column[0].meaning = (hb_meaning){.scale = 10};
    assert_ok(begin_dataset(in_scratch("no.heb"), true));
    assert_refused(hb_shard_create(in_scratch("no.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                   "the numbers of column 1 cannot stand for what they are said to");
    hb_dataset_abandon(in_scratch("no.heb"));
    free_sample(s);
}

/* The meanings of totals of groups are stored, and covered by the digest. */
static void test_groups(void **state)
{
    (void)state;
    static const char *const names[] = {"sum", "mean"};
    sample *s = make_real_sample(true, 1, 4, 2, 31);
    hb_grouping *g;
    assert_ok(hb_grouping_alloc(2, 2, 2, &g));
    g->rows = 77;
    g->parts = 2;
    for (int i = 0; i < 2; i++) {
        g->keys.column[i].name = strdup(i == 0 ? "flag" : "day");
        g->column[i].name = strdup(names[i]);
        g->values[i] = (uint64_t)i;
        g->values[2 + i] = UINT64_MAX;
    }
    g->keys.column[1].meaning.kind = HB_MEANING_DATE;
    g->keys.column[1].is_signed = true;
    g->column[1].epilogue = &hb_epilogue_mean;
    g->column[1].part[1] = 1;
    assert_ok(hb_grouping_alloc_counts(g, 3));
    g->counts[5] = 1000;
    s->header.schema.grouping = g;
    s->header.schema.rank = 2;
    digest_sample(s);
    const char *path = in_scratch("groups.heb"), *index = in_scratch("groups.heb/index.h5");
    hb_dataset *dataset;
    write_sample(path, s, 1, true);
    check_dataset(path, s, 1);
    assert_ok(hb_dataset_open(path, &dataset));
    const hb_grouping *read = hb_dataset_header(dataset)->schema.grouping;
    assert_true(read->rows == 77 && read->parts == 2 && read->keys.rows == 2 && read->keys.columns == 2);
    assert_true(read->values[2] == UINT64_MAX && read->values[1] == 1 && read->column[1].epilogue == &hb_epilogue_mean);
    assert_true(read->counted == 3 && read->counts[4] == 0 && read->counts[5] == 1000);
    assert_string_equal(read->keys.column[1].name, "day");
    assert_string_equal(read->column[1].name, "mean");
    assert_true(read->keys.column[1].is_signed && read->keys.column[1].meaning.kind == HB_MEANING_DATE);
    hb_dataset_close(dataset);
    const struct {
        const char *at;
        uint64_t value;
        const char *says;
    } cases[] = {{"/table/groups/kind", UINT8_MAX, "its groups are not those of its columns"},
                 {"/table/groups/part", 5, "its groups are not those of its columns"},
                 {"/table/groups/part", 1, "does not match its digest"},
                 {"/table/groups/counts", 5, "does not match its digest"},
                 {"/table/groups/keys/values", 5, "does not match its digest"},
                 {"/table/groups/names", 0, "its groups are not those of its columns"},
                 {"/table/groups/keys/names", 'x', "does not match its digest"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sample(path, s, 1, true);
        tamper_dataset(index, cases[i].at, cases[i].value);
        assert_refused(hb_dataset_open(path, &dataset), HB_EDATA, cases[i].says);
    }
    free_sample(s);
}

/* Columns that are digits of one number: all of them, in their order. */
static void test_digits(void **state)
{
    (void)state;
    static const char *const names[] = {"v", "a.b.2", "a.b.1", "a.b.0"};
    sample *s = make_sample_of(2, true, 5, 4, 1, 12);
    hb_column *column = s->header.schema.column;
    for (int c = 0; c < 4; c++) {
        free(column[c].name);
        column[c].name = strdup(names[c]);
        column[c].digit_base = c > 0 ? 256 : 0;
        column[c].digits = c > 0 ? 3 : 0;
    }
    digest_sample(s);
    const char *path = in_scratch("digits.heb"), *index = in_scratch("digits.heb/index.h5");
    hb_dataset *dataset;
    write_sample(path, s, 1, true);
    check_dataset(path, s, 1);
    assert_ok(hb_dataset_open(path, &dataset));
    const hb_column *read = hb_dataset_header(dataset)->schema.column;
    size_t stem = 0;
    assert_int_equal(hb_columns_digits(read + 1, 3, &stem), 3);
    assert_int_equal(stem, 3);
    assert_true(hb_columns_digits(read, 4, &stem) == 0 && hb_columns_digits(read + 1, 2, &stem) == 0);
    assert_true(hb_columns_digits(read + 2, 2, &stem) == 0);
    hb_dataset_close(dataset);
    const char *const others[] = {"a.b.3", "a.c.1", "a.b.01", "1", "a.b.", ".1", "a.b.x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        free(column[2].name);
        column[2].name = strdup(others[i]);
        assert_true(hb_columns_digits(column + 1, 3, &stem) == 0);
    }
    assert_true(hb_digits_are_possible(2, 128) && !hb_digits_are_possible(2, 129) && !hb_digits_are_possible(1, 1));
    assert_true(hb_digits_are_possible(65536, 8) && !hb_digits_are_possible(65536, 9));
    assert_true(!hb_digits_are_possible(65537, 1) && !hb_digits_are_possible(0, 1) && !hb_digits_are_possible(2, 0));
    const struct {
        const char *at, *says;
        uint64_t value;
    } cases[] = {{"/table/digit_base", "of what column 1 is a digit is not known", 16},
                 {"/table/digits", "of what column 1 is a digit is not known", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sample(path, s, 1, true);
        tamper_dataset(index, cases[i].at, cases[i].value);
        assert_refused(hb_dataset_open(path, &dataset), HB_EDATA, cases[i].says);
    }
    column[0].digit_base = 16;
    column[0].digits = 2;
    digest_sample(s);
    write_sample(path, s, 1, true);
    tamper_dataset(index, "/table/digits", 3);
    assert_refused(hb_dataset_open(path, &dataset), HB_EDATA, "does not match its digest");
    free_sample(s);
}

HB_UNIT(dataset_reals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reals),         cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_hostile_reals), cmocka_unit_test(test_hostile_spread),
                                       cmocka_unit_test(test_halves),        cmocka_unit_test(test_meanings),
                                       cmocka_unit_test(test_groups),        cmocka_unit_test(test_digits)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
