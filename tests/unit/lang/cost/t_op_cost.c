/* The costs of operations: by hand, against the transforms in them, and larger for more work. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang/cost/op_cost.h"
#include "lang/cost/program_cost.h"
#include "lang/program/bootstrap.h"
#include "scheme/bootstrap.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params *open_preset(const char *name)
{
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

/* A result that is lower by the levels of a polynomial or a matrix; of everything else this says nothing. */
static hb_op_cost operation(hb_opcode op, double limbs)
{
    return (hb_op_cost){.op = op,
                        .limbs = limbs,
                        .to_limbs = op == HB_OP_POLYNOMIAL                          ? limbs / 2
                                    : op == HB_OP_MATRIX || op == HB_OP_MATRIX_PAIR ? limbs - 1
                                                                                    : limbs,
                        .three = op == HB_OP_RELINEARIZE,
                        .products = 5,
                        .degree = 7,
                        .terms = 40,
                        .number = op == HB_OP_BOOTSTRAP ? hb_bootstrap_number(HB_BOOTSTRAP_REAL, 0, false) : 8,
                        .outline = {.parts = 2, .copies = 1, .babies = 3, .giants = 2, .diagonals = 10}};
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* The same operation in both schemes; 0: it has it not. */
typedef struct row {
    hb_opcode op;
    double bfv, ckks;                       /* its cost */
    double bfv_transforms, ckks_transforms; /* that it is made of; 0: none */
} row;

/* bfv-4096: 2 limbs and 1 special one, 2 digits, in coefficient form. A switch of keys is 2.5 (2 + 1) (2 + 1 + 1) = 30:
 * each digit goes to 3 limbs, and both components come back from them, 6 + 6 transforms. A product, 5 (2 + 1) (2 + 2):
 * four polynomials go to 2 limbs and 3 auxiliary ones, and three come back.
 * ckks-14 at 4 limbs: 2 special ones, 2 digits of 2, in NTT form. A switch is 2.5 (2 + 1) (4 + 2 + 1) = 52.5: 4 limbs
 * become digits, each of which goes to 6; of both components 2 limbs come back, and 4 go out: 4 + 12 + 4 + 8; at 3
 * limbs it is 2.5 (2 + 1) (3 + 2 + 1) = 45. */
static const row rows[] = {
    {HB_OP_LOAD, 4, 8, 0, 0},
    {HB_OP_LOAD_PLAIN, 1, 1, 1, 1},
    {HB_OP_KNOWN, 0, 0, 0, 0},
    {HB_OP_STORE, 4, 8, 0, 0},
    {HB_OP_ADD, 3, 6, 0, 0},
    {HB_OP_SUBTRACT, 3, 6, 0, 0},
    {HB_OP_NEGATE, 3, 6, 0, 0},
    {HB_OP_ADD_PLAIN, 3, 6, 0, 0},
    {HB_OP_SUBTRACT_PLAIN, 3, 6, 0, 0},
    /* The plaintext, and both components there and back, or the plaintext alone, beside its rounding. */
    {HB_OP_MULTIPLY_PLAIN, 24, 48, 10, 0},
    {HB_OP_ADD_CONSTANT, 3, 0, 0, 0},
    {HB_OP_ADD_NUMBER, 0, 6, 0, 0},
    {HB_OP_MULTIPLY_INTEGER, 3, 6, 0, 0},
    {HB_OP_MULTIPLY_NUMBER, 0, 6, 0, 0},
    {HB_OP_COMBINE, 80, 160, 0, 0}, /* 40 terms of 1 */
    {HB_OP_ADD_ROW, 3, 6, 0, 0},
    {HB_OP_MATRIX, 0, 52.5 * (3 * 0.6 + 2 + 1) + 45 + 0.3 * 10 * 6, 0, 0},
    {HB_OP_MATRIX_PAIR, 0, 52.5 * (3 * 0.6 + 2 + 1 + 0.4) + 45 + 0.3 * 10 * 6, 0, 0}, /* digits of two */
    {HB_OP_ROW_SUM, 0, 3 * 52.5, 0, 3 * 28},                                          /* 8 slots */
    {HB_OP_ROW_SPREAD, 0, 3 * 52.5, 0, 3 * 28},
    /* Two passes over the words of two row blocks; half a switch for each, and one and a half. */
    {HB_OP_COUPLE, 0, 2 * 6, 0, 0},
    {HB_OP_UNCOUPLE, 0, 52.5 / 2 + 1.5 * 6, 0, 14},
    {HB_OP_MULTIPLY, 60, 18, 7 * 5, 0},
    {HB_OP_POLYNOMIAL, 0, 5 * 45 + 7 * 1.5 * 3, 0, 0}, /* from 4 limbs to 2 */
    {HB_OP_RELINEARIZE, 30, 52.5, 12, 28},
    {HB_OP_RESCALE, 0, 6, 0, 2 * 4}, /* of both components a limb comes back, and goes to 3 */
    {HB_OP_MOD_SWITCH, 3, 6, 0, 0},
    {HB_OP_EXTEND, 3, 6, 0, 0},
    {HB_OP_ADJUST, 0, 6, 0, 0},
    {HB_OP_ROTATE, 30, 52.5, 12, 28},
    {HB_OP_SWAP, 30, 0, 12, 0},
    {HB_OP_CONJUGATE, 0, 52.5, 0, 28},
    {HB_OP_TIMES_I, 0, 6, 0, 0},
    {HB_OP_BROADCAST, 3, 6, 0, 0},
    {HB_OP_MASK, 24, 0, 10, 0},
    {HB_OP_MASK_SCALED, 0, 48, 0, 0},
    {HB_OP_ACCUMULATE, 3, 6, 0, 0},
    {HB_OP_MASK_ROW, 24, 48, 10, 0},
    {HB_OP_FILL_ROWS, 12 * 30, 14 * 52.5, 12 * 12, 13 * 28}, /* N = 2^12, 2^14 */
    {HB_OP_SPREAD, 30 + 2 * 3, 52.5 + 2 * 6, 12, 28},        /* a switch, and two passes over the words */
    {HB_OP_SUM_SLOTS, 12 * 30, 14 * 52.5, 12 * 12, 13 * 28},
};

/* The kinds of an operation: about the transforms that are said by hand, and words that are read and written. */
static void check_kinds(const hb_params *params, const hb_op_cost *x, double transforms)
{
    hb_cost cost = {{0}};
    hb_op_cost_add(params, x, &cost);
    assert_true(cost.of[HB_COST_CORE] == hb_op_cost_transforms(params, x));
    assert_true(cost.of[HB_COST_TRANSFORMS] >= 0.7 * transforms &&
                (transforms == 0 || cost.of[HB_COST_TRANSFORMS] <= 1.5 * transforms));
    assert_true(x->op == HB_OP_KNOWN ||
                (cost.of[HB_COST_LAUNCHES] > 0 && cost.of[HB_COST_WORDS] + cost.of[HB_COST_TRANSFORMS] > 0));
    assert_true((cost.of[HB_COST_DIGESTS] > 0) == (x->op == HB_OP_LOAD || x->op == HB_OP_STORE));
}

/* Transforms come in batches, and the work between them has a share: the measured factor is from 0.7 to 3. */
static void check_row(const hb_params *params, hb_opcode op, double limbs, double cost, double transforms)
{
    const hb_op_cost x = operation(op, limbs);
    const double found = hb_op_cost_transforms(params, &x);
    if (cost > 0 && !near(found, cost)) {
        fail_msg("operation %d at %g limbs: %.17g, by hand %.17g", (int)op, limbs, found, cost);
    }
    assert_true(transforms == 0 || (found >= 0.7 * transforms && found <= 3 * transforms));
    if (cost > 0) {
        check_kinds(params, &x, transforms);
    }
}

static void every_row_by_hand(void **state)
{
    (void)state;
    hb_params *bfv = open_preset("bfv-4096"), *ckks = open_preset("ckks-14");
    int seen[HB_OPCODES] = {[HB_OP_BOOTSTRAP] = 1, [HB_OP_REFRESH] = 1, [HB_OP_LOOKUP] = 1}; /* below */
    assert_int_equal(bfv->auxiliary_limbs, 3);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row(bfv, rows[i].op, 2, rows[i].bfv, rows[i].bfv_transforms);
        check_row(ckks, rows[i].op, 4, rows[i].ckks, rows[i].ckks_transforms);
        seen[rows[i].op]++;
    }
    for (int op = 0; op < HB_OPCODES; op++) {
        assert_int_equal(seen[op], 1);
    }
    hb_op_cost x = operation(HB_OP_SUM_SLOTS, 4);
    x.block = 8; /* slots of a row: as many fewer */
    assert_true(near(hb_op_cost_transforms(ckks, &x), (14 - 3) * 52.5));
    x = operation(HB_OP_ROW_SUM, 4);
    x.coupled = true; /* one ciphertext for two row blocks */
    assert_true(near(hb_op_cost_transforms(ckks, &x), 3 * 52.5 / 2));
    /* Five sums of N = 2^12: twice four by three switches, and ten pairs; each of five columns has its part. */
    x = operation(HB_OP_STORE, 3);
    const double alone = hb_op_cost_transforms(bfv, &x);
    x.to_limbs = 2;
    x.sums = 5;
    assert_true(near(hb_op_cost_transforms(bfv, &x), alone + (2 * 3 + 10) * 30.0 / 5));
    x = operation(HB_OP_RESCALE, 4);
    x.three = true;
    assert_true(near(hb_op_cost_transforms(ckks, &x), 52.5));
    hb_params_close(bfv);
    hb_params_close(ckks);
}

/* boot-test: from 1 limb to the top of the chain and down again. */
static void bootstraps_by_hand(void **state)
{
    (void)state;
    hb_params *params = open_preset("boot-test");
    uint32_t operands, results;
    hb_bootstrap_limbs(params, false, &operands, &results);
    const double digit = hb_spec_digit_limbs(&params->spec), special = hb_spec_special_limbs(&params->spec),
                 limbs[] = {operands, params->data_limbs, (params->data_limbs + results) / 2.0, results};
    double each[4];
    for (int i = 0; i < 4; i++) {
        each[i] = 2.5 * (ceil(limbs[i] / digit) + 1) * (limbs[i] + special + 1);
    }
    const double maps = params->spec.bootstrapping.stc_levels, radix = exp2(((double)params->ring.log_n - 1) / maps);
    const double first = maps * (0.58 * sqrt(radix) + 0.148 * radix);
    const double real = first * each[0] + 20 * each[1] + 18 * each[2], complex = real + 18 * each[2];
    assert_true(near(hb_op_cost_bootstrap(params, HB_BOOTSTRAP_REAL), real));
    assert_true(near(hb_op_cost_bootstrap(params, HB_BOOTSTRAP_COMPLEX), complex));
    assert_true(near(hb_op_cost_bootstrap(params, HB_BOOTSTRAP_PAIR), complex));
    const double lowest = complex - first * each[0] + first * each[3]; /* to coefficients last, where results are */
    const double instruction[HB_BOOTSTRAP_NOISE] = {[HB_BOOTSTRAP_COMPLEX] = complex,
                                                    [HB_BOOTSTRAP_REAL] = real,
                                                    [HB_BOOTSTRAP_PAIR] = complex / 2,
                                                    [HB_BOOTSTRAP_NEIGHBOURS] = complex / 2,
                                                    [HB_BOOTSTRAP_LOWEST] = lowest};
    for (int kind = 0; kind < HB_BOOTSTRAP_NOISE; kind++) {
        for (int twice = 0; twice < 2; twice++) {
            hb_op_cost x = operation(HB_OP_BOOTSTRAP, operands);
            x.number = hb_bootstrap_number((hb_bootstrap_kind)kind, 3, twice);
            assert_true(near(hb_op_cost_transforms(params, &x), (1 + twice) * instruction[kind]));
        }
    }
    hb_params_close(params);
}

/* int-16: from the 23 limbs of the chain through EvalMod, where 9 are left, to the users' 6. The design counts three
 * quarters of a bootstrap of boot-16 in time. */
static void passes_by_hand(void **state)
{
    (void)state;
    hb_params *params = open_preset("int-16"), *reals = open_preset("boot-16");
    const double limbs[] = {9, 23, (23 + 9) / 2.0}, digits[] = {2, 3, 2};
    double each[3];
    for (int i = 0; i < 3; i++) {
        each[i] = 2.5 * (digits[i] + 1) * (limbs[i] + 8 + 1);
    }
    const double radix = exp2(15 / 3.0), first = 3 * (0.58 * sqrt(radix) + 0.148 * radix);
    const double pass = first * each[0] + 20 * each[1] + 2 * 18 * each[2];
    const hb_op_cost x = operation(HB_OP_REFRESH, 6);
    assert_true(near(hb_op_cost_transforms(params, &x), pass));
    assert_true(near(hb_op_cost_bootstrap(params, HB_BOOTSTRAP_COMPLEX), pass));
    const double share = pass / hb_op_cost_bootstrap(reals, HB_BOOTSTRAP_COMPLEX);
    assert_true(share > 0.5 && share < 1);
    hb_params_close(params);
    hb_params_close(reals);
}

/* A look-up costs more than a pass on the same chain: half as much with few entries, and 2.1 times as much with 256. */
static void lookups_cost_more_than_passes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double least, most;
    } chains[] = {{"int-16-table-4", 1.1, 1.6}, {"int-16-table-8", 1.7, 2.5}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        hb_params *params = open_preset(chains[i].name);
        const hb_op_cost lookup = operation(HB_OP_LOOKUP, 4), pass = operation(HB_OP_REFRESH, 4);
        const double ratio = hb_op_cost_transforms(params, &lookup) / hb_op_cost_transforms(params, &pass);
        assert_true(ratio > chains[i].least && ratio < chains[i].most);
        hb_params_close(params);
    }
}

/* Every operation but a known number costs something, and none less at a higher level; all but an encoding more. */
static void more_limbs_cost_more(void **state)
{
    (void)state;
    static const char *const presets[] = {"bfv-8192", "ckks-14", "boot-test"};
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        hb_params *params = open_preset(presets[i]);
        for (int op = 0; op < HB_OPCODES; op++) {
            double last = 0;
            /* A bootstrap has its own limbs, which chains without it have not. */
            const bool own = op == HB_OP_BOOTSTRAP || op == HB_OP_REFRESH || op == HB_OP_LOOKUP;
            for (uint32_t limbs = 2; !own && limbs <= params->data_limbs; limbs++) {
                const hb_op_cost x = operation((hb_opcode)op, limbs);
                const double cost = hb_op_cost_transforms(params, &x);
                const bool same = op == HB_OP_LOAD_PLAIN || op == HB_OP_KNOWN;
                assert_true(isfinite(cost) && (same ? cost == (op == HB_OP_LOAD_PLAIN) : cost > last));
                last = cost;
            }
        }
        hb_params_close(params);
    }
}

static void assert_more(const hb_params *params, hb_op_cost less, hb_op_cost more)
{
    assert_true(hb_op_cost_transforms(params, &more) > hb_op_cost_transforms(params, &less));
}

static void more_of_a_kind_costs_more(void **state)
{
    (void)state;
    hb_params *params = open_preset("ckks-14");
    const hb_op_cost combine = operation(HB_OP_COMBINE, 4), polynomial = operation(HB_OP_POLYNOMIAL, 4),
                     matrix = operation(HB_OP_MATRIX, 4), row_sum = operation(HB_OP_ROW_SUM, 4);
    hb_op_cost x = combine;
    x.terms++;
    assert_more(params, combine, x);
    x = polynomial;
    x.products++;
    assert_more(params, polynomial, x);
    x = polynomial;
    x.degree++;
    assert_more(params, polynomial, x);
    x = row_sum;
    x.number *= 2;
    assert_more(params, row_sum, x);
    uint32_t *const counts[] = {&x.outline.babies, &x.outline.giants, &x.outline.diagonals, &x.outline.copies,
                                &x.outline.parts};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        x = matrix;
        ++*counts[i];
        assert_more(params, matrix, x);
    }
    hb_params_close(params);
}

/* Rows of all passes, and totals of all, apart. */
static void programs_are_sums(void **state)
{
    (void)state;
    hb_params *params = open_preset("bfv-4096");
    hb_register registers[] = {{.size = 2, .limbs = 2}, {.size = 3, .limbs = 2}};
    hb_linear_terms terms = {.count = 40};
    hb_instruction first[] = {{.op = HB_OP_LOAD}, {.op = HB_OP_MULTIPLY, .to = 1}, {.op = HB_OP_RELINEARIZE, .a = 1}},
                   second[] = {{.op = HB_OP_LOAD}, {.op = HB_OP_COMBINE}}, totals[] = {{.op = HB_OP_STORE}};
    hb_pass passes[] = {{.rows = first, .row_count = 3, .totals = totals, .total_count = 1},
                        {.rows = second, .row_count = 2, .totals = totals, .total_count = 1}};
    const hb_program program = {.registers = registers,
                                .register_count = 2,
                                .combinations = &terms,
                                .combination_count = 1,
                                .passes = passes,
                                .pass_count = 2};
    const hb_program_cost cost = hb_program_cost_of(params, &program);
    assert_true(near(cost.rows.of[HB_COST_CORE], (4 + 60 + 30) + (4 + 80)));
    assert_true(near(cost.totals.of[HB_COST_CORE], 4 + 4));
    hb_params_close(params);
}

/* ckks-14 has 8 limbs: a switch takes 2.5 (4 + 1) (8 + 2 + 1) = 137.5. */
static void layers_by_hand(void **state)
{
    (void)state;
    hb_params *params = open_preset("ckks-14");
    const double around = 2 * 8 + 1.5 * 3 * 8 + 137.5;
    assert_int_equal(params->fresh_limbs, 8);
    assert_true(near(hb_layer_cost(params, 100, 0), around + 1.0 * 8 * 100));
    /* 128 slots: 256 diagonals in 16 steps of either kind. */
    assert_true(near(hb_layer_cost(params, 100, 128), around + 137.5 * (16 * 1.6 + 1) + 0.3 * 256 * 10));
    hb_params_close(params);
}

static double received(const hb_cost *cost)
{
    return cost->of[HB_COST_GATHERED] + cost->of[HB_COST_SLICED];
}

/* Ranks that share limbs exchange where limbs meet: in switches of keys, products of integers and divisions; nothing in
 * sums, and nothing where limbs are not divided. */
static void exchanges(void **state)
{
    (void)state;
    const char *const names[] = {"bfv-8192", "ckks-14"};
    const hb_opcode local[] = {HB_OP_ADD, HB_OP_ADD_PLAIN, HB_OP_COMBINE, HB_OP_MULTIPLY_PLAIN, HB_OP_ACCUMULATE};
    const hb_opcode shared[] = {HB_OP_RELINEARIZE, HB_OP_ROTATE, HB_OP_SUM_SLOTS, HB_OP_RESCALE};
    for (size_t n = 0; n < 2; n++) {
        hb_params *params = open_preset(names[n]);
        for (uint32_t k = 1; k <= 3; k++) {
            assert_int_equal(hb_params_divide(params, k), HB_OK);
            for (size_t i = 0; i < sizeof local / sizeof *local + sizeof shared / sizeof *shared; i++) {
                const bool meets = i >= sizeof local / sizeof *local;
                const hb_op_cost x =
                    operation(meets ? shared[i - sizeof local / sizeof *local] : local[i], params->fresh_limbs);
                hb_cost cost = {{0}};
                hb_op_cost_add(params, &x, &cost);
                assert_true((received(&cost) > 0) == (meets && k > 1));
                assert_true((cost.of[HB_COST_TRANSFERS] > 0) == (meets && k > 1));
            }
        }
        hb_params_close(params);
    }
}

/* Two ranks have received so many limbs in bootstraps of this chain, of one real value and of two together. */
static void bootstraps_exchange_what_was_counted(void **state)
{
    (void)state;
    const double real = 520, pair = 840;
    hb_params *params = open_preset("boot-test");
    assert_int_equal(hb_params_divide(params, 2), HB_OK);
    hb_op_cost x = operation(HB_OP_BOOTSTRAP, 4);
    hb_cost one = {{0}}, two = {{0}};
    hb_op_cost_add(params, &x, &one);
    x.number = hb_bootstrap_number(HB_BOOTSTRAP_PAIR, 0, false);
    hb_op_cost_add(params, &x, &two); /* one of two instructions */
    assert_true(fabs(received(&one) - real) < real / 10);
    assert_true(fabs(2 * received(&two) - pair) < pair / 10);
    hb_params_close(params);
}

HB_UNIT(op_cost)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_by_hand),
                                       cmocka_unit_test(bootstraps_by_hand),
                                       cmocka_unit_test(passes_by_hand),
                                       cmocka_unit_test(lookups_cost_more_than_passes),
                                       cmocka_unit_test(more_limbs_cost_more),
                                       cmocka_unit_test(more_of_a_kind_costs_more),
                                       cmocka_unit_test(programs_are_sums),
                                       cmocka_unit_test(layers_by_hand),
                                       cmocka_unit_test(exchanges),
                                       cmocka_unit_test(bootstraps_exchange_what_was_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
