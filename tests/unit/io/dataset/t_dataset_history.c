/* Datasets that came under another key: what their files say of it, and damage to that. */
#include "unit/damage.h"
#include "unit/dataset_sample.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

static void fill_history(hb_header_past *past, uint32_t steps)
{
    past->steps = steps;
    for (uint32_t i = 0; i < steps; i++) {
        memset(past->key_id[i], (int)(0x10 + i), sizeof past->key_id[i]);
        memset(past->data_sum[i], (int)(0x40 + i), sizeof past->data_sum[i]);
        past->what[i] = i % 2 == 0 ? HB_HISTORY_REKEY : HB_HISTORY_PARTS;
    }
}

static sample *make(uint32_t steps)
{
    sample *s = make_sample(false, 3000, 2, 2, 9);
    fill_history(&s->header.past, steps);
    evaluate_sample(s, 51201, 30719, false);
    return s;
}

static bool same_history(const hb_header_past *a, const hb_header_past *b)
{
    return a->steps == b->steps && memcmp(a->key_id, b->key_id, a->steps * sizeof *a->key_id) == 0 &&
           memcmp(a->data_sum, b->data_sum, a->steps * sizeof *a->data_sum) == 0 &&
           memcmp(a->what, b->what, a->steps * sizeof *a->what) == 0;
}

/* The last steps stay, in their order. */
static void steps_are_added(void **state)
{
    (void)state;
    hb_header_past past = {.steps = 0};
    uint8_t key_id[HB_KEY_ID_BYTES], sum[HB_DIGEST_BYTES];
    enum { STEPS = HB_HISTORY_MOST + 3 };
    for (uint32_t i = 0; i < STEPS; i++) {
        memset(key_id, (int)i, sizeof key_id);
        memset(sum, (int)i + 128, sizeof sum);
        hb_history_add(&past, i % 3 == 0 ? HB_HISTORY_PARTS : HB_HISTORY_REKEY, key_id, sum);
        const uint32_t steps = i < HB_HISTORY_MOST ? i + 1 : HB_HISTORY_MOST, first = i + 1 - steps;
        assert_int_equal(past.steps, steps);
        for (uint32_t k = 0; k < steps; k++) {
            assert_int_equal(past.key_id[k][HB_KEY_ID_BYTES - 1], first + k);
            assert_int_equal(past.data_sum[k][HB_DIGEST_BYTES - 1], first + k + 128);
            assert_int_equal(past.what[k], (first + k) % 3 == 0 ? HB_HISTORY_PARTS : HB_HISTORY_REKEY);
        }
    }
}

static void round_trips(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 2, HB_HISTORY_MOST};
    const char *name = in_scratch("moved.heb");
    hb_dataset *dataset;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        sample *s = make(steps[i]);
        write_sample(name, s, 2, true);
        check_dataset(name, s, 2);
        assert_ok(hb_dataset_open(name, &dataset));
        assert_int_equal(hb_dataset_header(dataset)->version, 11);
        assert_true(same_history(&hb_dataset_header(dataset)->past, &s->header.past));
        hb_dataset_close(dataset);
        free_sample(s);
    }
}

/* With masks and their fills, whose versions say so otherwise. */
static void everything_else_too(void **state)
{
    (void)state;
    const char *name = in_scratch("moved.heb");
    hb_dataset *dataset;
    for (int fill = 0; fill < 2; fill++) {
        sample *s = make_sample(false, 100, 2, 1, 3);
        hb_column *column = s->header.schema.column;
        column[0].mask = 2;
        column[1].full = 1;
        column[0].has_fill = true;
        column[0].fill = fill == 0 ? 0 : 3;
        fill_history(&s->header.past, 1);
        evaluate_sample(s, 51201, 30719, false);
        write_sample(name, s, 1, true);
        check_dataset(name, s, 1);
        assert_ok(hb_dataset_open(name, &dataset));
        const hb_header *read = hb_dataset_header(dataset);
        assert_true(read->version == 11 && read->schema.column[0].mask == 2 &&
                    read->schema.column[0].fill == column[0].fill);
        hb_dataset_close(dataset);
        free_sample(s);
    }
}

/* Packed totals that keep some coefficients alone. */
static void kept_totals(void **state)
{
    (void)state;
    sample *s = make_sample(false, 1, 300, 300, 21);
    hb_header *h = &s->header;
    hb_dataset *dataset;
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_COEFFICIENTS);
    h->order = HB_PACK_ROWS;
    h->ciphertexts = h->unit = 1;
    h->past.computed_limbs = 2;
    h->kept = 512;
    fill_history(&h->past, 1);
    free(s->rows[0].c0);
    free(s->rows[0].c1);
    add_rows(s, 22);
    memset(s->rows[0].c0 + 3456 / 2, 0, 3456 / 2);
    memset(s->rows[0].c0 + 3456 + 1792 / 2, 0, 1792 / 2);
    evaluate_sample(s, 51201, 30719, true);
    write_sample(in_scratch("cut.heb"), s, 1, true);
    check_dataset(in_scratch("cut.heb"), s, 1);
    assert_ok(hb_dataset_open(in_scratch("cut.heb"), &dataset));
    assert_true(hb_dataset_header(dataset)->kept == 512 && hb_dataset_header(dataset)->version == 11);
    hb_dataset_close(dataset);
    free_sample(s);
}

static void unlink_in(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

static void forged(void **state)
{
    (void)state;
    static const struct {
        const char *name; /* a dataset, or NULL: the version */
        uint64_t value;
        const char *why;
    } cases[] = {{"/history/what", 0x66726f6d, "unknown kind"}, /* "morf" */
                 {"/history/what", 0x656b6572, "unknown kind"}, /* "reke" */
                 {NULL, 10, "h5"},
                 {NULL, 4, "digest"},
                 {NULL, 12, "h5: says that it was sanitized, or opened, in a way that cannot be"},
                 {NULL, 13, "version"}};
    static const char *const files[] = {"moved.heb/index.h5", "moved.heb/part-00000.h5"};
    sample *s = make(2);
    hb_dataset *dataset;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s", in_scratch(files[i % 2]));
        write_sample(in_scratch("moved.heb"), s, 1, true);
        if (cases[i / 2].name != NULL) {
            tamper_dataset(path, cases[i / 2].name, cases[i / 2].value);
        } else {
            tamper(path, "/", "version", cases[i / 2].value);
        }
        assert_refused(hb_dataset_open(in_scratch("moved.heb"), &dataset), HB_EDATA, cases[i / 2].why);
    }
    static const char *const names[] = {"/history/key_id", "/history/data_sum", "/history/what", "/history"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s", in_scratch(files[i % 2]));
        write_sample(in_scratch("moved.heb"), s, 1, true);
        unlink_in(path, names[i / 2]);
        assert_refused(hb_dataset_open(in_scratch("moved.heb"), &dataset), HB_EDATA, strrchr(names[i / 2], '/') + 1);
    }
    free_sample(s);
}

static bool is_refused(const char *path, void *context)
{
    const sample *s = context;
    hb_dataset *dataset;
    const hb_status st = hb_dataset_open(in_scratch("moved.heb"), &dataset);
    if (st != HB_OK) {
        assert_true(st == HB_EDATA || st == HB_ENOINPUT);
        return true;
    }
    (void)path;
    assert_true(same_history(&hb_dataset_header(dataset)->past, &s->header.past));
    hb_dataset_close(dataset);
    return false;
}

/* No bit of the index changes the history unseen. */
static void damage(void **state)
{
    (void)state;
    sample *s = make_sample(false, 10, 1, 1, 9);
    fill_history(&s->header.past, 2);
    evaluate_sample(s, 51201, 30719, false);
    write_sample(in_scratch("moved.heb"), s, 1, true);
    char path[256];
    snprintf(path, sizeof path, "%s", in_scratch("moved.heb/index.h5"));
    damage_flip(path, is_refused, s, NULL, 0, 2 * (HB_KEY_ID_BYTES + HB_DIGEST_BYTES));
    free_sample(s);
}

/* Nothing but computed ciphertexts came under another key. */
static void fresh_ones_have_none(void **state)
{
    (void)state;
    sample *s = make_sample(false, 100, 1, 1, 9);
    hb_shard_writer *shard = NULL;
    fill_history(&s->header.past, 1);
    assert_ok(begin_dataset(in_scratch("fresh.heb"), true));
    assert_refused(hb_shard_create(in_scratch("fresh.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                   "it was not computed");
    hb_dataset_abandon(in_scratch("fresh.heb"));
    free_sample(s);
}

HB_UNIT(dataset_history)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_added),      cmocka_unit_test(round_trips), cmocka_unit_test(everything_else_too),
        cmocka_unit_test(kept_totals),          cmocka_unit_test(forged),      cmocka_unit_test(damage),
        cmocka_unit_test(fresh_ones_have_none),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
