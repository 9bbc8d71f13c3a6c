/* Plans of expressions on reals that take more levels than there are: which values are bootstrapped, and how. */
#include <math.h>

#include "lang/cost/op_cost.h"
#include "lang/program/bootstrap.h"
#include "reals_world.h"
#include "scheme/bootstrap.h"
#include "table/real_text.h"
#include "unit/unit.h"

/* A table of four real columns, in four row blocks, one of a complex one, weights, and the believed range of y. */
static void open_deep(world *w, const char *preset)
{
    const uint64_t rows = 2000;
    open_empty(w, preset);
    add_table(w, 0, "x", rows, MOST_COLUMNS, HB_HALVES_REAL, w->params->fresh_limbs);
    add_table(w, 1, "z", rows, 1, HB_HALVES_COMPLEX, w->params->fresh_limbs);
    add_table(w, 2, "w", 2, MOST_COLUMNS, HB_HALVES_REAL, 0);
    for (int i = 0; i < 2 * MOST_COLUMNS; i++) {
        w->weights[i] = (hb_number){.real = 0.125 * (i % 3) - 0.25};
    }
    w->operand[2].cells = w->weights;
    w->schema[3] = (hb_schema){.rows = rows};
    w->operand[3] = (hb_operand){
        .name = "u", .schema = &w->schema[3], .believed = true, .ranged = true, .values = hb_interval_of_reals(-1, 1)};
}

static hb_status compile_bootstrap(world *w, const char *text, hb_bootstrap_choice bootstrap)
{
    static const char *const outputs[] = {"y"};
    const hb_program_source source = {.text = text,
                                      .params = w->params,
                                      .operands = w->operand,
                                      .operand_count = 4,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .trust = HB_QUALITY_EXPECTED,
                                      .hidden = true, /* errors as large as the values: levels are looked at alone */
                                      .bootstrap = bootstrap};
    hb_program_clear(&w->program);
    return hb_program_compile(&w->program, &source);
}

/* Instructions of each kind; and that both of a pair follow one another. */
static void count_kinds(const hb_instruction *list, uint32_t count, uint32_t kinds[HB_BOOTSTRAP_NOISE])
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].op != HB_OP_BOOTSTRAP) {
            continue;
        }
        const hb_bootstrap_kind kind = hb_bootstrap_kind_of(list[i].number);
        kinds[kind]++;
        if (kind == HB_BOOTSTRAP_PAIR) {
            assert_true(i + 1 < count && list[i + 1].op == HB_OP_BOOTSTRAP && list[i].number == list[i + 1].number &&
                        list[i].a == list[i + 1].b && list[i].b == list[i + 1].a && list[i].a != list[i].b &&
                        list[i].to != list[i + 1].to);
            i++;
        }
    }
}

static void assert_levels(const world *w, const hb_instruction *list, uint32_t count)
{
    uint32_t operands, results;
    hb_bootstrap_limbs(w->params, false, &operands, &results);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].op == HB_OP_BOOTSTRAP) {
            assert_int_equal(w->program.registers[list[i].a].limbs, operands);
            assert_int_equal(w->program.registers[list[i].to].limbs, results);
        }
    }
}

/* Counts the bootstrapped values of a program that was compiled, at their levels. */
static void check_program(const world *w, uint32_t kinds[HB_BOOTSTRAP_NOISE])
{
    for (uint32_t p = 0; p < w->program.pass_count; p++) {
        const hb_pass *pass = &w->program.passes[p];
        /* One that is alone goes two row blocks at a time; of totals there is one. */
        const uint32_t alone = kinds[HB_BOOTSTRAP_REAL];
        count_kinds(pass->rows, pass->row_count, kinds);
        assert_int_equal(kinds[HB_BOOTSTRAP_REAL], alone);
        const uint32_t neighbours = kinds[HB_BOOTSTRAP_NEIGHBOURS];
        count_kinds(pass->totals, pass->total_count, kinds);
        assert_int_equal(kinds[HB_BOOTSTRAP_NEIGHBOURS], neighbours);
        assert_levels(w, pass->rows, pass->row_count);
        assert_levels(w, pass->totals, pass->total_count);
    }
}

static void append(char *text, const char *more)
{
    strcat(text, more);
}

/* How many are bootstrapped, of each kind: complex ones, single real ones, pairs. */
static void assert_bootstrapped(world *w, const char *text, uint32_t complex, uint32_t reals, uint32_t pairs)
{
    uint32_t kinds[HB_BOOTSTRAP_NOISE] = {0};
    if (compile_bootstrap(w, text, HB_BOOTSTRAP_AUTO) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    check_program(w, kinds);
    kinds[HB_BOOTSTRAP_REAL] += kinds[HB_BOOTSTRAP_NEIGHBOURS];
    if (kinds[HB_BOOTSTRAP_COMPLEX] != complex || kinds[HB_BOOTSTRAP_REAL] != reals ||
        kinds[HB_BOOTSTRAP_PAIR] != pairs) {
        fail_msg("%.200s: %u complex, %u single, %u pairs", text, kinds[0], kinds[1], kinds[2]);
    }
}

/* `first`, `turn` so often, and `last`. */
static const char *turns(const char *first, uint32_t times, const char *turn, const char *last)
{
    static char text[8192];
    text[0] = 0;
    append(text, first);
    for (uint32_t i = 0; i < times; i++) {
        append(text, turn);
    }
    append(text, last);
    return text;
}

static void as_few_as_there_must_be(void **state)
{
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    assert_bootstrapped(&w, turns("u = x.p;", 19, "u = u*u;", "y = u"), 0, 0, 0);
    assert_bootstrapped(&w, turns("u = x.p;", 20, "u = u*u;", "y = u"), 0, 1, 0);
    assert_bootstrapped(&w, turns("u = x.p;", 33, "u = u*u;", "y = u"), 0, 1, 0);
    assert_bootstrapped(&w, turns("u = x.p;", 34, "u = u*u;", "y = u"), 0, 2, 0);
    assert_bootstrapped(&w, turns("u = x;", 30, "u = u*u;", "y = u"), 0, 0, 2);
    assert_bootstrapped(&w, turns("u = z.p;", 30, "u = u*u;", "y = u"), 1, 0, 0);
    assert_bootstrapped(&w, turns("u = x.p;", 50, "u = 1.5*u - 0.5*u*u^2;", "y = u"), 0, 6, 0);
    close_world(&w);
}

/* A polynomial of a fresh column, which is multiplied by a value of few levels, is evaluated at as few: the column is
 * brought down before it. */
static void fresh_values_are_brought_down(void **state)
{
    world w;
    uint32_t found = 0;
    (void)state;
    open_deep(&w, "boot-test");
    assert_bootstrapped(&w, turns("u = x.p;", 24, "u = 0.5*u*x.p + 0.25*x.r;", "y = u*cheb(x.q, -1, 1, 0, 1, 0, 0.5)"),
                        0, 1, 0);
    for (uint32_t i = 0; i < w.program.passes[0].row_count; i++) {
        const hb_instruction *in = &w.program.passes[0].rows[i];
        if (in->op == HB_OP_POLYNOMIAL) {
            assert_int_equal(w.program.registers[in->to].limbs, 1 + w.program.outputs[0].limbs);
            found++;
        }
    }
    assert_int_equal(found, 1);
    close_world(&w);
}

/* The bootstrapped values are the small ones before and behind, not those between. */
static void small_values_are_bootstrapped(void **state)
{
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    assert_bootstrapped(&w, turns("u = x.p;", 10, "u = u*u;", "v = 64*u; t = 0.015625*(v*x.q); y = t^1024"), 0, 1, 0);
    assert_int_equal(w.program.description.bootstrap_count, 1);
    assert_int_equal(w.program.description.bootstraps[0].neighbours, 1);
    assert_int_equal(hb_program_blocks_together(&w.program), 2);
    assert_int_equal(w.program.description.bootstraps[0].range_bits, 0);
    assert_true(w.program.description.bootstraps[0].limbs_before >= 4 &&
                w.program.description.bootstraps[0].limbs_after == 18);
    assert_true(w.program.description.bootstraps[0].expected_after <=
                w.program.description.bootstraps[0].expected_before + 0.5);
    close_world(&w);
}

static void totals_are_bootstrapped_before_rows(void **state)
{
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    /* The total is one ciphertext, and so are its powers; the columns are four. */
    assert_bootstrapped(&w, turns("u = mean(x.p);", 30, "u = u*u;", "y = u + x.q"), 0, 1, 0);
    for (uint32_t p = 0; p < w.program.pass_count; p++) {
        uint32_t kinds[HB_BOOTSTRAP_NOISE] = {0};
        count_kinds(w.program.passes[p].rows, w.program.passes[p].row_count, kinds);
        assert_int_equal(kinds[HB_BOOTSTRAP_REAL] + kinds[HB_BOOTSTRAP_NEIGHBOURS], 0);
    }
    /* Rows are computed in each pass that needs them: a value that the second takes bootstrapped is bootstrapped in
     * both. */
    assert_bootstrapped(&w, turns("u = x.p;", 17, "u = u*u;", "m = mean(u*u*u); y = (u - m)^8"), 0, 2, 0);
    /* For a pair that the first pass needs the second needs one: it is made whole. */
    assert_bootstrapped(&w, turns("u = x;", 17, "u = u*u;", "m = mean(rowsum(u*u*u)); y = (u.1 - m)^8"), 0, 0, 3);
    assert_bootstrapped(&w, turns("u = mean(x);", 25, "u = u*u;", "y = u + x"), 0, 0, 2);
    close_world(&w);
}

/* Two totals of which different statements take one and then the other: both where the first is needed, as one. */
static void two_totals_go_in_a_pair(void **state)
{
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    const char *start = "u = mean(x.p); v = mean(x.q);", *turn = "t = 0.25*u*u; v = 0.5*v + t*u; u = 0.5*u + t*v;";
    assert_bootstrapped(&w, turns(start, 5, turn, "y = u*v + x.p"), 0, 0, 0);
    assert_bootstrapped(&w, turns(start, 6, turn, "y = u*v + x.p"), 0, 0, 1);
    assert_bootstrapped(&w, turns(start, 8, turn, "y = u*v + x.p"), 0, 0, 1);
    assert_bootstrapped(&w, turns(start, 19, turn, "y = u*v + x.p"), 0, 0, 5);
    close_world(&w);
}

static void what_surrounds_them_is_as_ever(void **state)
{
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    assert_bootstrapped(&w, turns("u = w @ x;", 18, "u = u*u;", "y = u"), 0, 0, 0);
    assert_bootstrapped(&w, turns("u = w @ x;", 22, "u = u*u;", "y = u"), 0, 0, 1);
    assert_bootstrapped(&w, turns("u = x;", 18, "u = u*u;", "y = w @ u"), 0, 0, 0);
    assert_bootstrapped(&w, turns("u = x;", 18, "u = u*u;", "y = sum(rotate(w @ u, 3))*x.p"), 0, 0, 2);
    /* Two rows of weights make two columns of four. */
    assert_bootstrapped(&w, turns("u = x;", 15, "u = u*u;", "v = (w @ u)^8; y = sum(rotate(v, 3))*x.p*x.q"), 0, 0, 1);
    assert_bootstrapped(&w, turns("u = x.p;", 10, "u = u*u;", "y = relu(u - 0.5) + sigmoid(u)"), 0, 1, 0);
    assert_bootstrapped(&w, turns("u = z.p;", 18, "u = u*u;", "y = re(u)*im(u)*x.p + abs2(u)"), 1, 0, 0);
    close_world(&w);
}

/* Returns a number below `count`. */
static uint32_t drawn(uint64_t *state, uint32_t count)
{
    *state = *state * 6364136223846793005 + 1442695040888963407; /* Knuth's, of MMIX */
    return (uint32_t)((*state >> 33) % count);
}

/* Adds a statement of a form whose @ are values at random, of one column or of all. */
static void draw_statement(uint64_t *state, char *text)
{
    static const char *const forms[] = {"0.5*@*@ - 0.5*@",
                                        "@*@",
                                        "0.75*@*@ + 0.25*x",
                                        "0.5*@ + 0.25*@ - 0.25*x.q*@",
                                        "0.25*@*@ + 0.25*@*@ - 0.5*x",
                                        "0.5*@*@ + 0.5*mean(@)",
                                        "-@*@*@",
                                        "0.5*mean(@*@) - 0.5*@",
                                        "mean(@)*@",
                                        "0.5*mean(@)*mean(@) + 0.5*@",
                                        "0.5*@*(@ - 0.5*mean(@))",
                                        "3*@*0.25*@",
                                        "0.5*@^4 + 0.5*mean(@)",
                                        "0.2*rowsum(@)*@",
                                        "0.5*(@^3) - 0.5*@",
                                        "0.001*(0.25*dot(@, @)) - 0.5*@",
                                        "mean(0.2*rowsum(@*@))*@",
                                        "0.5*rotate(@, 3)*@",
                                        "0.5*@.1 - 0.5*mean(@)*@",
                                        "mean(@) - mean(@)*@",
                                        "0.25*(@ - x)*x",
                                        "re(@)*z",
                                        "0.5*abs2(0.5i*@*z)"};
    const char *form = forms[drawn(state, sizeof forms / sizeof *forms)];
    char *end = text + strlen(text);
    *end++ = "uvt"[drawn(state, 3)];
    *end++ = '=';
    for (; *form != 0; form++) {
        *end++ = *form == '@' ? "uvt"[drawn(state, 3)] : *form;
    }
    *end++ = ';';
    *end = 0;
}

static const char *const starts[] = {"u=x; v=0.5*x*x+0.5*x; t=0.5*x - 0.25*x.q;", "u=x.p; v=mean(x.q)*x.r; t=x.s;",
                                     "u=x.p; v=0.5*x.q + 0.5*x.r; t=0.5*x.p - 0.5*x.r;"};

enum { PROGRAMS = 150, TURNS = 24 };

/* In any program pairs stand together, at the levels that bootstrapping takes and makes. */
static void random_programs_are_whole(void **state)
{
    const char *more = getenv("HB_TESTS_PROGRAMS");
    const uint32_t programs = more != NULL ? (uint32_t)strtoul(more, NULL, 10) : PROGRAMS;
    uint64_t random = 1;
    uint32_t compiled = 0, bootstrapped = 0;
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    /* Two values of a pair that come to the same node as they are made anew. */
    assert_int_equal(
        compile_bootstrap(
            &w,
            "u=x.p; v=0.5*x.q + 0.5*x.r; t=0.5*x.p - 0.5*x.r;u=0.5*t*v + 0.5*mean(u);u=0.2*rowsum(u)*v;"
            "v=0.5*v*v - 0.5*u;v=mean(v) - mean(v)*t;u=mean(u)*t;t=0.75*t*v + 0.25*x;v=0.5*abs2(0.5i*v*z);u=re(v)*z;"
            "v=0.25*(t - x)*x;u=0.5*u*u - 0.5*t;t=0.5*mean(v*u) - 0.5*v;t=0.5*u^4 + 0.5*mean(u);"
            "u=0.25*t*v + 0.25*u*t - 0.5*x;u=0.2*rowsum(t)*v;u=0.25*(t - x)*x;t=0.5*v.1 - 0.5*mean(u)*u;v=u*v;"
            "u=0.75*v*t + 0.25*x;v=3*u*0.25*u;v=0.25*v*u + 0.25*t*t - 0.5*x;t=0.5*v*t + 0.5*mean(v);y=u+v*t",
            HB_BOOTSTRAP_AUTO),
        HB_OK);
    for (uint32_t i = 0; i < programs; i++) {
        static char text[8192];
        uint32_t kinds[HB_BOOTSTRAP_NOISE] = {0};
        strcpy(text, starts[drawn(&random, 3)]);
        for (uint32_t turn = drawn(&random, TURNS); turn-- > 0;) {
            draw_statement(&random, text);
        }
        append(text, drawn(&random, 2) ? "y=u+v*t" : "y=mean(u*v)+t");
        const hb_status st =
            compile_bootstrap(&w, text, drawn(&random, 4) == 0 ? HB_BOOTSTRAP_TWICE : HB_BOOTSTRAP_AUTO);
        if (st == HB_OK) {
            compiled++;
            check_program(&w, kinds);
            bootstrapped += kinds[HB_BOOTSTRAP_PAIR];
        } else if (st == HB_EINTERNAL) {
            fail_msg("%s: %s", text, hb_last_error()->text);
        }
    }
    assert_true(compiled > programs / 2 && bootstrapped > programs / 2);
    close_world(&w);
}

static void refusals(void **state)
{
    world w;
    (void)state;
    open_deep(&w, "boot-test");
    const char *chain = turns("u = x.p;", 30, "u = u*u;", "y = u");
    assert_int_equal(compile_bootstrap(&w, chain, HB_BOOTSTRAP_NEVER), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "no level is left for this product"));
    w.operand[0].ranged = w.operand[0].values.known = false;
    for (uint32_t c = 0; c < MOST_COLUMNS; c++) {
        w.column[0][c].ranged = false;
    }
    assert_int_equal(compile_bootstrap(&w, turns("v = x.p;", 30, "v = v*v;", "y = v"), HB_BOOTSTRAP_AUTO), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "bootstrapping needs the range of"));
    close_world(&w);
}

/* Relative to a product at 29 limbs, a bootstrap takes the measured time: 12.6 ms against 290 us. */
static void as_long_as_was_measured(void **state)
{
    const hb_op_cost product = {.op = HB_OP_MULTIPLY, .limbs = 29, .to_limbs = 29},
                     rescale = {.op = HB_OP_RESCALE, .limbs = 29, .to_limbs = 28, .three = true};
    hb_params_spec spec;
    hb_params *params;
    (void)state;
    assert_int_equal(hb_params_preset("boot-16", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    const double one = hb_op_cost_transforms(params, &product) + hb_op_cost_transforms(params, &rescale);
    assert_true(fabs(hb_op_cost_bootstrap(params, HB_BOOTSTRAP_COMPLEX) / one - 12.6 / 0.29) < 4);
    hb_params_close(params);
}

HB_UNIT(program_bootstrap)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_few_as_there_must_be),
                                       cmocka_unit_test(fresh_values_are_brought_down),
                                       cmocka_unit_test(small_values_are_bootstrapped),
                                       cmocka_unit_test(totals_are_bootstrapped_before_rows),
                                       cmocka_unit_test(two_totals_go_in_a_pair),
                                       cmocka_unit_test(what_surrounds_them_is_as_ever),
                                       cmocka_unit_test(random_programs_are_whole),
                                       cmocka_unit_test(as_long_as_was_measured),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
