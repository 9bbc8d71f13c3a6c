#include "factors.h"

#include "lang/ir/rules.h"

/* Returns how often a factor is there. */
static uint32_t factors_times(const hb_factors *factors, uint32_t node)
{
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (factors->times[i] > 0 && factors->node[i] == node) {
            return factors->times[i];
        }
    }
    return 0;
}

/* Says `times` of a factor; it takes the place of the rarest, if it is no rarer. */
static void factors_set(hb_factors *factors, uint32_t node, uint32_t times)
{
    int place = 0;
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (factors->times[i] > 0 && factors->node[i] == node) {
            factors->times[i] = times;
            return;
        }
        place = factors->times[i] < factors->times[place] ? i : place;
    }
    if (times >= factors->times[place]) {
        factors->node[place] = node;
        factors->times[place] = times;
    }
}

/* One more of it. */
static void factors_add(hb_factors *factors, uint32_t node)
{
    factors_set(factors, node, factors_times(factors, node) + 1);
}

/* Each as often as in that of both where it is more frequent: noise is a sum over ways through the graph, and the
 * largest term decides. */
static void factors_merge(hb_factors *factors, const hb_factors *others)
{
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (others->times[i] > factors_times(factors, others->node[i])) {
            factors_set(factors, others->node[i], others->times[i]);
        }
    }
}

/* The quotient of its phase decides over the noise that a factor brings; it is nearly the same in these. */
static uint32_t same_factor(const hb_graph *g, uint32_t i)
{
    while (hb_rule_of(g->nodes[i].op)->same_factor) {
        i = g->nodes[i].a;
    }
    return i;
}

/* The factors of a product are those of both operands and the operands themselves; of all else, those of its operands.
 */
hb_factors hb_factors_of(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node_list operands = hb_node_operands(g, node);
    const bool product = hb_rule_of(node->op)->product;
    hb_factors factors = {0};
    for (uint32_t i = 0; i < operands.count; i++) {
        factors_merge(&factors, &hb_facts_error(f, &g->nodes[operands.node[i]])->factors);
    }
    if (product) {
        factors_add(&factors, same_factor(g, node->a));
    }
    if ((product && node->b != node->a) || node->op == HB_OP_MULTIPLY_PLAIN) {
        factors_add(&factors, same_factor(g, node->b));
    }
    return factors;
}

uint32_t hb_factors_times(const hb_graph *g, const hb_factors *factors, uint32_t node)
{
    return factors_times(factors, same_factor(g, node));
}

/* Whether one node is a factor of the other, or they have one in common. */
bool hb_factors_related(const hb_facts *f, uint32_t x, uint32_t y)
{
    const hb_graph *g = f->graph;
    const hb_factors *factors = &hb_facts_error(f, &g->nodes[x])->factors,
                     *others = &hb_facts_error(f, &g->nodes[y])->factors;
    bool found = same_factor(g, x) == same_factor(g, y) || factors_times(factors, same_factor(g, y)) > 0 ||
                 factors_times(others, same_factor(g, x)) > 0;
    for (int i = 0; i < HB_FACTORS_MOST && !found; i++) {
        found = factors->times[i] > 0 && factors_times(others, factors->node[i]) > 0;
    }
    return found;
}
