/* Programs of random expressions, run on plain vectors, against the value of the expression's tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/program_world.h"
#include "scheme/params.h"
#include "unit/unit.h"

#define EXPRESSIONS 1000

/* 24 primes of 60 bits at N = 1024: more budget than any expression needs. */
static hb_params *open_params(void)
{
    hb_params_spec spec = {
        .n = 1024, .key_limbs = 24, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    uint32_t bits[24];
    for (uint32_t i = 0; i < spec.key_limbs; i++) {
        bits[i] = 60;
    }
    hb_params *params;
    assert_int_equal(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static void random_expressions(void **state)
{
    (void)state;
    hb_params *params = open_params();
    uint64_t seed = 1;
    uint32_t refused = 0, several_passes = 0, masked = 0;
    for (uint32_t k = 0; k < EXPRESSIONS; k++) {
        /* one row, a part of a ciphertext, several, all of them full */
        const uint64_t rows[] = {1, 100, 1024, 2048, 2500, 3071};
        rx_world w = {.n = 1024, .rows = rows[k % 6], .t = 65537};
        rx_world_fill(&w, &seed);
        world_operands operands;
        world_operands_init(&operands, &w, params);
        rx_program *p = rx_generate(&w, &seed, (rx_limits){(int)(2 + k % 5), 4, true});
        hb_program program;
        const hb_status st = world_compile(&program, &operands, p, params);
        if (st != HB_OK) {
            if (strstr(hb_last_error()->text, "transparent") == NULL) {
                fail_msg("%s\n%s", hb_last_error()->text, p->text);
            }
            refused++;
        } else {
            machine m;
            machine_open(&m, &program, &w);
            machine_run(&m, &seed);
            for (uint32_t i = 0; i < program.output_count; i++) {
                world_compare(&program, i, m.output[i], &w, p);
            }
            several_passes += program.pass_count > 1;
            for (uint32_t i = 0; i < program.passes[0].row_count; i++) {
                masked += program.passes[0].rows[i].op == HB_OP_MASK;
            }
            machine_close(&m);
        }
        hb_program_clear(&program);
        rx_program_free(p);
        rx_world_free(&w);
    }
    assert_in_range(refused, 1, EXPRESSIONS / 10);
    assert_in_range(several_passes, EXPRESSIONS / 50, EXPRESSIONS);
    assert_in_range(masked, EXPRESSIONS / 50, UINT32_MAX);
    hb_params_close(params);
}

HB_UNIT(program_random)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
