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
    hb_bootstrap_limbs(g->params, hb_graph_bootstraps_lowest(g), &operands, &results);
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

/* --- ranges of operands */

/* The declared range; without one the range of the type where the scheme holds all of it. Values out of that were
 * refused at encryption, so any other value is possible. */
static hb_interval range_of(const hb_graph *g, const hb_operand *operand, uint32_t column)
{
    const bool is_signed = operand->schema->column[column].is_signed;
    hb_interval type = {0};
    if (operand->schema->column[column].full > 0) { /* no range is declared for a mask */
        return hb_column_domain(&operand->schema->column[column]);
    }
    if (operand->column_ranges != NULL && operand->column_ranges[column].known) {
        return operand->column_ranges[column];
    }
    if (operand->ranged) {
        return hb_operand_declared(operand);
    }
    if (g->semantics->reals) {
        return type; /* doubles bound nothing */
    }
    const hb_interval domain = hb_column_domain(&operand->schema->column[column]);
    if (domain.known) { /* encrypt refuses all others */
        return domain;
    }
    if (operand->encoding == HB_ENCODE_COEFFICIENTS && g->spec->bootstrapping.table_levels > 0 && !operand->loose) {
        return hb_interval_held(g->spec, is_signed); /* few values, and all of them may be looked up */
    }
    if (operand->schema->width < 8 && !operand->loose) {
        const int64_t values = (int64_t)1 << 8 * operand->schema->width;
        type = is_signed ? hb_interval_of(-values / 2, values / 2 - 1) : hb_interval_of(0, values - 1);
    }
    type.known = hb_interval_within(type, hb_interval_held(g->spec, is_signed));
    return type;
}

hb_interval hb_operand_column(const hb_graph *g, const hb_operand *operand, uint32_t column)
{
    HB_ASSERT(column < operand->schema->columns);
    const hb_column *of = &operand->schema->column[column];
    const hb_interval values = range_of(g, operand, column), stored = hb_column_stored(of);
    if (of->mask == 0 || !values.known) {
        return values;
    }
    if (of->has_fill) { /* a range that is declared with an expression may lack it */
        return hb_interval_join(values, hb_column_fill(of));
    }
    /* The range of a computed column holds in rows where it is missing, too. */
    return hb_interval_within(stored, values) ? values : hb_interval_with_zero(values);
}

hb_status hb_graph_fail_unranged(const hb_graph *g, uint32_t a)
{
    const hb_node *node = &g->nodes[a];
    char word[64] = "";
    if (!hb_operations[node->op].loads && node->op != HB_OP_SPREAD) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the range of the values is not known, and a condition needs it; "
                          "give the range of their columns: --range NAME.COLUMN=LEAST..MOST");
    }
    const hb_operand *operand = &g->operands[node->operand];
    hb_column_word(word, operand->schema, node->column);
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                      "the range of %.40s%s is not known, and a condition needs it: give "
                      "it: --range '%.40s%s=LEAST..MOST'",
                      operand->name, word, operand->name, word);
}
