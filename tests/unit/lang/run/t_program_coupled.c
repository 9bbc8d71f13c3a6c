/* Plans of rows within slots whose row blocks go two as one through matrices, sums and copies of columns: where, and
 * where not. tests/cli/bootstrap.sh and helr.sh compare values of such programs with those in the clear. */
#include "reals_world.h"

#include "lang/cost/program_cost.h"
#include "lang/program/resume_points.h"
#include "unit/unit.h"

enum { BLOCK = 8 };

/* A table of four columns, in that many row blocks of rows within slots, and a plain matrix of 4 x 4. */
static void open_blocks(world *w, uint64_t blocks)
{
    open_empty(w, "boot-test");
    add_table(w, 0, "x", blocks * w->params->ring.n / 2 / BLOCK, MOST_COLUMNS, HB_HALVES_REAL, w->params->fresh_limbs);
    add_table(w, 1, "z", blocks * w->params->ring.n / 2 / BLOCK, MOST_COLUMNS, HB_HALVES_COMPLEX,
              w->params->fresh_limbs);
    add_table(w, 2, "W", 2, MOST_COLUMNS, HB_HALVES_REAL, 0);
    for (int i = 0; i < 2 * MOST_COLUMNS; i++) {
        w->weights[i] = (hb_number){.real = 0.0625 * (1 + i % 3)};
    }
    w->operand[2].cells = w->weights;
    for (int i = 0; i < 2; i++) {
        w->operand[i].block = BLOCK;
        w->operand[i].order = HB_PACK_ROWS;
    }
    w->schema[3] = (hb_schema){.rows = 1};
    w->operand[3] = (hb_operand){
        .name = "u", .schema = &w->schema[3], .believed = true, .ranged = true, .values = hb_interval_of_reals(-1, 1)};
}

static hb_program_source source_of(const world *w, const char *text)
{
    static const char *const outputs[] = {"y"};
    return (hb_program_source){.text = text,
                               .params = w->params,
                               .operands = w->operand,
                               .operand_count = 4,
                               .outputs = outputs,
                               .output_count = 1,
                               .trust = HB_QUALITY_EXPECTED};
}

static hb_status compile_to(world *w, const char *text, double bits, hb_bootstrap_choice bootstrap)
{
    hb_program_source source = source_of(w, text);
    source.bits = bits;
    source.bootstrap = bootstrap;
    hb_program_clear(&w->program);
    return hb_program_compile(&w->program, &source);
}

/* together: the row blocks that the program computes at a time. */
static void assert_coupled(world *w, const char *text, uint32_t couples, uint32_t together)
{
    if (compile_to(w, text, 0, HB_BOOTSTRAP_AUTO) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    if (count(w, HB_OP_COUPLE) != couples || count(w, HB_OP_UNCOUPLE) != couples) {
        fail_msg("%s: %u coupled, %u brought apart, not %u", text, count(w, HB_OP_COUPLE), count(w, HB_OP_UNCOUPLE),
                 couples);
    }
    assert_int_equal(hb_program_blocks_together(&w->program), together);
}

/* Deep enough that u is bootstrapped. */
#define CHAIN "u = x; repeat 14 { u = 1.5*u - 0.5*u^3 }; "

static void linear_operations_take_two_row_blocks(void **state)
{
    world w;
    (void)state;
    open_blocks(&w, 4);
    assert_coupled(&w, CHAIN "y = W @ u", 1, 2);
    assert_int_equal(count(&w, HB_OP_MATRIX), 1);
    assert_coupled(&w, CHAIN "y = rowsum(u*x)", 1, 2);
    assert_int_equal(count(&w, HB_OP_ROW_SUM), 1);
    assert_int_equal(count(&w, HB_OP_MULTIPLY), 1);              /* of a half, and no other */
    assert_coupled(&w, CHAIN "y = rowsum(x)*rowsum(u*x)", 2, 2); /* x is brought down, and halved on the way */
    close_world(&w);
}

/* Returns how many sums of two products have two row blocks as one. */
static uint32_t coupled_pairs(const world *w)
{
    uint32_t pairs = 0;
    for (uint32_t p = 0; p < w->program.pass_count; p++) {
        for (uint32_t i = 0; i < w->program.passes[p].row_count; i++) {
            const hb_instruction *in = &w->program.passes[p].rows[i];
            const hb_register *r = w->program.registers;
            pairs += in->op == HB_OP_MATRIX_PAIR && r[in->to].coupled && r[in->a].coupled && r[in->b].coupled;
        }
    }
    return pairs;
}

/* Opens such a table with square matrices U and W. */
static void open_network(world *w, uint64_t blocks)
{
    static hb_number square[2][MOST_COLUMNS * MOST_COLUMNS];
    open_blocks(w, blocks);
    w->schema[2].rows = MOST_COLUMNS;
    w->schema[3] = w->schema[2];
    w->operand[3] = w->operand[2];
    w->operand[3].name = "U";
    w->operand[3].schema = &w->schema[3];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < MOST_COLUMNS * MOST_COLUMNS; j++) {
            square[i][j].real = 0.0625 * (1 + j % 3) - 0.03125 * (j % (5 + i));
        }
        w->operand[2 + i].cells = square[i];
    }
}

/* h = f(U @ h + W @ x): one operation on both vectors, and the sum is brought apart once. Results have the level of row
 * blocks one by one. */
static void sums_of_two_products_do(void **state)
{
    static const struct {
        const char *text;
        uint32_t pairs;
    } cases[] = {
        {"h = x; repeat 8 { h = cheb(U @ h + W @ (h*x), -1, 1, 0, 0.75, 0, -0.1) }; y = h", 8},
        {"h = x; repeat 8 { h = cheb(U @ h - W @ (h*x), -1, 1, 0, 0.75, 0, -0.1) }; y = h", 8},
        {"h = x; repeat 8 { h = cheb(U @ h + 0.125 + W @ (h*x), -1, 1, 0, 0.75, 0, -0.1) }; y = h", 8},
        {CHAIN "y = cheb(U @ u + W @ x, -1, 1, 0, 0.75, 0, -0.1)", 1},
        {CHAIN "y = U @ x - W @ u", 1},
    };
    world one, many;
    (void)state;
    open_network(&one, 1);
    open_network(&many, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(compile_to(&one, cases[i].text, 0, HB_BOOTSTRAP_AUTO), HB_OK);
        assert_int_equal(compile_to(&many, cases[i].text, 0, HB_BOOTSTRAP_AUTO), HB_OK);
        assert_int_equal(count(&one, HB_OP_MATRIX_PAIR), cases[i].pairs);
        assert_int_equal(coupled_pairs(&one), 0);
        assert_int_equal(count(&many, HB_OP_MATRIX_PAIR), cases[i].pairs);
        assert_int_equal(coupled_pairs(&many), cases[i].pairs);
        assert_int_equal(count(&many, HB_OP_UNCOUPLE), cases[i].pairs);
        assert_int_equal(count(&many, HB_OP_COUPLE), 2 * cases[i].pairs);
        assert_int_equal(one.program.outputs[0].limbs, many.program.outputs[0].limbs);
        assert_true(hb_program_cost_of(many.params, &many.program).rows.of[HB_COST_CORE] <
                    hb_program_cost_of(one.params, &one.program).rows.of[HB_COST_CORE]);
    }
    close_world(&one);
    close_world(&many);
}

/* A product with a total, and a mask behind a sum, are of two row blocks as well. */
static void what_stands_beside_them_does_too(void **state)
{
    world w;
    uint32_t products = 0, masks = 0;
    (void)state;
    open_blocks(&w, 4);
    assert_coupled(
        &w, "m = 0.25*mean(x); repeat 6 { u = rowsum(m*x); m = 0.25*mean(cheb(u, -1, 1, 0, 1, 0, 0.5)*x) }; y = m", 11,
        2); /* one costs less alone */
    for (uint32_t p = 0; p < w.program.pass_count; p++) {
        for (uint32_t i = 0; i < w.program.passes[p].row_count; i++) {
            const hb_instruction *in = &w.program.passes[p].rows[i];
            products += in->op == HB_OP_MULTIPLY && w.program.registers[in->to].coupled;
            masks += in->op == HB_OP_MASK_SCALED && w.program.registers[in->to].coupled;
        }
    }
    assert_int_equal(products, 5); /* of as many sums */
    assert_int_equal(masks, 5);
    close_world(&w);
}

/* The number of levels, and so of bootstraps, is that of row blocks one by one. */
static void no_level_is_taken(void **state)
{
    static const char *const texts[] = {CHAIN "y = W @ u", CHAIN "y = rowsum(u*x)",
                                        CHAIN "y = cheb(rowsum(u*x), -4, 4, 0, 1, 0, 0.5)*x"};
    world one, many;
    (void)state;
    open_blocks(&one, 1);
    open_blocks(&many, 4);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_coupled(&one, texts[i], 0, 1);
        assert_int_equal(compile_to(&many, texts[i], 0, HB_BOOTSTRAP_AUTO), HB_OK);
        assert_true(count(&many, HB_OP_COUPLE) > 0);
        assert_int_equal(count(&one, HB_OP_BOOTSTRAP), count(&many, HB_OP_BOOTSTRAP));
        assert_int_equal(one.program.outputs[0].limbs, many.program.outputs[0].limbs);
        assert_true(hb_program_cost_of(many.params, &many.program).rows.of[HB_COST_CORE] <
                    hb_program_cost_of(one.params, &one.program).rows.of[HB_COST_CORE]);
    }
    close_world(&one);
    close_world(&many);
}

static void others_go_one_by_one(void **state)
{
    world w;
    (void)state;
    open_blocks(&w, 4);
    assert_coupled(&w, "y = W @ x", 0, 1); /* nothing is bootstrapped: there may be no key */
    /* A half of a square would take a level; and one of a product that others take, more work. */
    assert_coupled(&w, CHAIN "p = u*x; y = rowsum(p)*rowsum(p*p)", 0, 2);
    assert_int_equal(count(&w, HB_OP_ROW_SUM), 2);
    assert_int_equal(compile_to(&w, CHAIN "y = W @ u", 0, HB_BOOTSTRAP_NEVER), HB_EDATA);
    assert_coupled(&w, "u = z; repeat 20 { u = 0.5*u*conj(u) + 0.25*z }; y = rowsum(u*x)", 0, 1);
    close_world(&w);
}

/* The most that results may be asked to have. */
static double bits_of(const world *w)
{
    const hb_output *y = &w->program.outputs[0];
    return hb_quality_bits(w->params, y->limbs, y->quality.expected) - hb_quality_margin(w->params);
}

/* Either has errors of both: results that are to have more bits than that are computed one by one. So are those of one
 * row block; u, of which two are bootstrapped as one, counts little. */
static void bits_come_first(void **state)
{
    static const char text[] = CHAIN "y = rowsum((0.5*x)*(x*x)) + 0.000001*rowsum(u*x)";
    world one, many;
    (void)state;
    open_blocks(&one, 1);
    open_blocks(&many, 4);
    assert_coupled(&one, text, 0, 1);
    assert_coupled(&many, text, 2, 2);
    const double alone = bits_of(&one), coupled = bits_of(&many);
    assert_true(coupled < alone - 0.25 && coupled > alone - 1.25);
    assert_int_equal(compile_to(&many, text, coupled - 0.05, HB_BOOTSTRAP_AUTO), HB_OK);
    assert_int_equal(count(&many, HB_OP_COUPLE), 2);
    assert_int_equal(compile_to(&many, text, (alone + coupled) / 2, HB_BOOTSTRAP_AUTO), HB_OK);
    assert_int_equal(count(&many, HB_OP_COUPLE), 0);
    assert_int_equal(compile_to(&many, text, alone + 1, HB_BOOTSTRAP_AUTO), HB_EDATA);
    close_world(&one);
    close_world(&many);
}

static uint32_t lowered;

static void count_lowered(const char *pass, double begun, double ended)
{
    (void)begun;
    (void)ended;
    lowered += strcmp(pass, "lower") == 0;
}

/* Returns how often a source was lowered until it was refused for a reason. */
static uint32_t attempts_at(world *w, const char *text, double bits, const char *reason)
{
    hb_program_source source = source_of(w, text);
    source.bits = bits;
    source.ran = count_lowered;
    lowered = 0;
    hb_program_clear(&w->program);
    const hb_status st = hb_program_compile(&w->program, &source);
    if (st != HB_EDATA || strstr(hb_last_error()->text, reason) == NULL) {
        fail_msg("%s: status %d, and '%s' is not in '%s'", text, st, reason, hb_last_error()->text);
    }
    return lowered;
}

/* Row blocks are tried one by one where their errors are the reason. Values too large to bootstrap stay so. */
static void other_refusals_stay(void **state)
{
    static const char large[] = "v = x; repeat 40 { v = rowsum(v*x) }; y = v", bits[] = CHAIN "y = W @ u";
    world one, many;
    (void)state;
    open_blocks(&one, 1);
    open_blocks(&many, 4);
    assert_int_equal(attempts_at(&many, large, 0, "levels do not suffice"),
                     attempts_at(&one, large, 0, "levels do not suffice"));
    assert_true(attempts_at(&many, bits, 60, "bits") > attempts_at(&one, bits, 60, "bits"));
    close_world(&one);
    close_world(&many);
}

/* Row blocks are stored one by one: at no resume point are two of them one ciphertext. */
static void resume_points_lie_beside_them(void **state)
{
    world w;
    (void)state;
    open_blocks(&w, 4);
    assert_int_equal(compile_to(&w, "u = x; repeat 12 { u = cheb(rowsum(u*x), -4, 4, 0, 0.25, 0, 0.125)*x }; y = u", 0,
                                HB_BOOTSTRAP_AUTO),
                     HB_OK);
    assert_true(count(&w, HB_OP_COUPLE) > 10 && w.program.passes[0].resume_point_count > 10);
    for (uint32_t i = 0; i < w.program.passes[0].resume_point_count; i++) {
        hb_live live;
        assert_int_equal(hb_live_find(&live, &w.program, 0, w.program.passes[0].resume_points[i].at), HB_OK);
        for (uint32_t r = 0; r < live.register_count; r++) {
            assert_false(w.program.registers[live.registers[r]].coupled);
        }
        hb_live_clear(&live);
    }
    close_world(&w);
}

HB_UNIT(program_coupled)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_operations_take_two_row_blocks),
                                       cmocka_unit_test(sums_of_two_products_do),
                                       cmocka_unit_test(what_stands_beside_them_does_too),
                                       cmocka_unit_test(no_level_is_taken),
                                       cmocka_unit_test(others_go_one_by_one),
                                       cmocka_unit_test(bits_come_first),
                                       cmocka_unit_test(other_refusals_stay),
                                       cmocka_unit_test(resume_points_lie_beside_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
