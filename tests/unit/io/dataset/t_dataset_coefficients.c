/* Ciphertexts of one row whose numbers are coefficients: totals, some of whose coefficients are kept or that stand in
 * reverse, and a row that is spread. Headers that say so of others are refused. */
#include "unit/dataset_sample.h"

#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

/* 300 totals, of which component 0 has 512 coefficients of 1024 in the file: those behind them read as 0. */
static sample *make_totals(void)
{
    sample *s = make_sample(false, 1, 300, 300, 21);
    hb_header *h = &s->header;
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_COEFFICIENTS);
    h->order = HB_PACK_ROWS;
    h->ciphertexts = h->unit = 1;
    h->past.computed_limbs = 2;
    h->kept = 512;
    assert_int_equal(hb_header_ciphertext_bytes(h), (3456 + 1792) / 2 + 3456 + 1792);
    free(s->rows[0].c0);
    free(s->rows[0].c1);
    add_rows(s, 22);
    memset(s->rows[0].c0 + 3456 / 2, 0, 3456 / 2);
    memset(s->rows[0].c0 + 3456 + 1792 / 2, 0, 1792 / 2);
    evaluate_sample(s, 51201, 30719, true);
    return s;
}

static void test_cut(void **state)
{
    (void)state;
    sample *s = make_totals();
    hb_dataset *dataset;
    write_sample(in_scratch("cut.heb"), s, 1, true);
    check_dataset(in_scratch("cut.heb"), s, 1);
    free(read_virtual(in_scratch("cut.heb"), "/ct/c0/q00", 3456 / 2));
    free(read_virtual(in_scratch("cut.heb"), "/ct/c1/q00", 3456));
    assert_ok(hb_dataset_open(in_scratch("cut.heb"), &dataset));
    assert_true(hb_dataset_header(dataset)->kept == 512 && hb_dataset_header(dataset)->version == 9);
    hb_dataset_close(dataset);
    static const struct {
        const char *group, *name;
        uint64_t value;
    } cases[] = {{"/ct", "kept", 0},           {"/ct", "kept", 256},  {"/ct", "kept", 511},
                 {"/ct", "kept", 768},         {"/ct", "kept", 1024}, {"/ct", "kept", UINT64_MAX},
                 {"/ct", "kept", 0x100000200}, {"/table", "rows", 2}, {"/", "version", 8},
                 {"/", "version", 10},         {"/", "version", 11},  {"/", "version", 12}};
    static const char *const files[] = {"cut.heb/index.h5", "cut.heb/part-00000.h5"};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        write_sample(in_scratch("cut.heb"), s, 1, true);
        tamper(in_scratch(files[i % 2]), cases[i / 2].group, cases[i / 2].name, cases[i / 2].value);
        assert_refused(hb_dataset_open(in_scratch("cut.heb"), &dataset), HB_EDATA, files[i % 2] + strlen("cut.heb/"));
    }
    /* With masks as well: the version says the one, a dataset in the file the other. */
    s->header.schema.column[0].mask = 300;
    s->header.schema.column[299].full = 1;
    digest_sample(s);
    write_sample(in_scratch("cut.heb"), s, 1, true);
    check_dataset(in_scratch("cut.heb"), s, 1);
    free_sample(s);
}

/* A row that is spread is one, by rows without blocks, and stands in no slots. */
static void test_spread(void **state)
{
    (void)state;
    enum { ORDER, BLOCK, ROWS, FILLED, LEFT_OUT, CASES };
    sample *s = make_totals();
    hb_dataset *dataset;
    s->header.encoding = HB_ENCODE_SPREAD;
    s->header.past.computed_limbs = s->header.kept = 0;
    free(s->rows[0].c0);
    free(s->rows[0].c1);
    add_rows(s, 22);
    digest_sample(s);
    write_sample(in_scratch("cut.heb"), s, 1, true);
    check_dataset(in_scratch("cut.heb"), s, 1);
    for (int i = 0; i < CASES; i++) {
        const hb_header right = s->header;
        hb_header *h = &s->header;
        h->order = i == ORDER ? HB_PACK_COLUMNS : h->order;
        h->block = i == BLOCK ? 512 : h->block;
        h->schema.rows = i == ROWS ? 2 : h->schema.rows;
        h->filled = i == FILLED;
        h->schema.left_out.rows = i == LEFT_OUT ? 1 : 0;
        assert_ok(begin_dataset(in_scratch("cut.heb"), true));
        hb_shard_writer *shard = NULL;
        assert_refused(hb_shard_create(in_scratch("cut.heb"), h, 0, 0, 1, &shard), HB_EDATA,
                       "numbers of one row, to be spread, and it has no such row");
        s->header = right;
    }
    static const struct {
        const char *group, *name, *text;
    } words[] = {{"/table", "order", "columns"}, {"/table", "encoding", "spread"}, {"/table", "encoding", "slots"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        write_sample(in_scratch("cut.heb"), s, 1, true);
        tamper_text(in_scratch("cut.heb/index.h5"), words[i].group, words[i].name, words[i].text);
        assert_refused(hb_dataset_open(in_scratch("cut.heb"), &dataset), HB_EDATA, "index.h5");
    }
    free_sample(s);
}

/* In reverse there is one row of totals that was computed. */
static void test_reversed(void **state)
{
    (void)state;
    enum { ORDER, BLOCK, ROWS, MAKER, CASES };
    sample *s = make_totals();
    hb_dataset *dataset;
    s->header.encoding = HB_ENCODE_REVERSED;
    digest_sample(s);
    write_sample(in_scratch("cut.heb"), s, 1, true);
    check_dataset(in_scratch("cut.heb"), s, 1);
    for (int i = 0; i < CASES; i++) {
        const hb_header right = s->header;
        hb_header *h = &s->header;
        h->order = i == ORDER ? HB_PACK_COLUMNS : h->order;
        h->block = i == BLOCK ? 512 : h->block;
        h->schema.rows = i == ROWS ? 2 : h->schema.rows;
        h->made_by = i == MAKER ? HB_MADE_IMPORTED : h->made_by;
        assert_ok(begin_dataset(in_scratch("cut.heb"), true));
        hb_shard_writer *shard = NULL;
        assert_refused(hb_shard_create(in_scratch("cut.heb"), h, 0, 0, 1, &shard), HB_EDATA,
                       "totals, in reverse, and it has none");
        s->header = right;
    }
    static const struct {
        const char *group, *name, *text;
    } words[] = {{"/table", "order", "columns"},
                 {"/ct", "made_by", "import"},
                 {"/ct", "scheme", "ckks"},
                 {"/table", "encoding", "slots"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        write_sample(in_scratch("cut.heb"), s, 1, true);
        tamper_text(in_scratch("cut.heb/index.h5"), words[i].group, words[i].name, words[i].text);
        assert_refused(hb_dataset_open(in_scratch("cut.heb"), &dataset), HB_EDATA, "index.h5");
    }
    free_sample(s);
}

HB_UNIT(dataset_coefficients)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_reversed),
        cmocka_unit_test(test_spread),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
