/* Before any driver is asked: the counts of a job, and the GPU that a rank is to see. */
#include "scheme/params.h"
#include "unit/scratch.h"

#include "base/seed.h"
#include "batch/unit/work.h"
#include "device/gpu_visibility.h"
#include "device/work.h"
#include "lang/cost/program_cost.h"
#include "lang/cost/rates.h"
#include "unit/unit.h"

static double core(hb_work work)
{
    return work.loop.of[HB_COST_CORE];
}

static double drawn(hb_work work)
{
    return work.loop.of[HB_COST_DRAWS];
}

/* More of a job is more work, and each rank of several has its share. */
static void test_counts(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    assert_ok(hb_seed_start());
    assert_ok(hb_params_preset("bfv-4096", &spec));
    assert_ok(hb_params_open(&spec, &params));
    hb_header header = {.ciphertexts = 100, .limbs = 2, .unit = 10, .seeded = true, .capacity = 4096, .spec = spec};
    const hb_table_list none = {NULL, 0};
    const hb_work once = hb_work_encrypt(params, &header, none, 1), quarter = hb_work_encrypt(params, &header, none, 4);
    for (int k = 0; k < HB_COST_KINDS; k++) {
        assert_true(quarter.loop.of[k] * 4 == once.loop.of[k]);
    }
    assert_true(once.items == 100 && quarter.items == 25 && once.units == 10 && quarter.units == 3);
    assert_true(quarter.written_bytes * 4 == once.written_bytes && once.written_bytes > 0);
    header.seeded = false;
    assert_true(drawn(hb_work_encrypt(params, &header, none, 1)) > drawn(once));
    header.ciphertexts *= 10;
    const hb_work table = hb_work_decrypt(params, &header, "t.h5:/t", 1),
                  text = hb_work_decrypt(params, &header, "-", 1);
    assert_true(table.loop.of[HB_COST_TRANSFORMS] > hb_work_verify(params, &header, 1).loop.of[HB_COST_TRANSFORMS]);
    assert_true(table.printed_cells == 0 && text.printed_cells == text.cells && text.arranges_last);
    assert_true(hb_work_add(params, &header, 3, 1).file_bytes == 3 * hb_work_add(params, &header, 1, 1).file_bytes);
    assert_true(core(hb_work_keygen(params, 3)) > core(hb_work_keygen(params, 0)));
    const hb_register registers[] = {{.size = 2, .limbs = 2}, {.size = 3, .limbs = 2}};
    hb_instruction product[] = {{.op = HB_OP_LOAD}, {.op = HB_OP_MULTIPLY, .to = 1}, {.op = HB_OP_RELINEARIZE, .a = 1}};
    hb_pass pass = {.rows = product, .row_count = 1};
    hb_program program = {.registers = (hb_register *)registers, .register_count = 2, .passes = &pass, .pass_count = 1};
    const hb_totals_lanes alone = {.ranks = 1, .workers = 1}, two = {.ranks = 2, .workers = 1};
    const double loads = core(hb_work_program(params, &program, 10, 0, 0, alone));
    pass.row_count = 3;
    const hb_work products = hb_work_program(params, &program, 10, 0, 0, alone);
    assert_true(loads > 0 && core(products) > 5 * loads);
    const hb_program_cost cost = hb_program_cost_of(params, &program); /* on one row block */
    assert_true(core(products) == 10 * cost.rows.of[HB_COST_CORE]);
    assert_true(core(hb_work_program(params, &program, 20, 0, 0, two)) == core(products));
    assert_true(hb_work_program(params, &program, 10, 1, 0, alone).keys.of[HB_COST_CORE] > 0);
    /* Diagonals of ten limbs, on every rank. */
    const uint64_t held = 10 * params->ring.n * sizeof(uint64_t);
    assert_true(hb_work_program(params, &program, 20, 0, held, two).diagonals.of[HB_COST_CORE] == 10 * HB_RATE_HELD);
    /* Where two share limbs, ten of a rank are twenty of both. */
    assert_ok(hb_params_divide(params, 2));
    assert_true(hb_work_program(params, &program, 20, 0, held, two).diagonals.of[HB_COST_CORE] == 20 * HB_RATE_HELD);
    hb_params_close(params);
}

/* One GPU is seen of several, the one that would have been taken. */
static void test_visible(void **state)
{
    (void)state;
    static const struct {
        const char *visible;
        uint32_t files;
        int place;
        const char *narrowed; /* NULL: it stays as it is */
    } rows[] = {{NULL, 0, 0, NULL},
                {NULL, 1, 5, NULL},
                {NULL, 4, 2, "2"},
                {NULL, 4, 6, "2"},
                {"3", 4, 1, NULL},
                {"3,1", 4, 0, "3"},
                {"3,1", 4, 1, "1"},
                {"3,1", 4, 2, "3"},
                {"GPU-8f5c,GPU-1a2b", 4, 1, "GPU-1a2b"},
                {"MIG-GPU-8f/1/0,MIG-8a", 4, 0, "MIG-GPU-8f/1/0"},
                {"", 4, 1, NULL},
                {"-1", 4, 1, NULL},
                {"0,-1,2", 4, 0, NULL},
                {"0,,2", 4, 0, NULL},
                {"0, 1", 4, 0, NULL},
                {"NoDevFiles", 4, 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32] = "";
        assert_int_equal(hb_device_narrow(rows[i].visible, rows[i].files, rows[i].place, text, sizeof text),
                         rows[i].narrowed != NULL);
        assert_string_equal(text, rows[i].narrowed != NULL ? rows[i].narrowed : "");
    }
    char small[4];
    assert_false(hb_device_narrow("GPU-8f5c,GPU-1a2b", 4, 0, small, sizeof small));
    hb_gpu_visibility saw;
    setenv("CUDA_VISIBLE_DEVICES", "7,5", 1);
    hb_device_see_one(1, &saw);
    assert_true(saw.narrowed);
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "5");
    hb_device_see_all(&saw);
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "7,5");
    hb_device_see_one(0, &saw);
    hb_gpu_visibility_clear(&saw);
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "7");
    unsetenv("CUDA_VISIBLE_DEVICES");
}

HB_UNIT(device_work)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_visible)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
