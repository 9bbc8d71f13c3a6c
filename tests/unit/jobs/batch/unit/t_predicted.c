/* Predicted noise budgets, and the warning when less was measured than is proven. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "batch/unit/predicted.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

static hb_params *params;

static int open_params(void **state)
{
    (void)state;
    hb_params_spec spec;
    return hb_params_preset("bfv-8192", &spec) == HB_OK && hb_params_open(&spec, &params) == HB_OK ? 0 : -1;
}

static int close_params(void **state)
{
    (void)state;
    hb_params_close(params);
    return 0;
}

static hb_header header_of(bool seeded)
{
    return (hb_header){.spec = params->spec, .limbs = params->data_limbs, .seeded = seeded};
}

/* Fresh ones: with each distribution of errors, and each kind of key in the header. */
static void test_fresh(void **state)
{
    (void)state;
    for (int seeded = 0; seeded <= 1; seeded++) {
        const hb_header header = header_of(seeded == 1);
        const hb_predicted bits = hb_predicted_budget(params, &header);
        const hb_distribution errors[] = {HB_GAUSSIAN, HB_BINOMIAL};
        for (size_t i = 0; i < 2; i++) {
            const hb_quality fresh = hb_quality_fresh(params, seeded == 0, errors[i]);
            assert_true(hb_predicted_quality(params, &header).worst >= fresh.worst);
            assert_true(bits.worst <= hb_quality_bits(params, params->data_limbs, fresh.worst));
        }
        assert_true(bits.worst > 0 && bits.expected >= bits.worst);
    }
    const hb_header secret = header_of(true), public = header_of(false);
    assert_true(hb_predicted_budget(params, &secret).worst > hb_predicted_budget(params, &public).worst);
}

static void test_evaluated(void **state)
{
    (void)state;
    hb_header header = header_of(false);
    hb_header_quality(&header, (hb_quality){.worst = 100.25, .expected = 80});
    header.limbs = 3;
    const hb_predicted bits = hb_predicted_budget(params, &header);
    assert_true(bits.worst == hb_quality_bits(params, 3, 100.25));
    assert_true(bits.expected == hb_quality_bits(params, 3, 80) && bits.expected > bits.worst);
}

/* Bytes that judging writes to stderr. */
static size_t judged(hb_predicted predicted, hb_quality_measured measured, char *text, size_t most)
{
    const hb_group alone = {.size = 1};
    const int before = dup(STDERR_FILENO);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    hb_predicted_judge(&alone, "some.heb", predicted, &measured);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    const ssize_t got = read(ends[0], text, most - 1);
    close(ends[0]);
    assert_true(got >= 0);
    text[got] = '\0';
    return (size_t)got;
}

static void test_judge(void **state)
{
    (void)state;
    char text[512];
    const hb_predicted predicted = {.worst = 30, .expected = 40};
    assert_int_equal(judged(predicted, hb_quality_measured_none, text, sizeof text), 0);
    assert_int_equal(judged(predicted, (hb_quality_measured){.count = 5, .sum = 200, .least = 30}, text, sizeof text),
                     0);
    assert_true(judged(predicted, (hb_quality_measured){.count = 5, .sum = 200, .least = 29}, text, sizeof text) > 0);
    assert_non_null(strstr(text, "some.heb: 29 BITS"));
    assert_non_null(strstr(text, "30 ARE PROVEN"));
}

/* Reals: the larger their range, the more doubles add; estimates from values are judged. */
static void test_reals(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *ckks;
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &ckks), HB_OK);
    hb_column column = {.cells = HB_CELL_REAL, .ranged = true};
    hb_header header = {.limbs = ckks->data_limbs, .seeded = true, .schema = {.columns = 1, .column = &column}};
    hb_header_set_scheme(&header, &ckks->spec, HB_ENCODE_SLOTS);
    double before = INFINITY;
    for (int bits = 0; bits <= 21; bits += 7) {
        column.least = hb_real_word(-ldexp(1, bits));
        column.most = hb_real_word(ldexp(1, bits - 1));
        const hb_predicted found = hb_predicted_budget(ckks, &header);
        assert_true(found.worst < before && found.worst > 5 && found.expected > found.worst);
        assert_true(hb_predicted_tolerance(found) == exp2(-found.worst));
        before = found.worst;
    }
    column = (hb_column){.cells = HB_CELL_REAL}; /* of which nothing is known: as large as they can be */
    assert_true(hb_predicted_budget(ckks, &header).worst < before);
    hb_params_close(ckks);

    char text[512];
    const hb_predicted predicted = {.scheme = HB_CKKS, .cells = HB_CELL_REAL, .worst = 20.5, .expected = 28};
    hb_quality_measured measured = hb_quality_measured_none;
    assert_int_equal(judged(predicted, measured, text, sizeof text), 0);
    measured.precision = (hb_precision){.count = 10, .largest = exp2(-20.6), .squares = 0};
    assert_int_equal(judged(predicted, measured, text, sizeof text), 0);
    measured.precision.largest = exp2(-20.25);
    assert_true(judged(predicted, measured, text, sizeof text) > 0);
    assert_non_null(strstr(text, "some.heb: 20.2 BITS OF PRECISION, BUT 20.5 ARE PROVEN"));
}

HB_UNIT(predicted)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fresh), cmocka_unit_test(test_evaluated),
                                       cmocka_unit_test(test_judge), cmocka_unit_test(test_reals)};
    return cmocka_run_group_tests(tests, open_params, close_params);
}
