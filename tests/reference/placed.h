/* Expressions as graphs whose levels are placed. */
#ifndef HB_TESTS_PLACED_H
#define HB_TESTS_PLACED_H

#include "lang/compile/levels_pass.h"
#include "lang/ir/levels.h"
#include "reference/lowered.h"

/* Places levels for a column of a result. Returns its node, at rest, in the graph that stands in the place of the
 * lowered one from now on. */
static inline uint32_t placed_node(lowered *l, const char *name, uint32_t column)
{
    hb_facts facts;
    uint32_t *node = &l->lowering.pool[lowered_value(l, name)->first + column];
    *node = lowered_node(l, name, column);
    assert_int_equal(hb_facts_init(&facts, &l->lowering.graph), HB_OK);
    hb_facts_need(&facts, node, 1);
    assert_int_equal(hb_lowering_place_levels(&l->lowering, &facts), HB_OK);
    hb_facts_clear(&facts);
    l->lowering.graph.position.item = &l->syntax.items[l->syntax.count - 1];
    assert_int_equal(hb_graph_meet_all(&l->lowering.graph, node, 1), HB_OK);
    return *node;
}

#endif
