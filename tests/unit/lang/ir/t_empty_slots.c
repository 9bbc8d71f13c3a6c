/* Slots that hold no value: an operation says 0 of them only where every operand that reaches them holds 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/ir/empty_slots.h"
#include "lang/ir/semantics.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

/* Rows of three columns in blocks of four slots; the last row block is partly filled. */
enum { BLOCK = 4, WIDTH = 3 };
/* DIRTY is the only load that may hold something else than 0 in slots without a value. */
enum { CLEAN, DIRTY, CLEAN_TOO, LOADS };

typedef struct world {
    hb_params *params;
    hb_schema schema;
    hb_operand operand[LOADS];
    hb_syntax syntax;
    hb_item item;
    hb_graph graph;
    uint32_t node[LOADS];
} world;

static void open_world(world *w)
{
    static hb_column column[WIDTH];
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset("ckks-14", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    w->schema = (hb_schema){.rows = 10, .columns = WIDTH, .rank = 2, .width = 8, .column = column};
    w->syntax = (hb_syntax){.text = "y"};
    w->item = (hb_item){.at = 1, .to = 1};
    w->graph = (hb_graph){.syntax = &w->syntax,
                          .params = w->params,
                          .spec = &w->params->spec,
                          .semantics = hb_semantics_of(spec.scheme),
                          .operands = w->operand,
                          .operand_count = LOADS,
                          .first = &w->operand[CLEAN],
                          .rows = w->schema.rows,
                          .block = BLOCK,
                          .position.item = &w->item};
    for (uint32_t i = 0; i < LOADS; i++) {
        w->operand[i] = (hb_operand){.name = "x", .schema = &w->schema, .encrypted = true, .block = BLOCK};
        w->operand[i].quality = hb_quality_fresh(w->params, true, HB_BINOMIAL);
        const hb_node node = {.op = HB_OP_LOAD,
                              .a = HB_NO_NODE,
                              .b = HB_NO_NODE,
                              .operand = i,
                              .shape.limbs = w->params->data_limbs,
                              .shape.width = WIDTH,
                              .shape.padding_zero = i != DIRTY,
                              .shape.tail_zero = i != DIRTY,
                              .range.interval = hb_interval_of_reals(-1, 1)};
        assert_int_equal(hb_graph_node(&w->graph, &node, &w->node[i]), HB_OK);
    }
}

static void close_world(world *w)
{
    hb_graph_clear(&w->graph);
    hb_params_close(w->params);
}

static hb_node made(const world *w, hb_opcode op, uint32_t a, uint32_t b)
{
    hb_node node = {.op = op, .a = w->node[a], .b = b == HB_NO_NODE ? b : w->node[b], .shape.width = WIDTH};
    hb_node_find_empty_slots(&w->graph, &node);
    return node;
}

static void a_sum_is_0_where_both_are(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    for (uint32_t a = CLEAN; a <= DIRTY; a++) {
        for (uint32_t b = CLEAN; b <= DIRTY; b++) {
            const hb_node sum = made(&w, HB_OP_ADD, a, b), product = made(&w, HB_OP_MULTIPLY, a, b);
            assert_int_equal(sum.shape.tail_zero, a == CLEAN && b == CLEAN);
            assert_int_equal(sum.shape.padding_zero, a == CLEAN && b == CLEAN);
            assert_int_equal(product.shape.tail_zero, a == CLEAN || b == CLEAN);
            assert_int_equal(product.shape.padding_zero, a == CLEAN || b == CLEAN);
        }
    }
    close_world(&w);
}

/* Every term counts, the last as well as the first. */
static void a_combination_is_0_where_all_terms_are(void **state)
{
    (void)state;
    static const uint32_t terms[][3] = {
        {DIRTY, CLEAN, CLEAN_TOO}, {CLEAN, DIRTY, CLEAN_TOO}, {CLEAN, CLEAN_TOO, DIRTY}, {CLEAN, CLEAN_TOO}};
    for (uint32_t i = 0; i < 4; i++) {
        world w;
        open_world(&w);
        const uint32_t count = i < 3 ? 3 : 2;
        uint32_t nodes[3], out = HB_NO_NODE;
        hb_number numbers[3];
        for (uint32_t k = 0; k < count; k++) {
            nodes[k] = w.node[terms[i][k]];
            numbers[k] = (hb_number){.real = 0.3 + k};
        }
        assert_int_equal(w.graph.semantics->combine(&w.graph, nodes, numbers, count, true, &out), HB_OK);
        assert_int_not_equal(out, HB_NO_NODE);
        assert_int_equal(w.graph.nodes[out].op, HB_OP_COMBINE);
        assert_int_equal(w.graph.nodes[out].shape.tail_zero, i == 3);
        assert_int_equal(w.graph.nodes[out].shape.padding_zero, i == 3);
        close_world(&w);
    }
}

static void masks_and_moves(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    const hb_node rotated = made(&w, HB_OP_ROTATE, CLEAN, HB_NO_NODE);
    assert_false(rotated.shape.padding_zero);
    assert_true(rotated.shape.tail_zero);
    const hb_node masked = made(&w, HB_OP_MASK_SCALED, DIRTY, HB_NO_NODE);
    assert_true(masked.shape.padding_zero && masked.shape.tail_zero);
    assert_false(made(&w, HB_OP_RESCALE, DIRTY, HB_NO_NODE).shape.tail_zero);
    close_world(&w);
}

HB_UNIT(empty_slots)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sum_is_0_where_both_are),
                                       cmocka_unit_test(a_combination_is_0_where_all_terms_are),
                                       cmocka_unit_test(masks_and_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
