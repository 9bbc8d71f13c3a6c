/* Facts stand beside a graph: analyses leave the graph as it is, and errors that are asked for with others in the place
 * of some leave those as they are. */
#include "unit/lang/run/reals_world.h"

#include <math.h>

#include "lang/analysis/approximation_error.h"
#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/analysis/error_analysis.h"
#include "lang/analysis/transfer_functions.h"
#include "lang/functions/list.h"
#include "lang/ir/semantics.h"
#include "lang/lower/lower.h"
#include "reference/placed.h"
#include "unit/unit.h"

/* The graph of an expression of reals that assigns y, and its facts. */
typedef struct analyzed {
    world tables;
    hb_syntax syntax;
    hb_lowering lowering;
    uint32_t y;
    hb_facts facts;
} analyzed;

static void open_analyzed(analyzed *x, const char *text)
{
    memset(x, 0, sizeof *x);
    open_world(&x->tables, "ckks-16", ROWS);
    const hb_params *params = x->tables.params;
    assert_int_equal(hb_syntax_parse(&x->syntax, text, hb_lang_functions), HB_OK);
    x->lowering.graph = (hb_graph){.syntax = &x->syntax,
                                   .params = params,
                                   .spec = &params->spec,
                                   .operands = x->tables.operand,
                                   .operand_count = 4,
                                   .block = 1,
                                   .semantics = hb_semantics_of(params->spec.scheme)};
    x->lowering.approximations.bits = HB_LOWERING_BITS;
    assert_int_equal(hb_lower_check(&x->lowering), HB_OK);
    assert_int_equal(hb_lower(&x->lowering), HB_OK);
    const hb_symbol *y = hb_lower_find(&x->lowering, "y");
    assert_non_null(y);
    uint32_t *node = &x->lowering.pool[y->value.first];
    assert_int_equal(hb_graph_gather(&x->lowering.graph, *node, node), HB_OK);
    place_levels_of(&x->lowering, node);
    x->y = *node;
    assert_int_equal(hb_facts_init(&x->facts, &x->lowering.graph), HB_OK);
    hb_facts_need(&x->facts, &x->y, 1);
    hb_facts_find_sizes(&x->facts);
    assert_int_equal(hb_facts_find_data_passes(&x->facts), HB_OK);
}

static void close_analyzed(analyzed *x)
{
    hb_facts_clear(&x->facts);
    hb_lower_clear(&x->lowering);
    hb_syntax_clear(&x->syntax);
    close_world(&x->tables);
}

static void *copy_of(const void *from, size_t size)
{
    void *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, from, size);
}

/* Returns the product that is relu of x. */
static const hb_node *product_of(const analyzed *x)
{
    const hb_node *found = NULL;
    for (uint32_t i = 0; i < x->facts.count; i++) {
        const hb_node *node = &x->lowering.graph.nodes[i];
        found = node->op == HB_OP_MULTIPLY && node->range.kink_gap > 0 ? node : found;
    }
    assert_non_null(found);
    return found;
}

static const char relu[] = "y = relu(x.p) + 0.25*x.q*x.r";

static void errors_follow_from_the_graph_alone(void **state)
{
    (void)state;
    analyzed x;
    open_analyzed(&x, relu);
    const size_t nodes = x.facts.count * sizeof(hb_node), errors = x.facts.count * sizeof(hb_node_error);
    void *before = copy_of(x.lowering.graph.nodes, nodes);
    assert_int_equal(hb_facts_find_errors(&x.facts, HB_QUALITY_EXPECTED), HB_OK);
    assert_memory_equal(x.lowering.graph.nodes, before, nodes);
    assert_true(x.facts.error[x.y].approximate > 0);
    assert_false(x.facts.without_approximation);
    /* Found once more, over the old ones, they are the same. */
    void *first = copy_of(x.facts.error, errors);
    assert_int_equal(hb_facts_find_errors(&x.facts, HB_QUALITY_EXPECTED), HB_OK);
    for (uint32_t i = 0; i < x.facts.count; i++) {
        const hb_node_error *was = (const hb_node_error *)first + i, *is = &x.facts.error[i];
        assert_true(was->quality.worst == is->quality.worst && was->quality.expected == is->quality.expected);
        assert_true(was->approximate == is->approximate && was->moments.square == is->moments.square);
    }
    free(before);
    free(first);
    close_analyzed(&x);
}

static void a_kink_asks_what_would_be_and_changes_nothing(void **state)
{
    (void)state;
    analyzed x;
    hb_error_overlay overlay;
    open_analyzed(&x, relu);
    assert_int_equal(hb_facts_find_errors(&x.facts, HB_QUALITY_EXPECTED), HB_OK);
    const size_t errors = x.facts.count * sizeof(hb_node_error);
    void *before = copy_of(x.facts.error, errors);
    const hb_node *product = product_of(&x);
    assert_true(hb_kink_overlay(&x.facts, product, &overlay));
    assert_true(overlay.count > 1);
    assert_memory_equal(x.facts.error, before, errors);
    const hb_facts over = hb_facts_over(&x.facts, &overlay);
    uint32_t exact = 0;
    for (uint32_t i = 0; i < overlay.count; i++) {
        const hb_node *node = &x.lowering.graph.nodes[overlay.node[i]];
        assert_ptr_equal(hb_facts_error(&over, node), &overlay.error[i]);
        assert_ptr_equal(hb_facts_error(&x.facts, node), &x.facts.error[overlay.node[i]]);
        exact += overlay.error[i].quality.worst == 0 && x.facts.error[overlay.node[i]].quality.worst > 0;
        assert_true(overlay.error[i].quality.worst <= x.facts.error[overlay.node[i]].quality.worst);
    }
    assert_true(exact > 0); /* sources */
    assert_ptr_equal(hb_facts_error(&over, product), hb_facts_error(&x.facts, product));
    hb_node_own_quality(&x.facts, product);
    assert_memory_equal(x.facts.error, before, errors);
    /* Without the mark of a kink its bounds are others. */
    const double bound = hb_node_quality(&x.facts, product).worst;
    x.lowering.graph.nodes[product - x.lowering.graph.nodes].range.kink_gap = 0;
    assert_false(hb_kink_overlay(&x.facts, product, &overlay));
    hb_facts_find_error(&x.facts, product);
    assert_true(hb_node_quality(&x.facts, product).worst != bound);
    free(before);
    close_analyzed(&x);
}

/* Numbers of a combination are rounded, which is an error of its own where its operands are exact. */
static void a_combination_rounds_its_numbers(void **state)
{
    (void)state;
    analyzed x;
    open_analyzed(&x, "y = 0.3*x.p + 0.7*x.q");
    assert_int_equal(hb_facts_find_errors(&x.facts, HB_QUALITY_EXPECTED), HB_OK);
    const hb_node *y = &x.lowering.graph.nodes[x.y];
    while (y->op != HB_OP_COMBINE) { /* it is adjusted, or rescaled */
        assert_int_not_equal(y->a, HB_NO_NODE);
        y = &x.lowering.graph.nodes[y->a];
    }
    const hb_quality own = hb_node_own_quality(&x.facts, y), all = hb_node_quality(&x.facts, y);
    assert_true(own.expected > 0 && own.expected <= all.expected);
    assert_true(own.worst > 0 && own.worst < all.worst);
    close_analyzed(&x);
}

static void overlays_stand_on_overlays(void **state)
{
    (void)state;
    analyzed x;
    hb_error_overlay low = {.count = 0}, high = {.count = 0};
    open_analyzed(&x, "y = x.p + x.q");
    const hb_node *nodes = x.lowering.graph.nodes;
    hb_facts_overlay_add(&low, &x.facts, 0)->own = 1;
    hb_facts_overlay_add(&low, &x.facts, 1)->own = 2;
    hb_facts middle = hb_facts_over(&x.facts, &low);
    assert_true(hb_facts_overlay_add(&high, &middle, 1)->own == 2);
    hb_facts top = hb_facts_over(&middle, &high);
    hb_facts_error_place(&top, &nodes[1])->own = 3;
    assert_true(hb_facts_error(&top, &nodes[0])->own == 1 && hb_facts_error(&top, &nodes[1])->own == 3);
    assert_true(hb_facts_error(&middle, &nodes[1])->own == 2 && hb_facts_error(&x.facts, &nodes[1])->own == 0);
    assert_true(hb_facts_error(&top, &nodes[2])->own == 0);
    close_analyzed(&x);
}

/* A product keeps 3 components while it is added up, and sums that a total is subtracted from take another pass. */
static void sizes_and_passes(void **state)
{
    (void)state;
    analyzed x;
    open_analyzed(&x, "s = x.p*x.q + x.r*x.r; y = s - mean(x.p)");
    const hb_graph *g = &x.lowering.graph;
    uint32_t products = 0, unused = 0;
    for (uint32_t i = 0; i < x.facts.count; i++) {
        if (!x.facts.size[i].used) {
            unused++;
        } else if (g->nodes[i].op == HB_OP_MULTIPLY) {
            assert_int_equal(x.facts.size[i].raw_size, 3);
            assert_int_equal(x.facts.size[i].size, 3);
            assert_false(x.facts.size[i].needs_two);
            products++;
        }
    }
    assert_int_equal(products, 2);
    assert_true(unused < x.facts.count);
    assert_int_equal(x.facts.passes, 2);
    assert_int_equal(x.facts.size[x.y].pass, 1);
    assert_true(x.facts.size[x.y].stored && x.facts.size[x.y].needs_two && x.facts.size[x.y].size == 2);
    close_analyzed(&x);
}

HB_UNIT(facts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_from_the_graph_alone), cmocka_unit_test(a_combination_rounds_its_numbers),
        cmocka_unit_test(overlays_stand_on_overlays), cmocka_unit_test(a_kink_asks_what_would_be_and_changes_nothing),
        cmocka_unit_test(sizes_and_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
