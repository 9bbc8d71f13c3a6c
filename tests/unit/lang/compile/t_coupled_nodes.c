/* The check of graphs finds two row blocks as one where they are not allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/verify.h"
#include "lang/ir/semantics.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* x, which is coupled, goes through an operation, and is brought apart; beside it a total. */
enum { X, COUPLED, TOTAL, THROUGH, APART, NODES };

typedef struct chain {
    hb_node nodes[NODES];
    uint32_t pool[1];
    hb_symbol symbol;
    hb_symbol *outputs[1];
    hb_program_source source;
    hb_compilation c;
} chain;

static void make(chain *x, hb_opcode op)
{
    memset(x, 0, sizeof *x);
    for (uint32_t i = 0; i < NODES; i++) {
        x->nodes[i] = (hb_node){.op = HB_OP_LOAD,
                                .a = HB_NO_NODE,
                                .b = HB_NO_NODE,
                                .shape = {.limbs = 3,
                                          .total = i == TOTAL,
                                          .coupled = i == COUPLED || i == THROUGH,
                                          .halves = HB_HALVES_REAL},
                                .form.fingerprint = 1};
    }
    x->nodes[COUPLED].op = HB_OP_COUPLE;
    x->nodes[COUPLED].a = X;
    x->nodes[THROUGH].op = op;
    x->nodes[THROUGH].a = COUPLED;
    x->nodes[THROUGH].b = op == HB_OP_MULTIPLY ? TOTAL : op == HB_OP_MATRIX_PAIR ? COUPLED : HB_NO_NODE;
    x->nodes[APART].op = HB_OP_UNCOUPLE;
    x->nodes[APART].a = THROUGH;
    x->pool[0] = APART;
    x->symbol.value.columns = 1;
    x->outputs[0] = &x->symbol;
    x->source.output_count = 1;
    x->c = (hb_compilation){.source = &x->source, .outputs = x->outputs};
    x->c.lowering.pool = x->pool;
    x->c.lowering.graph = (hb_graph){.nodes = x->nodes, .count = NODES, .semantics = hb_semantics_of(HB_CKKS)};
}

static void assert_mixes(const chain *x, uint32_t node)
{
    char part[32];
    snprintf(part, sizeof part, "node %u, a ", node);
    assert_int_equal(hb_verify(&x->c, HB_IS_GRAPH), HB_EINTERNAL);
    assert_non_null(strstr(hb_last_error()->text, part));
    assert_non_null(strstr(hb_last_error()->text, "mixes two row blocks as one with others"));
}

static void coupled_values_go_through_few_operations(void **state)
{
    (void)state;
    static const hb_opcode through[] = {HB_OP_MATRIX,   HB_OP_MATRIX_PAIR, HB_OP_ROW_SUM,     HB_OP_ROW_SPREAD,
                                        HB_OP_MULTIPLY, HB_OP_RESCALE,     HB_OP_MASK_SCALED, HB_OP_ADJUST};
    static const hb_opcode others[] = {HB_OP_ADD_NUMBER, HB_OP_CONJUGATE, HB_OP_SUM_SLOTS,
                                       HB_OP_POLYNOMIAL, HB_OP_COUPLE,    HB_OP_BOOTSTRAP};
    chain x;
    for (size_t i = 0; i < sizeof through / sizeof *through; i++) {
        make(&x, through[i]);
        assert_int_equal(hb_verify(&x.c, HB_HAS_RESULTS), HB_OK);
        x.nodes[THROUGH].shape.coupled = false;
        assert_mixes(&x, THROUGH);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        make(&x, others[i]);
        assert_mixes(&x, THROUGH);
    }
}

/* A sum of two products has both operands coupled; a product has a total second. */
static void operands_are_checked_together(void **state)
{
    (void)state;
    static const hb_opcode pairs[] = {HB_OP_MULTIPLY, HB_OP_MATRIX_PAIR};
    chain x;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        make(&x, pairs[i]);
        x.nodes[THROUGH].b = X;
        assert_mixes(&x, THROUGH);
        make(&x, pairs[i]);
        x.nodes[THROUGH].a = i == 0 ? TOTAL : X;
        x.nodes[THROUGH].b = COUPLED;
        assert_mixes(&x, THROUGH);
        x.nodes[THROUGH].shape.coupled = false; /* as of operand `a` alone */
        assert_mixes(&x, THROUGH);
    }
    make(&x, HB_OP_MULTIPLY); /* of two coupled ones */
    x.nodes[THROUGH].b = COUPLED;
    assert_mixes(&x, THROUGH);
}

static void both_ends_are_checked(void **state)
{
    (void)state;
    chain x;
    make(&x, HB_OP_MATRIX);
    x.nodes[X].shape.total = true;
    assert_mixes(&x, COUPLED);
    make(&x, HB_OP_MATRIX);
    x.nodes[X].shape.halves = HB_HALVES_COMPLEX;
    assert_mixes(&x, COUPLED);
    make(&x, HB_OP_MATRIX);
    x.nodes[X].shape.coupled = true; /* of no operand */
    assert_mixes(&x, X);
    make(&x, HB_OP_MATRIX);
    x.nodes[APART].a = X;
    assert_mixes(&x, APART);
    make(&x, HB_OP_MATRIX);
    x.nodes[APART].shape.coupled = true;
    assert_mixes(&x, APART);
    make(&x, HB_OP_MATRIX);
    x.pool[0] = THROUGH;
    assert_int_equal(hb_verify(&x.c, HB_HAS_RESULTS), HB_EINTERNAL);
    assert_non_null(strstr(hb_last_error()->text, "column 0 of a result, is two row blocks as one"));
}

static void make_node(hb_graph *g, hb_opcode op, int64_t number, uint32_t *node)
{
    assert_int_equal(hb_graph_unary(g, op, *node, number, node), HB_OK);
}

/* A public number is encrypted as 0 times a ciphertext of as many columns, and that number: of one that is not
 * coupled. */
static void numbers_are_no_two_row_blocks(void **state)
{
    enum { WIDTH = 4 };
    const hb_item item = {.at = 0};
    const hb_schema schema = {.rows = 100000};
    hb_params_spec spec;
    hb_params *params;
    (void)state;
    assert_int_equal(hb_params_preset("ckks-14", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    const hb_operand x = {.schema = &schema, .encrypted = true, .limbs = params->fresh_limbs};
    hb_graph g = {.params = params,
                  .spec = &spec,
                  .semantics = hb_semantics_of(HB_CKKS),
                  .operands = &x,
                  .operand_count = 1,
                  .rows = schema.rows,
                  .block = WIDTH,
                  .encoding = HB_ENCODE_SLOTS};
    const hb_node load = {.op = HB_OP_LOAD,
                          .a = HB_NO_NODE,
                          .b = HB_NO_NODE,
                          .shape = {.limbs = params->fresh_limbs, .width = WIDTH, .halves = HB_HALVES_REAL},
                          .range.interval = hb_interval_of_reals(-1, 1)};
    uint32_t node, known;
    hb_graph_at_item(&g, &item, (hb_iteration){0});
    assert_int_equal(hb_graph_node(&g, &load, &node), HB_OK);
    make_node(&g, HB_OP_COUPLE, 0, &node);
    make_node(&g, HB_OP_ROW_SUM, WIDTH, &node);
    assert_int_equal(hb_graph_known(&g, node, false, (hb_number){.real = 0.5}, &known), HB_OK);
    assert_false(g.nodes[known].shape.coupled);
    make_node(&g, HB_OP_UNCOUPLE, 0, &node);
    make_node(&g, HB_OP_CONJUGATE, 0, &known);
    assert_int_equal(g.nodes[known].op, HB_OP_CONJUGATE);
    for (uint32_t i = node; i < g.count; i++) {
        assert_false(g.nodes[i].shape.coupled);
    }
    const hb_compilation c = {.lowering.graph = g};
    assert_int_equal(hb_verify(&c, HB_IS_GRAPH), HB_OK);
    hb_graph_clear(&g);
    hb_params_close(params);
}

HB_UNIT(coupled_nodes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_values_go_through_few_operations), cmocka_unit_test(operands_are_checked_together),
        cmocka_unit_test(both_ends_are_checked), cmocka_unit_test(numbers_are_no_two_row_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
