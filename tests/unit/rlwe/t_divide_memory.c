/* Parameters that are to be divided in another way where memory runs out: they stay as they were, and usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scheme/params.h"

/* The allocation that is refused, counted from 1; 0: none is. */
static int refused, met;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return ++met == refused ? NULL : __real_calloc(count, bytes);
}

/* The numbers of all conversions from the base: they are read where they lie. */
static uint64_t read_all(const hb_key_switch_integer *base)
{
    uint64_t sum = base->basis.limbs;
    for (uint32_t b = 0; b < base->blocks; b++) {
        const hb_base_conversion *to = &base->block[b].to_base;
        for (uint32_t i = 0; i < to->to_limbs * to->from_limbs; i++) {
            sum = 31 * sum + to->matrix[i] + to->to_ids[i / to->from_limbs];
        }
    }
    return sum;
}

static void parameters_stay_as_they_were(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    const hb_params_division wanted = {2, 0, HB_LIMBS_IN_TURN};
    assert_int_equal(hb_params_preset("bfv-32768", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_params_divide_as(params, &(hb_params_division){1, 7, HB_LIMBS_MIRRORED}), HB_OK);
    const hb_params_division division = params->division;
    const hb_limb_map map = params->map;
    const uint64_t numbers = read_all(&params->key_switch_integer);
    assert_true(params->key_switch_integer.blocks > 0 && hb_params_integers_at(params, 2, 0).blocks > 0);
    hb_status st = HB_ENOMEM;
    for (int i = 1; st == HB_ENOMEM; i++) {
        met = 0;
        refused = i;
        st = hb_params_divide_as(params, &wanted);
        refused = 0;
        assert_true(st == HB_OK || met == i);
        if (st != HB_OK) {
            assert_int_equal(st, HB_ENOMEM);
            assert_true(params->division.members == division.members && params->division.travel == division.travel &&
                        params->division.order == division.order);
            assert_memory_equal(&params->map, &map, sizeof map);
            assert_int_equal(read_all(&params->key_switch_integer), numbers);
        }
    }
    assert_int_equal(st, HB_OK);
    assert_true(met > 1 && params->division.members == 2 && params->map.members == 2);
    hb_params_close(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_stay_as_they_were)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
