#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "blocks.h"
#include "bootstrap.h"
#include "complex.h"
#include "known.h"
#include "lang/program/range.h"
#include "range_analysis.h"
#include "rules.h"
#include "scale_folding.h"
#include "scheme/bootstrap.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "semantics.h"
#include "symbolic_polynomial.h"
#include "transparency.h"

hb_combination_terms hb_node_combination(const hb_graph *g, const hb_node *node)
{
    HB_ASSERT(node->op == HB_OP_COMBINE);
    return g->combinations.list[node->number];
}

hb_node_list hb_node_operands(const hb_graph *g, const hb_node *node)
{
    if (node->op == HB_OP_COMBINE) {
        const hb_combination_terms terms = hb_node_combination(g, node);
        return (hb_node_list){g->combinations.term_nodes + terms.first, terms.count};
    }
    return (hb_node_list){node->operands, (node->a != HB_NO_NODE) + (uint32_t)(node->b != HB_NO_NODE)};
}

const hb_weight *hb_node_weights(const hb_graph *g, const hb_node *node)
{
    return g->combinations.term_weights + hb_node_combination(g, node).first;
}

uint32_t hb_bootstrapped_limbs(const hb_graph *g)
{
    uint32_t operands, results;
    hb_bootstrap_limbs(g->params, &operands, &results);
    return results;
}

uint32_t hb_graph_known_limbs(const hb_graph *g, uint32_t limbs)
{
    return g->boundless ? hb_bootstrapped_limbs(g) : limbs;
}

uint64_t hb_graph_blocks(const hb_graph *g)
{
    return g->rows == 0 ? 1 : (g->rows - 1) / hb_graph_capacity(g) + 1;
}

bool hb_graph_partial(const hb_graph *g)
{
    return g->rows % hb_graph_capacity(g) != 0;
}

uint64_t hb_graph_capacity(const hb_graph *g)
{
    const uint64_t capacity = hb_codec_capacity(g->spec, g->encoding);
    return hb_graph_packed(g) ? capacity / g->block : capacity;
}

const hb_matrix_entry *hb_matrix_of(const hb_graph *g, const hb_node *node)
{
    return g->constants.blocks.matrices[node->number];
}

const hb_row_entry *hb_row_of(const hb_graph *g, const hb_node *node)
{
    return &g->constants.blocks.rows[node->number];
}

uint64_t hb_graph_modulus(const hb_graph *g)
{
    return g->semantics->modulus(g->spec);
}

void hb_graph_clear(hb_graph *g)
{
    if (g->nodes != NULL) { /* whose constants may be the weights of a private table */
        hb_wipe(g->nodes, g->count * sizeof *g->nodes);
    }
    if (g->combinations.term_weights != NULL) {
        hb_wipe(g->combinations.term_weights, g->combinations.term_count * sizeof *g->combinations.term_weights);
    }
    free(g->nodes);
    free(g->combinations.list);
    free(g->combinations.term_nodes);
    free(g->combinations.term_weights);
    if (g->symbolic.list != NULL) {
        hb_wipe(g->symbolic.list, g->symbolic.count * sizeof *g->symbolic.list);
    }
    free(g->symbolic.list);
    hb_index_table_clear(&g->table);
    hb_constants_clear(&g->constants);
    *g = (hb_graph){0};
}
