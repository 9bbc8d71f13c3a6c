/* Digits of key switching in CKKS: where they end, and that every level has the same ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "bootstrapping/chain.h"
#include "ckks/params.h"
#include "ckks/presets.h"
#include "rlwe/params_build.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/slots.h"
#include "unit/unit.h"

static hb_params_spec literal(void)
{
    const hb_ckks_chain chain = {50, 40, 3, 2};
    hb_params_spec spec = {.n = 2048, .insecure = true, .security = hb_security_default()};
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    return spec;
}

/* Digits of a chain that is as long as the table allows end where the special primes are 2^6 times as long. */
static void preset_with_uneven_digits(void **state)
{
    (void)state;
    static const uint32_t first[] = {0, 8, 17, 25, 32};
    const char *name;
    hb_params_spec spec;
    hb_params *params;
    assert_true(hb_ckks_preset(9, &name, &spec));
    assert_string_equal(name, "boot-16-deeper");
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_true(params->chain_bits == 1747 && !params->spec.insecure);
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    assert_true(levels.stc == 2 && levels.out == 18 && levels.join == 20 && levels.eval_mod == 28 && levels.top == 31);
    const hb_digit_list digits = hb_digit_list_of(&spec);
    assert_int_equal(digits.count, 4);
    assert_memory_equal(digits.first, first, sizeof first);
    assert_true(params->gadget.digits.count == 4 && params->gadget.alpha == 9);
    for (uint32_t j = 0; j < 4; j++) {
        assert_int_equal(hb_gadget_first(&params->gadget, j), first[j]);
    }
    for (uint32_t k = 1; k <= 32; k++) {
        const uint32_t last = params->gadget.levels[k].digits - 1;
        assert_int_equal(hb_digit_list_at(&digits, k), last + 1);
        assert_true(first[last] < k && k <= first[last + 1]);
        assert_int_equal(hb_gadget_limbs(&params->gadget, last, k), k - first[last]);
    }
    hb_params_close(params);
}

/* Three primes of a digit are too many, and so are two where the special primes of 91 bits are longer than these, of 90
 * bits, but not by 6 bits. In a chain like Microsoft SEAL's nothing ends early. */
static void digits_that_end_early(void **state)
{
    (void)state;
    static const struct {
        uint32_t most;
        uint64_t special; /* in the place of the first one; 0: as it is */
        uint32_t digits, first[4];
    } cuts[] = {{2, 0, 2, {0, 2, 4}}, {3, 0, 2, {0, 2, 4}}, {4, 0, 2, {0, 2, 4}}, {2, 0x20000560001, 3, {0, 1, 3, 4}}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        hb_params *params;
        hb_params_spec spec = literal();
        spec.digit_limbs = cuts[i].most;
        spec.primes[5] = cuts[i].special > 0 ? cuts[i].special : spec.primes[5];
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        const hb_digit_list digits = hb_digit_list_of(&spec);
        assert_int_equal(params->gadget.digits.count, cuts[i].digits);
        assert_int_equal(digits.count, cuts[i].digits);
        assert_memory_equal(digits.first, cuts[i].first, (digits.count + 1) * sizeof *digits.first);
        for (uint32_t j = 0; j < digits.count; j++) {
            const uint32_t begin = digits.first[j], limbs = digits.first[j + 1] - begin;
            assert_true(hb_spec_digit_is_short(&spec, begin, limbs));
            assert_true(j + 1 == digits.count || limbs == cuts[i].most ||
                        !hb_spec_digit_is_short(&spec, begin, limbs + 1));
        }
        assert_int_equal(hb_ckks_check_digits(&spec), i == 0 ? HB_OK : HB_ECONFIG);
        hb_params_close(params);
    }
    hb_params_spec like_seal = literal();
    like_seal.ckks.like_seal = true;
    like_seal.digit_limbs = 3;
    assert_int_equal(hb_digit_list_of(&like_seal).first[1], 3);
}

HB_UNIT(ckks_digits)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(preset_with_uneven_digits),
                                       cmocka_unit_test(digits_that_end_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
