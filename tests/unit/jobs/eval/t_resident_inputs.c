/* Datasets that stay for later jobs, where two members share three limbs: they go by the same units, whatever memory
 * each of them had, of steps that they are to do and of all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "cpu/engine.h"
#include "divided/engine.h"
#include "eval/kept_inputs.h"
#include "eval/step.h"
#include "mpi/group/group_private.h"
#include "reference/thread_exchange.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, LIMBS = 3, MEMBERS = 2, UNIT = 4, UNITS = 5, INPUTS = 2 };

/* One member, with what jobs leave there. */
typedef struct member {
    hb_group group; /* of both */
    meeting *at;
    hb_params *params;
    hb_exchange *exchange;
    hb_engine *engine;
    hb_residents all;
    hb_eval_input inputs[INPUTS]; /* one dataset by two names */
    hb_header header;
} member;

/* Both of them, and the job that they run: the steps that are left, the budget. */
typedef struct world {
    member of[MEMBERS];
    bool used[1];
    uint64_t left, most, short_of; /* short_of: bytes of the budget that the second member lacks */
    hb_instruction load[INPUTS];
    hb_pass pass;
    hb_program program;
} world;

static hb_status same_agree(hb_group *group, hb_status mine)
{
    (void)group;
    return mine;
}

static hb_status both_max(hb_group *group, uint64_t *values, size_t count)
{
    meeting *at = ((member *)(void *)group)->at; /* the group is its first member */
    uint64_t own[2 * INPUTS];
    HB_ASSERT(count <= sizeof own / sizeof *own);
    memcpy(own, values, count * sizeof *own);
    at->room[MEETING_WORDS].brought[group->rank] = own;
    HB_TRY(meet(at, MEETING_WORDS, false));
    const uint64_t *other = at->room[MEETING_WORDS].brought[1 - group->rank];
    for (size_t i = 0; i < count; i++) {
        values[i] = other[i] > own[i] ? other[i] : own[i];
    }
    return meet(at, MEETING_WORDS, true);
}

static const hb_group_ops ops = {.agree = same_agree, .max = both_max};

static void open_member(world *w, member *m, uint32_t number)
{
    static char any; /* datasets are told apart by their pointer */
    hb_params_spec spec = {
        .n = N, .key_limbs = LIMBS + 1, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    hb_engine *device = NULL;
    assert_int_equal(hb_create_primes(N, (const uint32_t[]){30, 30, 30, 31}, LIMBS + 1, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &m->params), HB_OK);
    assert_int_equal(hb_params_divide(m->params, MEMBERS), HB_OK);
    assert_int_equal(hb_exchange_open_alone(number, MEMBERS, &m->exchange), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&m->params->ring, &device), HB_OK);
    assert_int_equal(hb_divided_engine_open(device, &m->params->map, m->exchange, HB_DIVIDE_BY_COST, 0, &m->engine),
                     HB_OK);
    m->group = (hb_group){.ops = &ops, .rank = (int)number, .size = MEMBERS};
    m->header =
        (hb_header){.spec = spec, .limbs = LIMBS, .capacity = N, .ciphertexts = (uint64_t)UNITS * UNIT, .unit = UNIT};
    for (uint32_t i = 0; i < INPUTS; i++) {
        m->inputs[i] = (hb_eval_input){.dataset = (hb_dataset *)(void *)&any,
                                       .header = &m->header,
                                       .across = 1,
                                       .blocks = (uint64_t)UNITS * UNIT,
                                       .used = w->used,
                                       .most_units = 1,
                                       .origin = {{7}}};
    }
}

static int open_world(void **state)
{
    static world w;
    w = (world){.used = {true}, .left = UNITS, .most = UINT64_MAX};
    for (uint32_t i = 0; i < INPUTS; i++) {
        w.load[i] = (hb_instruction){.op = HB_OP_LOAD, .operand = i};
    }
    w.pass = (hb_pass){.rows = w.load, .row_count = INPUTS};
    w.program = (hb_program){.passes = &w.pass, .pass_count = 1};
    for (uint32_t m = 0; m < MEMBERS; m++) {
        open_member(&w, &w.of[m], m);
    }
    *state = &w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        member *m = &w->of[i];
        hb_residents_clear(&m->all);
        hb_engine_close(m->engine);
        hb_exchange_close(m->exchange);
        hb_params_close(m->params);
    }
    return 0;
}

/* A job on one member, as far as its datasets go: until its steps run. */
static hb_status begin_job(void *context, uint32_t number, meeting *at)
{
    world *w = context;
    member *m = &w->of[number];
    uint64_t list[UNITS] = {0, 1, 2, 3, 4};
    const hb_header steps = hb_eval_step_header(&m->header.spec, LIMBS, (uint64_t)UNITS * UNIT, UNIT);
    const hb_units mine = {.mine = {.count = w->left}, .list = list};
    const hb_eval_shape shape = {.inputs = m->inputs, .input_count = INPUTS, .size = UNIT, .unit = UNIT};
    const hb_resident_setting setting = {.all = &m->all,
                                         .group = &m->group,
                                         .members = &m->group,
                                         .engine = m->engine,
                                         .params = m->params,
                                         .shape = &shape,
                                         .program = &w->program,
                                         .steps = &steps,
                                         .mine = &mine};
    m->at = at;
    hb_residents_begin(&m->all);
    hb_residents_use(&m->all, &m->inputs[0].origin);
    hb_residents_bound(&m->all, number == 1 ? w->most - w->short_of : w->most);
    return hb_resident_inputs_take(&setting);
}

/* Runs a job; returns how many units of either input both members found. */
static uint64_t run(world *w)
{
    uint64_t there[MEMBERS][INPUTS] = {{0}};
    assert_int_equal(run_members(MEMBERS, begin_job, w), HB_OK);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        for (uint64_t k = 0; k < (uint64_t)INPUTS * UNITS; k++) {
            hb_resident_units *of = w->of[m].inputs[k / UNITS].resident;
            there[m][k / UNITS] += hb_resident_there(of, k % UNITS) != NULL;
        }
        for (uint64_t k = 0; k < INPUTS * w->left; k++) {
            hb_resident_claim(w->of[m].inputs[k / w->left].resident, k % w->left);
        }
        hb_residents_settle(&w->of[m].all);
        assert_int_equal(there[m][0], there[m][1]);
    }
    assert_int_equal(there[0][0], there[1][0]);
    assert_int_equal(w->of[0].all.bytes, w->of[1].all.bytes);
    assert_int_equal(w->of[0].all.found, w->of[1].all.found);
    assert_int_equal(w->of[0].all.missing, w->of[1].all.missing);
    return there[0][0];
}

/* Returns the bytes of a unit on the member with most limbs: two of three. */
static uint64_t most_bytes(const world *w)
{
    const uint64_t bytes[] = {hb_unit_rows_packed_bytes(w->of[0].engine, &w->of[0].header),
                              hb_unit_rows_packed_bytes(w->of[1].engine, &w->of[1].header)};
    const uint64_t most = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    assert_int_equal(2 * (bytes[0] + bytes[1]), 3 * most);
    return most;
}

/* The budget is of the member with most limbs. */
static void test_same_budget(void **state)
{
    world *w = *state;
    const uint64_t each = most_bytes(w);
    w->most = UNITS * each - 1;
    assert_int_equal(run(w), 0);
    assert_int_equal(run(w), 0);
    assert_int_equal(w->of[0].all.count, 0);
    assert_int_equal(w->of[0].all.missing, 2 * INPUTS * UNITS * each);
    w->most++;
    assert_int_equal(run(w), 0);
    assert_int_equal(run(w), UNITS);
    assert_int_equal(w->of[1].all.bytes, UNITS * each);
    assert_int_equal(w->of[1].all.found, INPUTS * UNITS * each);
}

/* A member without a dataset that the other has: both read it anew, and keep it from the next job on. */
static void test_one_has_less(void **state)
{
    world *w = *state;
    const uint64_t each = most_bytes(w);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        run(w);
        assert_int_equal(run(w), UNITS);
        const uint64_t found = w->of[1 - m].all.found, missing = w->of[1 - m].all.missing;
        hb_residents_clear(&w->of[m].all);
        assert_int_equal(run(w), 0);
        assert_int_equal(w->of[0].all.count, 0);
        assert_int_equal(w->of[1].all.count, 0);
        assert_int_equal(w->of[1 - m].all.found, found);
        assert_int_equal(w->of[1 - m].all.missing, missing + INPUTS * UNITS * each);
    }
}

/* Totals check units of the first row block, even where no step is left that reads them. */
static void test_no_step_left(void **state)
{
    world *w = *state;
    run(w);
    w->left = 0;
    assert_int_equal(run(w), UNITS);
    hb_residents_clear(&w->of[1].all);
    assert_int_equal(run(w), 0);
    assert_null(w->of[0].inputs[0].resident);
    assert_int_equal(w->of[0].all.count, 0);
}

/* A member with room for fewer units keeps none of them, nor does the other: they would differ in the next job. */
static void test_one_has_no_memory(void **state)
{
    world *w = *state;
    w->most = UNITS * most_bytes(w);
    w->left = 2;
    run(w);
    w->left = UNITS;
    w->short_of = 3 * most_bytes(w);
    assert_int_equal(run(w), 0);
    assert_int_equal(w->of[0].all.count, 0);
    w->short_of = 0;
    assert_int_equal(run(w), 0);
    assert_int_equal(run(w), UNITS);
}

HB_UNIT(resident_inputs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_budget, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_one_has_less, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_no_step_left, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_one_has_no_memory, open_world, close_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
