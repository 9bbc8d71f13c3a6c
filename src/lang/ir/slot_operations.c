/* Operations of a graph on the slots of a ciphertext: rotations, masks and sums. */
#include "blocks.h"
#include "collect_terms.h"
#include "known.h"
#include "lang/program/range.h"
#include "levels.h"
#include "scheme/slots.h"
#include "scheme/spread.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

hb_status hb_graph_rotate(hb_graph *g, uint32_t a, int64_t step, uint32_t *out)
{
    HB_TRY(hb_graph_require_slots(g, HB_OP_ROTATE));
    const int64_t block = hb_graph_packed(g) ? (int64_t)g->block : 1;
    const int64_t row = (int64_t)hb_slots_shape(g->spec).columns / block;
    if (step <= -row || step >= row) {
        return HB_FAIL_AT(
            HB_EUSAGE, g->syntax->text, g->position.item->at,
            "a rotation by %lld; the rows of a ciphertext have %lld slots, so steps are between -%lld and "
            "%lld",
            (long long)step, (long long)row, (long long)row - 1, (long long)row - 1);
    }
    *out = a; /* a total is the same in all slots */
    if (step == 0 || g->nodes[a].shape.total) {
        return HB_OK;
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    return hb_graph_unary(g, HB_OP_ROTATE, a, step * block, out);
}

hb_status hb_graph_swap(hb_graph *g, uint32_t a, uint32_t *out)
{
    HB_TRY(hb_graph_require_slots(g, HB_OP_SWAP));
    *out = a;
    return g->nodes[a].shape.total ? HB_OK : hb_graph_unary(g, HB_OP_SWAP, a, 0, out);
}

hb_status hb_graph_mask(hb_graph *g, uint32_t a, uint32_t *out)
{
    if (hb_node_is_known(g, a)) { /* nothing of it stands in slots */
        *out = a;
        return HB_OK;
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    HB_TRY(hb_graph_require_level(g, a, "the product that masks slots without rows"));
    return hb_graph_unary(g, g->semantics->mask, a, 0, out);
}

hb_status hb_graph_fill_rows(hb_graph *g, uint32_t row, bool dirty, bool spare, uint32_t *node, bool *masked)
{
    const bool level = g->params != NULL && hb_node_rest_limbs(g, *node) > hb_graph_level_limbs(g);
    *masked = !dirty && spare && g->semantics->scales && level;
    HB_TRY(hb_graph_require_slots(g, HB_OP_FILL_ROWS));
    if (dirty || *masked) {
        HB_TRY(hb_graph_require_level(g, *node, "the product that masks all rows but one"));
        HB_TRY(hb_graph_unary(g, HB_OP_MASK_ROW, *node, row, node));
    }
    HB_TRY(hb_graph_unary(g, HB_OP_FILL_ROWS, *node, 0, node));
    return hb_graph_gather(g, *node, node);
}

hb_status hb_graph_spread(hb_graph *g, uint32_t a, uint32_t operand, uint32_t column, uint32_t *out)
{
    HB_TRY(hb_graph_require_slots(g, HB_OP_SPREAD));
    const hb_operand *row = &g->operands[operand];
    const hb_spread_way way = {row->spread_first, hb_spread_steps(g->spec, row->spread_first, row->spread)};
    const hb_node node = {.op = HB_OP_SPREAD,
                          .a = a,
                          .b = HB_NO_NODE,
                          .number = hb_spread_way_number(way),
                          .operand = operand,
                          .column = column,
                          .shape.total = true};
    const hb_interval values = hb_operand_column(g, row, column);
    HB_TRY(hb_graph_node(g, &node, out));
    if (values.known) { /* as the column says, whatever stands in the slots of that ciphertext */
        const hb_halves halves = g->nodes[*out].shape.halves;
        hb_graph_narrow(g, *out, g->semantics->reals ? hb_halves_range(halves, hb_interval_to_reals(values)) : values);
    }
    return HB_OK;
}

hb_status hb_graph_sum(hb_graph *g, uint32_t a, uint32_t *out)
{
    HB_TRY(hb_graph_require_slots(g, HB_OP_SUM_SLOTS));
    *out = a;
    if (g->nodes[a].shape.total) {
        return HB_OK;
    }
    if (g->rows == 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "there are no rows, so no ciphertext that could hold their sum");
    }
    if (hb_node_is_known(g, a)) {
        const hb_number rows = {.integer = (int64_t)g->rows, .real = (double)g->rows}; /* below 2^63: files */
        hb_known sum;
        HB_TRY(hb_known_combine(g, HB_ITEM_MULTIPLY, hb_node_known(g, a), hb_known_of(g, rows), &sum));
        return hb_graph_put_known(g, a, true, sum, out);
    }
    if (g->semantics->sum != NULL) {
        HB_TRY(g->semantics->sum(g, a, out));
        if (*out != a) {
            return HB_OK;
        }
    }
    if (!g->nodes[a].shape.padding_zero) {
        HB_TRY(hb_graph_mask(g, a, &a));
    }
    HB_TRY(hb_graph_collect_terms(g, a, 1, &a));
    return hb_graph_unary(g, HB_OP_SUM_SLOTS, a, 0, out);
}

hb_status hb_graph_zero(hb_graph *g, uint32_t total, uint32_t *out)
{
    uint32_t turned;
    HB_ASSERT(g->nodes[total].shape.total && !hb_graph_packed(g)); /* rows within slots have no groups */
    HB_TRY(hb_graph_gather(g, total, &total));
    HB_TRY(hb_graph_unary(g, HB_OP_ROTATE, total, 1, &turned));
    HB_TRY(hb_graph_subtract(g, total, turned, out));
    hb_graph_values_are(g, *out, hb_interval_of(0, 0));
    return HB_OK;
}

hb_status hb_graph_mean(hb_graph *g, uint32_t a, uint32_t *out)
{
    const bool total = g->nodes[a].shape.total;
    if (hb_node_is_known(g, a)) {
        return hb_graph_put_known(g, a, true, hb_node_known(g, a), out);
    }
    HB_TRY(hb_graph_sum(g, a, out));
    return total ? HB_OK : hb_graph_scale(g, *out, (hb_number){.real = 1 / (double)g->rows}, out);
}
