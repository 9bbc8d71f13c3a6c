#include "graph_print.h"

#include <inttypes.h>

#include "lang/program/print.h"

static void print_combination(const hb_graph *graph, const hb_node *node, bool numbers, FILE *to)
{
    const hb_node_list terms = hb_node_operands(graph, node);
    const hb_weight *weights = hb_node_weights(graph, node);
    const bool real = !hb_node_combination(graph, node).whole;
    for (uint32_t i = 0; i < terms.count; i++) {
        fputs(i == 0 ? "" : " +", to);
        hb_print_constant(numbers, real, real ? 0 : weights[i].integer, real ? weights[i].real : 0, to);
        fprintf(to, " n%" PRIu32, terms.node[i]);
    }
}

static void print_operands(const hb_graph *graph, const hb_node *node, bool numbers, FILE *to)
{
    const hb_operation *operation = &hb_operations[node->op];
    if (operation->loads) {
        fprintf(to, " %s column %" PRIu32, graph->operands[node->operand].name, node->column);
        return;
    }
    if (node->op == HB_OP_COMBINE) {
        print_combination(graph, node, numbers, to);
        return;
    }
    const hb_node_list operands = hb_node_operands(graph, node);
    for (uint32_t i = 0; i < operands.count; i++) {
        fprintf(to, " n%" PRIu32, operands.node[i]);
    }
    if (node->op == HB_OP_SPREAD) {
        hb_print_spread(node->operand, node->column, node->number, to);
    } else if (operation->constant || operation->real) {
        hb_print_constant(numbers, operation->real, node->number, node->real, to);
    } else if (node->number != 0) {
        fprintf(to, " %" PRId64, node->number);
    }
}

static void print_facts(const hb_facts *facts, const hb_node *node, bool numbers, FILE *to)
{
    char values[HB_INTERVAL_TEXT];
    const hb_node_size *size = hb_facts_size(facts, node);
    const hb_quality quality = hb_node_quality(facts, node);
    hb_print_range(values, numbers, node->range.interval);
    const bool placed = !facts->graph->unplaced; /* else it has no level, and no scale */
    fprintf(to, "; %s, pass %" PRIu32,
            node->shape.total     ? "total"
            : node->shape.coupled ? "coupled rows"
                                  : "rows",
            size->pass + 1);
    const hb_params *params = facts->graph->params;
    const uint32_t limbs = placed ? hb_graph_known_limbs(facts->graph, node->shape.limbs) : params->data_limbs;
    if (placed) {
        fprintf(to, ", limbs %" PRIu32, limbs);
    }
    if (!node->shape.plain) {
        fprintf(to, ", size %" PRIu32 ", depth %" PRIu32, size->size, node->shape.depth);
        hb_print_errors(params, limbs, quality, to);
    }
    fprintf(to, ", values %s%s%s%s\n", values, node->shape.scaled && placed ? ", to be rescaled" : "",
            node->shape.padding_zero ? "" : ", padded", size->stored ? ", stored" : "");
}

void hb_facts_print(const hb_facts *facts, bool all, bool numbers, FILE *to)
{
    const hb_graph *graph = facts->graph;
    hb_iteration shown = {0};
    for (uint32_t i = 0; i < graph->count; i++) {
        const hb_node *node = &graph->nodes[i];
        if (all || facts->size[i].used) {
            hb_print_iteration(&shown, node->origin.iteration, node->origin.iterations, to);
            fprintf(to, "n%" PRIu32 " = %s", i, hb_operations[node->op].name);
            print_operands(graph, node, numbers, to);
            print_facts(facts, node, numbers, to);
        }
    }
}
