/* rotate(x, k): the slots of each ciphertext, k to the left. */
#include "lang/value/lowering.h"

/* Slots without a row come into rows. A condition is not 0 there by itself. */
static hb_status rotate(hb_graph *g, uint32_t a, int64_t number, uint32_t *out)
{
    const double off = 0x1p-6; /* more than the error of a condition */
    const hb_node *x = &g->nodes[a];
    const hb_interval values = hb_interval_to_reals(x->range.interval);
    const bool condition = values.known && values.low >= -off && values.high <= 1 + off;
    if (g->semantics->reals && condition && !x->shape.padding_zero && !x->shape.total) {
        HB_TRY(hb_graph_mask(g, a, &a));
    }
    return hb_graph_rotate(g, a, number, out);
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    int64_t number;
    if (!hb_lower_whole(l, &arguments[1], &number)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                          "the step of a rotation is a constant integer, as in rotate(x, -1)");
    }
    const hb_column_operation operation = {.by_number = rotate, .number = number};
    return hb_lower_each_column(l, &arguments[0], operation, out);
}

const hb_lang_function hb_lang_function_rotate = {
    .call = {.name = "rotate",
             .form = "rotate(x, k)",
             .says = "inside each ciphertext, which is 2 rows of N/2 slots, and of reals one row: k > 0 moves slots "
                     "to the left",
             .least = 2,
             .most = 2,
             .reserved = true},
    .meaning = {hb_take_whole_second, HB_RESULT_FIRST},
    .encrypted = true,
    .lower = lower,
};
