/* Chains of integers that bootstrap, chosen by form and number of users' primes: the presets are among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfv/chain.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params_spec preset(const char *name)
{
    hb_params_spec spec;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    return spec;
}

static hb_params *opened(const hb_params_spec *spec)
{
    hb_params *p = NULL;
    assert_int_equal(hb_params_open(spec, &p), HB_OK);
    return p;
}

static void chosen_chains_are_the_presets(void **state)
{
    static const struct {
        const char *name;
        hb_bfv_chain chain;
    } table[] = {{"int-16", {6, HB_EVAL_MOD_FINE}},
                 {"int-16-sure", {6, HB_EVAL_MOD_FINE_SURE}},
                 {"int-16-deep", {9, HB_EVAL_MOD_FINE}}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const hb_params_spec want = preset(table[i].name);
        hb_params_spec chosen = {.n = want.n, .bfv.plain = want.bfv.plain, .security = want.security};
        assert_int_equal(hb_bfv_choose_chain(&chosen, &table[i].chain), HB_OK);
        assert_true(hb_params_same(&chosen, &want));
        hb_params *p = opened(&chosen);
        assert_string_equal(p->name, table[i].name);
        hb_params_close(p);
    }
}

/* Every form and many numbers of primes make chains that can be opened, or are refused. */
static void chosen_chains_open(void **state)
{
    (void)state;
    for (int form = HB_EVAL_MOD_NONE + 1; form < HB_EVAL_MODS; form++) {
        for (uint32_t users = 1; users <= 24; users++) {
            const hb_bfv_chain chain = {users, (hb_eval_mod)form};
            hb_params_spec chosen = {
                .n = 1024, .bfv.plain = 12289, .security = hb_security_default(), .insecure = true};
            const hb_params_spec before = chosen;
            const hb_status st = hb_bfv_choose_chain(&chosen, &chain);
            assert_int_equal(st, users >= 2 ? HB_OK : HB_ECONFIG);
            if (st != HB_OK) {
                assert_memory_equal(&chosen, &before, sizeof before);
                continue;
            }
            hb_params *p = opened(&chosen);
            assert_int_equal(p->fresh_limbs, users);
            assert_true(p->gadget.digits.count <= 3);
            hb_params_close(p);
        }
        const hb_bfv_chain many = {64, (hb_eval_mod)form};
        hb_params_spec chosen = {.n = 1024, .bfv.plain = 12289};
        assert_int_equal(hb_bfv_choose_chain(&chosen, &many), HB_ECONFIG);
    }
}

HB_UNIT(bfv_chain)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chosen_chains_are_the_presets),
                                       cmocka_unit_test(chosen_chains_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
