/* Totals' instructions of programs written by hand, divided: every one is computed once, with the operands that it had,
 * by shares of about the same work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/cost/program_cost.h"
#include "lang/division/division.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* Registers: rows in ROW, sums, values of 2 and of 3 components that lists take again and again, and one that later
 * passes read. */
enum { GROUPS = 12, ROW, SCRATCH, MORE, PRODUCT, COMMON, KEPT, REGISTERS, MOST = 256, LIMBS = 3 };

/* A program of one or two passes, and its lists as they were made. */
typedef struct made {
    hb_params *params;
    hb_program program;
    hb_pass passes[2];
    hb_output output;
    hb_instruction totals[MOST];
    uint32_t count;
} made;

static int start(void **state)
{
    hb_params_spec spec;
    made *m = test_calloc(1, sizeof *m);
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &m->params), HB_OK);
    *state = m;
    return 0;
}

static int stop(void **state)
{
    made *m = *state;
    hb_params_close(m->params);
    test_free(m);
    return 0;
}

/* Begins a program whose rows add up GROUPS sums of 3 components. */
static void begin(made *m)
{
    hb_params *params = m->params;
    memset(m, 0, sizeof *m);
    m->params = params;
    m->program = (hb_program){.passes = m->passes, .pass_count = 1, .outputs = &m->output, .output_count = 1};
    m->program.register_count = REGISTERS;
    m->program.registers = calloc(REGISTERS, sizeof *m->program.registers);
    m->passes[0].rows = calloc(GROUPS, sizeof *m->passes[0].rows);
    assert_non_null(m->program.registers);
    assert_non_null(m->passes[0].rows);
    for (uint16_t r = 0; r < REGISTERS; r++) {
        m->program.registers[r] =
            (hb_register){.total = r != ROW, .size = r < GROUPS || r == PRODUCT ? 3 : 2, .limbs = LIMBS};
    }
    for (uint16_t r = 0; r < GROUPS; r++) {
        m->passes[0].rows[r] = (hb_instruction){.op = HB_OP_ACCUMULATE, .to = r, .a = ROW};
    }
    m->passes[0].row_count = GROUPS;
    m->output = (hb_output){.total = true, .limbs = LIMBS, .schema = {.columns = GROUPS}};
}

static void add(made *m, hb_opcode op, uint16_t to, uint16_t a, uint16_t b)
{
    assert_true(m->count < MOST);
    m->totals[m->count++] = (hb_instruction){.op = op, .to = to, .a = a, .b = b, .at = m->count};
}

static void store(made *m, uint16_t a, uint32_t column)
{
    add(m, HB_OP_STORE, 0, a, 0);
    m->totals[m->count - 1].column = column;
}

/* Divides the first pass, whose list is complete. */
static const hb_pass_division *divide(made *m, hb_totals_division *division, uint32_t ranks, uint32_t workers)
{
    hb_pass *pass = &m->passes[0];
    pass->totals = malloc(m->count * sizeof *pass->totals);
    assert_non_null(pass->totals);
    memcpy(pass->totals, m->totals, m->count * sizeof *pass->totals);
    pass->total_count = m->count;
    const hb_totals_lanes lanes = {.ranks = ranks, .workers = workers};
    assert_int_equal(hb_totals_divide(division, m->params, &m->program, lanes), HB_OK);
    assert_int_equal(division->compiled, REGISTERS);
    return hb_totals_division_of(division, 0);
}

static void end(made *m, hb_totals_division *division)
{
    hb_totals_division_clear(division);
    for (uint32_t p = 0; p < m->program.pass_count; p++) {
        free(m->passes[p].rows);
        free(m->passes[p].totals);
    }
    for (uint32_t c = 0; c < m->program.combination_count; c++) {
        free(m->program.combinations[c].registers);
        free(m->program.combinations[c].integers);
    }
    free(m->program.combinations);
    free(m->program.registers);
}

/* Every instruction is in one share, once; the shares are one after another. */
static void check_shares(const made *m, const hb_pass_division *d)
{
    const hb_pass *pass = &m->passes[0];
    uint32_t seen[MOST + 1] = {0}, at = 0;
    for (uint32_t s = 0; s < d->share_count; s++) {
        assert_int_equal(d->shares[s].first, at);
        assert_true(d->shares[s].stage < d->stages);
        assert_true(pass->totals[at].apart);
        at += d->shares[s].count;
    }
    assert_int_equal(at, pass->total_count);
    for (uint32_t i = 0; i < pass->total_count; i++) {
        seen[pass->totals[i].at]++;
    }
    for (uint32_t i = 1; i <= m->count; i++) {
        assert_int_equal(seen[i], 1);
    }
}

/* The share of an instruction of the old list. */
static const hb_totals_share *share_of(const made *m, const hb_pass_division *d, uint32_t at)
{
    for (uint32_t s = 0; s < d->share_count; s++) {
        for (uint32_t i = 0; i < d->shares[s].count; i++) {
            if (m->passes[0].totals[d->shares[s].first + i].at == at) {
                return &d->shares[s];
            }
        }
    }
    fail_msg("instruction %u is in no share", at);
    return NULL;
}

/* The predicted work of a lane in a stage. */
static uint64_t work_of(const made *m, const hb_pass_division *d, uint32_t stage, uint32_t rank, uint32_t worker)
{
    uint64_t work = 0;
    for (uint32_t s = 0; s < d->share_count; s++) {
        const hb_totals_share *share = &d->shares[s];
        if (share->stage == stage && share->rank == rank && share->worker == worker) {
            work += hb_instructions_work(m->params, &m->program, m->passes[0].totals + share->first, share->count);
        }
    }
    return work;
}

/* Each group by itself, all of them in the same registers. */
static void add_groups(made *m, uint32_t groups)
{
    for (uint16_t g = 0; g < groups; g++) {
        add(m, HB_OP_RELINEARIZE, SCRATCH, g, 0);
        add(m, HB_OP_NEGATE, SCRATCH, SCRATCH, 0);
        store(m, SCRATCH, g);
    }
}

static void test_groups(void **state)
{
    made *m = *state;
    static const hb_totals_lanes lanes[] = {{2, 1, false}, {1, 2, false}, {3, 1, false}, {3, 2, false}};
    for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++) {
        hb_totals_division division;
        begin(m);
        add_groups(m, GROUPS);
        const hb_pass_division *d = divide(m, &division, lanes[l].ranks, lanes[l].workers);
        assert_non_null(d);
        check_shares(m, d);
        assert_int_equal(d->stages, 1);
        assert_int_equal(d->move_count, 0);
        assert_int_equal(d->share_count, lanes[l].ranks * lanes[l].workers);
        assert_int_equal(m->program.register_count, REGISTERS);
        assert_true(division.own[SCRATCH] != 0 && division.own[0] == 0);
        for (uint32_t r = 0; r < lanes[l].ranks; r++) { /* they are of the same size, and as many for each */
            for (uint32_t w = 0; w < lanes[l].workers; w++) {
                assert_int_equal(work_of(m, d, 0, r, w), work_of(m, d, 0, 0, 0));
            }
        }
        for (uint32_t g = 0; g < GROUPS; g++) {
            assert_ptr_equal(share_of(m, d, 3 * g + 1), share_of(m, d, 3 * g + 3));
        }
        end(m, &division);
    }
}

/* One lane leaves everything as it is, and so do instructions that wait for one another. */
static void test_whole(void **state)
{
    made *m = *state;
    hb_totals_division division;
    begin(m);
    add_groups(m, GROUPS);
    assert_null(divide(m, &division, 1, 1));
    assert_memory_equal(m->passes[0].totals, m->totals, m->count * sizeof *m->totals);
    end(m, &division);
    begin(m);
    add(m, HB_OP_RELINEARIZE, SCRATCH, 0, 0);
    for (int i = 0; i < GROUPS; i++) {
        add(m, HB_OP_MULTIPLY, PRODUCT, SCRATCH, SCRATCH);
        add(m, HB_OP_RELINEARIZE, SCRATCH, PRODUCT, 0);
    }
    store(m, SCRATCH, 0);
    assert_null(divide(m, &division, 4, 2));
    assert_memory_equal(m->passes[0].totals, m->totals, m->count * sizeof *m->totals);
    end(m, &division);
}

/* A sum that is changed where it stands, which others have read before: the list is left as it is. */
static void test_places(void **state)
{
    made *m = *state;
    for (int others = 0; others < 2; others++) {
        hb_totals_division division;
        begin(m);
        for (uint16_t r = 0; r < GROUPS; r++) {
            m->program.registers[r].size = 2;
        }
        if (others) {
            add(m, HB_OP_NEGATE, SCRATCH, 0, 0);
            store(m, SCRATCH, GROUPS);
        }
        for (uint16_t g = 0; g < GROUPS; g++) {
            add(m, HB_OP_SUM_SLOTS, g, g, 0);
            store(m, g, g);
        }
        const hb_pass_division *d = divide(m, &division, 2, 1);
        assert_int_equal(d == NULL, others);
        if (d != NULL) {
            check_shares(m, d);
            assert_int_equal(d->move_count, 0);
        }
        end(m, &division);
    }
}

/* A value that all groups read is made by one rank, or is made by each where that takes less. */
static void test_common(void **state)
{
    made *m = *state;
    for (int cheap = 0; cheap < 2; cheap++) {
        hb_totals_division division;
        begin(m);
        m->program.registers[0].size = cheap ? 2 : 3;
        add(m, cheap ? HB_OP_NEGATE : HB_OP_RELINEARIZE, COMMON, 0, 0);
        for (uint16_t g = 1; g < GROUPS; g++) {
            add(m, HB_OP_RELINEARIZE, SCRATCH, g, 0);
            add(m, HB_OP_MULTIPLY, PRODUCT, SCRATCH, COMMON);
            add(m, HB_OP_RELINEARIZE, MORE, PRODUCT, 0);
            store(m, MORE, g);
        }
        const hb_pass_division *d = divide(m, &division, 2, 2);
        assert_non_null(d);
        check_shares(m, d);
        assert_true(d->stages > 1);
        const hb_totals_share *made_by = share_of(m, d, 1);
        assert_int_equal(made_by->rank == HB_EVERY_RANK, cheap);
        const uint16_t total = m->passes[0].totals[made_by->first].to;
        bool moved = false;
        for (uint32_t i = 0; i < d->move_count; i++) {
            moved = moved || (d->moves[i].total == total && d->moves[i].rank == made_by->rank);
        }
        assert_int_equal(moved, !cheap);
        assert_int_equal(division.own[total], 0);
        for (uint32_t g = 1; g < GROUPS; g++) {
            assert_true(share_of(m, d, 4 * g - 1)->stage > made_by->stage);
        }
        end(m, &division);
    }
}

/* Linear combinations of the same registers stay together, and apart from those that were not done with them. */
static void test_together(void **state)
{
    made *m = *state;
    enum { EACH = 3, RUNS = 4 };
    hb_totals_division division;
    begin(m);
    m->program.combination_count = EACH * RUNS;
    m->program.combinations = calloc(EACH * RUNS, sizeof *m->program.combinations);
    assert_non_null(m->program.combinations);
    for (uint16_t c = 0; c < EACH * RUNS; c++) {
        hb_linear_terms *terms = &m->program.combinations[c];
        *terms = (hb_linear_terms){.count = GROUPS};
        terms->registers = calloc(GROUPS, sizeof *terms->registers);
        terms->integers = calloc(GROUPS, sizeof *terms->integers);
        assert_true(terms->registers != NULL && terms->integers != NULL);
        for (uint16_t g = 0; g < GROUPS; g++) {
            terms->registers[g] = g;
        }
    }
    for (uint16_t run = 0; run < RUNS; run++) {
        static const uint16_t to[EACH] = {SCRATCH, MORE, COMMON};
        for (uint16_t i = 0; i < EACH; i++) {
            add(m, HB_OP_COMBINE, to[i], 0, 0);
            m->totals[m->count - 1].number = run * EACH + i;
        }
        for (uint16_t i = 0; i < EACH; i++) {
            store(m, to[i], (uint32_t)(run * EACH + i));
        }
    }
    const hb_pass_division *d = divide(m, &division, 2, 1);
    assert_non_null(d);
    check_shares(m, d);
    for (uint32_t i = 0; i < m->passes[0].total_count; i++) {
        const hb_instruction *x = &m->passes[0].totals[i];
        const bool first = x->op != HB_OP_COMBINE || x->number % EACH == 0;
        assert_int_equal(x->apart, first);
        assert_true(first || m->passes[0].totals[i - 1].number == x->number - 1);
    }
    end(m, &division);
}

/* Totals that a later pass reads come to all ranks. */
static void test_passes(void **state)
{
    made *m = *state;
    hb_totals_division division;
    begin(m);
    m->program.pass_count = 2;
    m->passes[1].rows = calloc(1, sizeof *m->passes[1].rows);
    assert_non_null(m->passes[1].rows);
    m->passes[1].rows[0] = (hb_instruction){.op = HB_OP_BROADCAST, .to = ROW, .a = KEPT};
    m->passes[1].row_count = 1;
    add_groups(m, GROUPS - 1);
    add(m, HB_OP_RELINEARIZE, KEPT, GROUPS - 1, 0);
    const hb_pass_division *d = divide(m, &division, 3, 1);
    assert_non_null(d);
    check_shares(m, d);
    assert_int_equal(d->move_count, 1);
    assert_int_equal(d->moves[0].total, KEPT);
    assert_int_equal(d->moves[0].rank, share_of(m, d, m->count)->rank);
    assert_null(hb_totals_division_of(&division, 1));
    assert_int_equal(division.alone.passes[0].row_count, 0);
    assert_int_equal(division.alone.registers[ROW].size, 0);
    end(m, &division);
}

/* One pass that computes totals of GROUPS groups. */
static void begin_groups(made *m)
{
    begin(m);
    add_groups(m, GROUPS);
    m->passes[0].totals = m->totals;
    m->passes[0].total_count = m->count;
}

/* The prediction for lanes is that of the division, and no less than an equal part. */
static void test_predictions(void **state)
{
    made *m = *state;
    hb_totals_division division;
    begin_groups(m);
    const uint64_t alone = hb_instructions_work(m->params, &m->program, m->totals, m->count);
    const hb_totals_lanes one = {.ranks = 1, .workers = 1}, four = {.ranks = 2, .workers = 2},
                          far = {.ranks = 2, .workers = 1, .gpu = true};
    assert_int_equal(hb_totals_divided_work(m->params, &m->program, one), alone);
    const uint64_t divided = hb_totals_divided_work(m->params, &m->program, four);
    assert_true(4 * divided >= alone && divided < alone);
    assert_true(hb_totals_divided_work(m->params, &m->program, far) > divided);
    const hb_pass_division *d = divide(m, &division, 2, 2);
    assert_non_null(d);
    assert_int_equal(d->most, divided);
    end(m, &division);
}

/* Many ranks are no reason to divide further: those beyond the most lanes have no share. */
static void test_most_lanes(void **state)
{
    made *m = *state;
    hb_totals_division division;
    begin_groups(m);
    const hb_pass_division *d = divide(m, &division, 1000, 2);
    assert_int_equal(division.lanes.ranks, HB_TOTALS_MOST_LANES / 2);
    for (uint32_t s = 0; d != NULL && s < d->share_count; s++) {
        assert_true(d->shares[s].rank == HB_EVERY_RANK || d->shares[s].rank < HB_TOTALS_MOST_LANES / 2);
    }
    end(m, &division);
}

HB_UNIT(division)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups),      cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_places),      cmocka_unit_test(test_common),
                                       cmocka_unit_test(test_together),    cmocka_unit_test(test_passes),
                                       cmocka_unit_test(test_predictions), cmocka_unit_test(test_most_lanes)};
    return cmocka_run_group_tests(tests, start, stop);
}
