/* Expressions as graphs whose levels are placed. */
#ifndef HB_TESTS_PLACED_H
#define HB_TESTS_PLACED_H

#include "lang/compile/levels_pass.h"
#include "lang/ir/levels.h"
#include "reference/lowered.h"

/* Places levels for a node of the pool. It is then the node, at rest, in the graph that stands in the place of the
 * lowered one. */
static inline void place_levels_of(hb_lowering *l, uint32_t *node)
{
    hb_facts facts;
    assert_int_equal(hb_facts_init(&facts, &l->graph), HB_OK);
    hb_facts_need(&facts, node, 1);
    assert_int_equal(hb_lowering_place_levels(l, &facts, NULL), HB_OK);
    hb_facts_clear(&facts);
    l->graph.position.item = &l->graph.syntax->items[l->graph.syntax->count - 1];
    assert_int_equal(hb_graph_meet_all(&l->graph, node, 1), HB_OK);
}

/* The same for a column of a result; returns its node. */
static inline uint32_t placed_node(lowered *l, const char *name, uint32_t column)
{
    uint32_t *node = &l->lowering.pool[lowered_value(l, name)->first + column];
    *node = lowered_node(l, name, column);
    place_levels_of(&l->lowering, node);
    return *node;
}

#endif
