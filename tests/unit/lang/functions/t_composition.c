/* The composition that replaces sign, against all possible ones, for gaps and levels of many kinds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"
#include "lang/functions/composition.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { KINDS = 4 };
static const uint32_t most[KINDS] = {63, 31, 15, 7};

/* The composition that is chosen: where any keeps its margins, one that does, and none with fewer levels does; else
 * none has a smaller expected error. Returns whether it keeps them, and sets *longer. */
static bool assert_best(const hb_params *params, uint32_t limbs, double bits, double gap, bool *longer)
{
    const hb_approximation_request request = {HB_SIGN, -1, 1, bits, gap};
    hb_approximation chosen;
    assert_int_equal(hb_composition_choose(params, limbs, NULL, &request, &chosen, longer), HB_OK);
    const hb_composition_outlook outlook = hb_composition_look(params, limbs, NULL, &chosen);
    const uint32_t depth = hb_approximation_depth(&chosen);
    assert_true(chosen.error <= exp2(-bits));
    for (uint32_t i = 0; i < KINDS; i++) {
        hb_approximation other;
        if (hb_approximate_within(&other, &request, most[i]) != HB_OK) {
            continue;
        }
        const hb_composition_outlook seen = hb_composition_look(params, limbs, NULL, &other);
        if (i == 0) {
            assert_int_equal(*longer, depth > hb_approximation_depth(&other));
        }
        for (uint32_t j = 0; j < other.stages; j++) {
            assert_true(other.stage[j].degree <= most[i]);
        }
        assert_int_equal(seen.fits, limbs > hb_params_level_limbs(params) * hb_approximation_depth(&other));
        assert_true(!seen.kept || (outlook.kept && depth <= hb_approximation_depth(&other)));
        assert_true(!seen.fits || (outlook.fits && (outlook.kept || outlook.expected <= seen.expected)));
        hb_approximation_clear(&other);
    }
    hb_approximation_clear(&chosen);
    return outlook.kept;
}

static void the_shortest_that_is_proven_is_chosen(void **state)
{
    (void)state;
    uint32_t kept = 0, not_kept = 0, longer = 0;
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset("ckks-16", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    for (uint32_t limbs = params->data_limbs; limbs >= 12; limbs -= 8) {
        for (int gap = 6; gap <= 20; gap += 2) {
            bool more;
            *(assert_best(params, limbs, 12, exp2(-gap) * 1.01, &more) ? &kept : &not_kept) += 1;
            longer += more;
        }
    }
    hb_params_close(params);
    /* Otherwise nothing was tested. */
    assert_true(kept > 0 && not_kept > 0 && longer > 0);
}

/* Errors of the last stage's operand are its own alone: where imaginary parts are without a bound, they prove
 * nothing. The expected error stays. */
static void without_a_drift_nothing_is_proven(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset("ckks-16", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    double coefficients[] = {0, 1.5, 0, -0.25};
    const hb_chebyshev polynomial = {3, coefficients};
    hb_stage stage = {.params = params, .limbs = params->data_limbs, .polynomial = &polynomial, .margin = 0x1p-10};
    const hb_quality operand = {.worst = 20, .expected = 10, .powers = 1}, kept = hb_stage_quality(&stage, operand);
    stage.drift = HUGE_VAL;
    const hb_quality lost = hb_stage_quality(&stage, operand);
    assert_true(isfinite(kept.worst) && lost.expected == kept.expected);
    assert_true(isinf(lost.worst) && isinf(lost.norm));
    hb_params_close(params);
}

HB_UNIT(composition)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_shortest_that_is_proven_is_chosen),
                                       cmocka_unit_test(without_a_drift_nothing_is_proven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
