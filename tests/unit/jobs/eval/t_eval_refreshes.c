/* A computation that would lose a ciphertext too often is refused: passes, row blocks and plain moduli count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/job_private.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* So many passes of rows and of totals over so many row blocks of a preset. */
static hb_status check(const char *preset, uint32_t rows, uint32_t totals, uint64_t blocks)
{
    static hb_eval_job job;
    static hb_instruction list[64];
    hb_pass pass = {.rows = list, .row_count = rows + 1, .totals = list, .total_count = totals};
    hb_params_spec spec;
    memset(&job, 0, sizeof job);
    memset(list, 0, sizeof list);
    for (uint32_t i = 0; i < 63; i++) {
        list[i].op = HB_OP_REFRESH;
    }
    list[rows].op = HB_OP_MULTIPLY;
    job.program = (hb_program){.passes = &pass, .pass_count = 1};
    job.plan.blocks = blocks;
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &job.base.session.params), HB_OK);
    const hb_status st = hb_eval_check_refreshes(&job);
    hb_params_close(job.base.session.params);
    return st;
}

/* 2^-72.7 a pass and ciphertext, so 2^12.7 = 6653 of them are 2^-60 (design section 5); a little of that is no more
 * than the last digit of the first number. */
static void many_passes_are_refused(void **state)
{
    (void)state;
    assert_int_equal(check("int-16", 0, 0, 1000000), HB_OK);
    assert_int_equal(check("int-16", 10, 0, 660), HB_OK);
    assert_int_equal(check("int-16", 10, 0, 670), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "6700 passes over ciphertexts lose a ciphertext with 2^-59.9"));
    assert_non_null(strstr(hb_last_error()->text, "take int-16-sure"));
    assert_int_equal(check("int-16", 40, 0, 165), HB_OK);
    assert_int_equal(check("int-16", 40, 0, 168), HB_EDATA);
    assert_int_equal(check("int-15", 10, 0, 1320), HB_OK);
    assert_int_equal(check("int-15", 10, 0, 1340), HB_EDATA);
}

/* A total is one ciphertext, whatever the row blocks are; and a form that holds every integer loses none. */
static void others_are_not(void **state)
{
    (void)state;
    assert_int_equal(check("int-16", 0, 30, 1000000), HB_OK);
    assert_int_equal(check("int-16-sure", 40, 0, 1000000), HB_OK);
}

HB_UNIT(eval_refreshes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_passes_are_refused), cmocka_unit_test(others_are_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
