/* The costs of statements that placement of bootstraps gets are those of their instructions in the program. */
#include "unit/lang/run/reals_world.h"

#include <math.h>

#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/bootstrapping/coupling.h"
#include "lang/bootstrapping/value_classes.h"
#include "lang/cost/op_cost.h"
#include "lang/functions/list.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "lang/lower/lower.h"
#include "unit/unit.h"

/* The statements of an expression that assigns y, with levels without end. */
typedef struct placed {
    world tables;
    hb_syntax syntax;
    hb_lowering lowering;
    hb_facts facts;
    hb_value_classes statements;
} placed;

/* weights [2 * COLUMNS]: of w; NULL: as they are. block: slots of a row of x; 1: its columns are ciphertexts. */
static void open_placed(placed *x, const char *text, const double *weights, uint32_t block)
{
    memset(x, 0, sizeof *x);
    open_world(&x->tables, "boot-test", ROWS);
    for (int i = 0; weights != NULL && i < 2 * COLUMNS; i++) {
        x->tables.weights[i].real = weights[i];
    }
    const hb_params *params = x->tables.params;
    x->tables.operand[0].block = block;
    x->tables.operand[0].order = block > 1 ? HB_PACK_ROWS : x->tables.operand[0].order;
    assert_int_equal(hb_syntax_parse(&x->syntax, text, hb_lang_functions), HB_OK);
    x->lowering.graph = (hb_graph){.syntax = &x->syntax,
                                   .params = params,
                                   .spec = &params->spec,
                                   .operands = x->tables.operand,
                                   .operand_count = 4,
                                   .block = block,
                                   .couples = true,
                                   .boundless = true,
                                   .semantics = hb_semantics_of(params->spec.scheme)};
    x->lowering.approximations.bits = HB_LOWERING_BITS;
    assert_int_equal(hb_lower_check(&x->lowering), HB_OK);
    assert_int_equal(hb_lower(&x->lowering), HB_OK);
    const hb_symbol *y = hb_lower_find(&x->lowering, "y");
    assert_non_null(y);
    uint32_t node = x->lowering.pool[y->value.first];
    assert_int_equal(hb_graph_gather(&x->lowering.graph, node, &node), HB_OK);
    assert_int_equal(hb_facts_init(&x->facts, &x->lowering.graph), HB_OK);
    hb_facts_need(&x->facts, &node, 1);
    hb_facts_find_sizes(&x->facts);
    assert_int_equal(hb_facts_find_data_passes(&x->facts), HB_OK);
    assert_int_equal(hb_value_classes_find(&x->facts, NULL, &x->statements), HB_OK);
}

static void close_placed(placed *x)
{
    hb_value_classes_clear(&x->statements);
    hb_facts_clear(&x->facts);
    hb_lower_clear(&x->lowering);
    hb_syntax_clear(&x->syntax);
    close_world(&x->tables);
}

/* Returns the cost of the only statement of such an operation with its result at a level. */
static double cost_of(const placed *x, hb_opcode op, uint32_t level)
{
    double cost = 0;
    for (uint32_t s = 0; s < x->statements.count; s++) {
        if (x->lowering.graph.nodes[x->statements.first[s]].op == op) {
            assert_true(cost == 0);
            cost = x->statements.steps[s].costs[level];
        }
    }
    assert_true(cost > 0);
    return cost;
}

static double instruction(const placed *x, hb_op_cost operation)
{
    return hb_op_cost_transforms(x->tables.params, &operation);
}

static const hb_node *node_of(const placed *x, hb_opcode op)
{
    uint32_t i = 0;
    while (i + 1 < x->lowering.graph.count && x->lowering.graph.nodes[i].op != op) {
        i++;
    }
    assert_int_equal(x->lowering.graph.nodes[i].op, op);
    return &x->lowering.graph.nodes[i];
}

/* Sums with whole numbers stay at their level; those with others are rescaled. */
static void sums_are_rescaled_where_they_take_a_level(void **state)
{
    (void)state;
    static const double weights[][2 * COLUMNS] = {{0.5, -2, 0.3, 1, 1, 0.25}, {2, -2, 3, 1, 5, 4}};
    placed x;
    for (int whole = 0; whole < 2; whole++) {
        open_placed(&x, "y = w @ x", weights[whole], 1);
        for (uint32_t level = 1; level < 4; level++) {
            const double limbs = whole ? level + 1 : level + 2;
            const double sum = instruction(&x, (hb_op_cost){.op = HB_OP_COMBINE, .limbs = limbs, .terms = 3}),
                         rescale = instruction(&x, (hb_op_cost){.op = HB_OP_RESCALE, .limbs = limbs});
            assert_true(fabs(cost_of(&x, HB_OP_COMBINE, level) - sum - (whole ? 0 : rescale)) < 1e-9);
        }
        close_placed(&x);
    }
}

/* A product of ciphertexts is relinearized where it is rescaled. */
static void products_are_relinearized(void **state)
{
    (void)state;
    placed x;
    open_placed(&x, "y = x.p * x.q", NULL, 1);
    const double product = instruction(&x, (hb_op_cost){.op = HB_OP_MULTIPLY, .limbs = 5}),
                 rescale = instruction(&x, (hb_op_cost){.op = HB_OP_RESCALE, .limbs = 5, .three = true});
    assert_true(fabs(cost_of(&x, HB_OP_MULTIPLY, 3) - product - rescale) < 1e-9);
    close_placed(&x);
}

/* A matrix takes a factor of 1/2 into its weights. A sum of columns needs a half of its operand, which may not be
 * there: its cost is that of row blocks one by one. */
static void two_row_blocks_count_as_one_where_they_surely_are(void **state)
{
    (void)state;
    const uint32_t limbs = 5, block = 4;
    placed x;
    open_placed(&x, "y = rowsum(x)", NULL, block);
    hb_op_cost sum = {.op = HB_OP_ROW_SUM, .limbs = limbs, .to_limbs = limbs, .block = block};
    sum.number = node_of(&x, HB_OP_ROW_SUM)->number;
    assert_true(hb_node_couples(&x.lowering.graph, node_of(&x, HB_OP_ROW_SUM)));
    assert_true(fabs(cost_of(&x, HB_OP_ROW_SUM, limbs - 1) - instruction(&x, sum)) < 1e-9);
    close_placed(&x);
    open_placed(&x, "y = w @ x", NULL, block);
    const hb_op_cost matrix = {.op = HB_OP_MATRIX,
                               .limbs = limbs,
                               .to_limbs = limbs - 1,
                               .block = block,
                               .outline = hb_matrix_of(&x.lowering.graph, node_of(&x, HB_OP_MATRIX))->outline};
    const double coupled = hb_coupled_cost(&x.lowering.graph, &matrix);
    assert_true(fabs(cost_of(&x, HB_OP_MATRIX, limbs - 2) - fmin(coupled, instruction(&x, matrix))) < 1e-9);
    assert_true(coupled != instruction(&x, matrix));
    close_placed(&x);
}

HB_UNIT(placement_costs)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_rescaled_where_they_take_a_level),
                                       cmocka_unit_test(products_are_relinearized),
                                       cmocka_unit_test(two_row_blocks_count_as_one_where_they_surely_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
