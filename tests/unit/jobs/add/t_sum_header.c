/* The header of a sum of datasets: noise, ranges, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "add/sum_header.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

static hb_params *integers, *reals;

static int open_params(void **state)
{
    (void)state;
    hb_params_spec spec, real;
    return hb_params_preset("bfv-4096", &spec) == HB_OK && hb_params_open(&spec, &integers) == HB_OK &&
                   hb_params_preset("ckks-13", &real) == HB_OK && hb_params_open(&real, &reals) == HB_OK
               ? 0
               : -1;
}

static int close_params(void **state)
{
    (void)state;
    hb_params_close(integers);
    hb_params_close(reals);
    return 0;
}

/* One row block of two columns, from 0 to 9 and from -5 to 5; the caller clears. */
static hb_header header_of(const hb_params *params)
{
    hb_header header = {.limbs = params->fresh_limbs, .ciphertexts = 2, .unit = 1};
    hb_header_set_scheme(&header, &params->spec, HB_ENCODE_SLOTS);
    const bool real = header.cells == HB_CELL_REAL;
    assert_int_equal(hb_schema_alloc(&header.schema, 10, 2), HB_OK);
    header.schema.rank = 2;
    header.schema.width = 8;
    header.schema.named = true;
    for (int c = 0; c < 2; c++) {
        hb_column *column = &header.schema.column[c];
        const int64_t least = c == 0 ? 0 : -5, most = c == 0 ? 9 : 5;
        *column = (hb_column){.name = strdup(c == 0 ? "a" : "b"), .cells = header.cells, .ranged = true};
        column->is_signed = c == 1 && !real;
        column->least = real ? hb_real_word((double)least) : (uint64_t)least;
        column->most = real ? hb_real_word((double)most) : (uint64_t)most;
    }
    return header;
}

static hb_sum_header begin(const hb_params *params)
{
    return (hb_sum_header){.params = params};
}

/* The n-th part of the bound, and of the range, is that of one. */
static void test_integers(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    hb_header one = header_of(integers);
    hb_sum_header sum = begin(integers);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(hb_sum_header_add(&sum, &one, "x.heb"), HB_OK);
    }
    const double fresh = hb_quality_fresh(integers, true, HB_BINOMIAL).worst;
    assert_true(fabs(sum.quality.worst - (fresh + log2(COUNT))) < 1e-6);
    hb_sum_header_end(&sum, 2);
    assert_true(sum.header.quality.worst >= fresh + log2(COUNT) &&
                sum.header.quality.worst < fresh + log2(COUNT) + 0.01);
    assert_int_equal(sum.header.made_by, HB_MADE_EVALUATED);
    assert_int_equal(sum.header.unit, 2);
    const hb_column *a = &sum.header.schema.column[0], *b = &sum.header.schema.column[1];
    assert_true(a->ranged && b->ranged && !a->may_wrap);
    assert_int_equal(a->least, 0);
    assert_int_equal(a->most, 9 * COUNT);
    assert_int_equal((int64_t)b->least, -5 * COUNT);
    assert_int_equal(b->most, 5 * COUNT);
    assert_true(!a->is_signed && b->is_signed);
    assert_string_equal(a->name, "a");
    assert_string_equal(b->name, "b");
    hb_sum_header_clear(&sum);
    hb_header_clear(&one);
}

static void test_reals(void **state)
{
    (void)state;
    hb_header one = header_of(reals);
    hb_sum_header sum = begin(reals);
    double first = 0;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(hb_sum_header_add(&sum, &one, "x.heb"), HB_OK);
        first = i == 0 ? sum.quality.worst : first;
    }
    assert_true(fabs(sum.quality.worst - (first + log2(100))) < 1e-6);
    const hb_column *b = &sum.header.schema.column[1];
    assert_true(hb_real_of(b->least) <= -500 && hb_real_of(b->least) > -501);
    assert_true(hb_real_of(b->most) >= 500 && hb_real_of(b->most) < 501);
    hb_sum_header_clear(&sum);
    hb_header_clear(&one);
}

/* Adds `other` to a sum of one. */
static hb_status add_other(const hb_params *params, const hb_header *other, const char *words)
{
    hb_header one = header_of(params);
    hb_sum_header sum = begin(params);
    assert_int_equal(hb_sum_header_add(&sum, &one, "one.heb"), HB_OK);
    const hb_status st = hb_sum_header_add(&sum, other, "other.heb");
    if (st != HB_OK) {
        assert_non_null(strstr(hb_last_error()->text, words));
        assert_non_null(strstr(hb_last_error()->text, "other.heb"));
        assert_int_equal(sum.count, 1);
    }
    hb_sum_header_clear(&sum);
    hb_header_clear(&one);
    return st;
}

static void test_noise(void **state)
{
    (void)state;
    hb_header other = header_of(integers);
    double worst = 1;
    while (hb_quality_bits(integers, other.limbs, worst + 0.125) >= 1) {
        worst += 0.125;
    }
    /* A dataset that barely decrypts has room for a fresh one, and not for itself once more. */
    hb_header_quality(&other, (hb_quality){.worst = worst - 0.125, .expected = 1});
    hb_sum_header sum = begin(integers);
    assert_int_equal(add_other(integers, &other, ""), HB_OK);
    assert_int_equal(hb_sum_header_add(&sum, &other, "other.heb"), HB_OK);
    assert_int_equal(hb_sum_header_add(&sum, &other, "again.heb"), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "again.heb"));
    hb_sum_header_clear(&sum);
    hb_header_clear(&other);
}

static void test_wraps(void **state)
{
    (void)state;
    hb_header one = header_of(integers);
    one.schema.column[0].most = 500000;
    for (int wrap = 0; wrap <= 1; wrap++) {
        hb_sum_header sum = begin(integers);
        sum.wrap = wrap == 1;
        assert_int_equal(hb_sum_header_add(&sum, &one, "one.heb"), HB_OK);
        assert_int_equal(hb_sum_header_add(&sum, &one, "two.heb"), HB_OK);
        assert_int_equal(hb_sum_header_add(&sum, &one, "three.heb"), wrap == 1 ? HB_OK : HB_EDATA);
        assert_int_equal(sum.header.schema.column[0].may_wrap, wrap);
        assert_int_equal(sum.header.schema.column[0].ranged, 1 - wrap);
        assert_true(sum.header.schema.column[1].ranged);
        hb_sum_header_clear(&sum);
    }
    hb_header_clear(&one);
}

static void test_refused(void **state)
{
    (void)state;
    hb_header other = header_of(integers);
    other.limbs--;
    assert_int_equal(add_other(integers, &other, "limbs"), HB_EDATA);
    other.limbs++;
    other.key_id[3]++;
    assert_int_equal(add_other(integers, &other, "key"), HB_EDATA);
    other.key_id[3]--;
    other.schema.column[1].name[0] = 'c';
    assert_int_equal(add_other(integers, &other, "other names"), HB_EDATA);
    other.schema.column[1].name[0] = 'b';
    other.schema.column[0].meaning.kind = HB_MEANING_DATE;
    assert_int_equal(add_other(integers, &other, "means something else"), HB_EDATA);
    other.schema.column[0].meaning.kind = HB_MEANING_NUMBER;
    other.schema.rows++;
    assert_int_equal(add_other(integers, &other, "rows"), HB_EDATA);
    other.schema.rows--;
    const uint64_t rows = other.schema.rows;
    other.schema.rows = 1; /* of which expressions make one in all rows */
    assert_int_equal(add_other(integers, &other, "rows"), HB_EDATA);
    other.schema.rows = rows;
    other.order = HB_PACK_ROWS;
    assert_int_equal(add_other(integers, &other, "packing"), HB_EDATA);
    other.order = HB_PACK_COLUMNS;
    assert_int_equal(add_other(integers, &other, ""), HB_OK);
    hb_header_clear(&other);
}

HB_UNIT(sum_header)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_integers), cmocka_unit_test(test_reals),
                                       cmocka_unit_test(test_noise), cmocka_unit_test(test_wraps),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("sum_header", tests, open_params, close_params);
}
