#include "open_columns.h"

#include <math.h>

#include "lang/ir/known.h"
#include "lang/ir/semantics.h"

hb_status hb_open_columns_begin(hb_lowering *l, uint32_t columns, hb_value *out)
{
    HB_TRY(hb_lower_columns(l, columns, out));
    for (uint32_t i = 0; i < columns; i++) {
        l->pool[out->first + i] = HB_NO_NODE;
    }
    return HB_OK;
}

uint32_t hb_open_columns_count(const hb_lowering *l, const hb_value *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->columns; i++) {
        count += l->pool[out->first + i] == HB_NO_NODE;
    }
    return count;
}

hb_status hb_open_columns_part(hb_lowering *l, const hb_value *x, const hb_value *out, hb_value *part)
{
    *part = *x;
    if (x->kind == HB_TYPE_NUMBER || x->columns == 1) {
        return HB_OK;
    }
    uint32_t count = 0;
    HB_TRY(hb_lower_columns(l, hb_open_columns_count(l, out), part));
    for (uint32_t i = 0; i < out->columns; i++) {
        if (l->pool[out->first + i] == HB_NO_NODE) {
            l->pool[part->first + count++] = l->pool[x->first + i];
        }
    }
    part->names = part->columns == x->columns ? x->names : NULL;
    return HB_OK;
}

void hb_open_columns_again(hb_lowering *l, const hb_value *out)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < out->columns; i++) {
        const uint32_t node = l->pool[out->first + i];
        known += node != HB_NO_NODE && hb_node_is_known(&l->graph, node);
    }
    for (uint32_t i = 0; i < out->columns && known < out->columns && l->graph.semantics->reals; i++) {
        uint32_t *node = &l->pool[out->first + i];
        *node = *node != HB_NO_NODE && hb_node_is_known(&l->graph, *node) ? HB_NO_NODE : *node;
    }
}

void hb_open_columns_fill(hb_lowering *l, const hb_value *made, const hb_value *out)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < out->columns; i++) {
        uint32_t *node = &l->pool[out->first + i];
        if (*node == HB_NO_NODE) {
            *node = l->pool[made->first + (made->columns > 1 ? next++ : 0)];
        }
    }
}

uint32_t hb_open_columns_node(const hb_lowering *l, const hb_value *x, uint32_t column)
{
    return x->kind == HB_TYPE_NUMBER ? HB_NO_NODE : l->pool[x->first + (x->columns > 1 ? column : 0)];
}

hb_interval hb_open_columns_values(const hb_lowering *l, const hb_value *x, uint32_t column)
{
    if (x->kind == HB_TYPE_NUMBER && l->graph.semantics->reals) {
        const double most = hypot(x->number.real, x->number.imaginary);
        return x->number.imaginary == 0 ? hb_interval_of_reals(x->number.real, x->number.real)
                                        : hb_interval_of_reals(-most, most);
    }
    if (x->kind == HB_TYPE_NUMBER) {
        return hb_interval_of_number(x->number.integer);
    }
    return l->graph.nodes[hb_open_columns_node(l, x, column)].range.interval;
}

int hb_open_columns_side(const hb_lowering *l, uint32_t node, int at_zero)
{
    const hb_interval x = l->graph.nodes[node].range.interval;
    if (!x.known || l->graph.params == NULL) {
        return 0;
    }
    const bool above = x.real ? x.low > 0 : x.least > 0, below = x.real ? x.high < 0 : x.most < 0;
    const bool from = x.real ? x.low >= 0 : x.least >= 0, to = x.real ? x.high <= 0 : x.most <= 0;
    if (above || (from && at_zero > 0)) {
        return 1;
    }
    return below || (to && at_zero < 0) ? -1 : 0;
}
