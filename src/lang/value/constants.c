/* Constants and numbers of rows: operations on them alone, and with columns. */
#include <stdlib.h>

#include "lang/ir/blocks.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lowering.h"
#include "plain.h"

static hb_status fold(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count, bool *made,
                      hb_value *out)
{
    hb_type *operands = calloc((size_t)count + 1, sizeof *operands);
    if (operands == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the numbers of an expression");
    }
    for (uint32_t i = 0; i < count; i++) {
        operands[i] = *values[i].type;
        operands[i].kind = values[i].kind;
        operands[i].number = values[i].number;
        operands[i].means = values[i].means;
    }
    *made = hb_folds(item, operands);
    *out = (hb_value){.kind = HB_TYPE_NUMBER};
    hb_types at = *hb_lower_types(l);
    at.item = item; /* which faults are found at */
    const hb_status st = *made ? hb_fold(&at, item, operands, &out->number) : HB_OK;
    free(operands);
    return st;
}

hb_status hb_lower_numbers_of(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count, bool *made,
                              hb_value *out)
{
    bool encrypted = false;
    hb_value number;
    *made = false;
    if (l->type->kind == HB_TYPE_COUNT) {
        return fold(l, item, values, count, made, out);
    }
    for (uint32_t i = 0; i < count; i++) {
        encrypted = encrypted || hb_value_encrypted(&values[i]);
    }
    for (uint32_t i = 0; i < count && encrypted && hb_item_computes(item); i++) {
        if (values[i].kind == HB_TYPE_NUMBER) {
            HB_TRY(hb_lower_number(l, values[i].number, &number));
        }
    }
    return HB_OK;
}

hb_status hb_lower_constant_condition(hb_lowering *l, const hb_value *x, hb_value *condition)
{
    hb_graph *g = &l->graph;
    const hb_type *type = condition->type;
    const hb_number number = condition->number;
    const uint32_t like = l->pool[x->first];
    uint32_t node;
    if (hb_value_plain(x)) {
        const hb_plain_place place = {g->nodes[like].operand, {0}};
        uint32_t column;
        HB_TRY(hb_plain_number(l, number, &column));
        HB_TRY(hb_graph_plain_node(&l->graph, &place, &column, 1, &node));
    } else {
        HB_TRY(hb_graph_known(g, like, true, number, &node));
    }
    *condition = (hb_value){.kind = hb_value_plain(x) ? HB_TYPE_ROW : HB_TYPE_TOTALS,
                            .type = type,
                            .means = type->means,
                            .width = hb_value_plain(x) && hb_graph_packed(g) ? 1 : x->width};
    HB_TRY(hb_lower_columns(l, 1, condition));
    l->pool[condition->first] = node;
    return HB_OK;
}
