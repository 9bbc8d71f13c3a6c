/* What values are looked for among: numbers, texts, ranges of both, and entries of lists. */
#include <stdlib.h>
#include <string.h>

#include "lang/ir/semantics.h"
#include "lowering.h"
#include "meaning.h"

hb_status hb_lower_keep_pair(hb_lowering *l, const hb_value *values, uint32_t *number)
{
    if (l->pair_count == l->pair_capacity) {
        const uint32_t capacity = l->pair_capacity == 0 ? 64 : 2 * l->pair_capacity;
        hb_value(*pairs)[2] = realloc(l->pairs, capacity * sizeof *pairs);
        if (pairs == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
        }
        l->pairs = pairs;
        l->pair_capacity = capacity;
    }
    l->pairs[l->pair_count][0] = values[0];
    l->pairs[l->pair_count][1] = values[1];
    *number = l->pair_count++;
    return HB_OK;
}

static bool is_end(const hb_value *value)
{
    return value->kind == HB_VALUE_NUMBER || value->kind == HB_VALUE_TEXT;
}

hb_status hb_lower_pair(hb_lowering *l, const hb_item *item, const hb_value *values, hb_value *out)
{
    const bool entry = item->kind == HB_ITEM_ENTRY;
    if (!is_end(&values[1]) || (!is_end(&values[0]) && !(entry && values[0].kind == HB_VALUE_RANGE))) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s of constants",
                          entry ? "entries, as 1:10, are" : "ranges, as 1..12, are");
    }
    *out = (hb_value){.kind = entry ? HB_VALUE_ENTRY : HB_VALUE_RANGE};
    return hb_lower_keep_pair(l, values, &out->first);
}

/* By what they are to the scheme. */
static bool in_order(const hb_graph *g, hb_number low, hb_number high)
{
    return g->semantics->reals ? low.real <= high.real : low.integer <= high.integer;
}

/* A range with no value that the columns store: its ends are in the wrong order, or lie between two such values. */
static hb_status refuse_range(hb_lowering *l, const hb_value *high, const hb_value *columns, hb_number low)
{
    hb_number above;
    HB_TRY(hb_lower_stored(l, high, columns, HB_STORED_UP, &above));
    return hb_lower_refuse(l, in_order(&l->graph, low, above) ? "no value of the column lies in this range"
                                                              : "a range goes from its least to its most");
}

hb_status hb_lower_member(hb_lowering *l, const hb_value *value, const hb_value *columns, hb_member *out)
{
    const hb_graph *g = &l->graph;
    *out = (hb_member){.entry = value->kind == HB_VALUE_ENTRY};
    if (out->entry) {
        const hb_value *pair = l->pairs[value->first];
        if (pair[1].kind != HB_VALUE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "entries give numbers, as 'ICU':10");
        }
        out->value = pair[1].number;
        value = &pair[0];
    }
    const bool range = value->kind == HB_VALUE_RANGE;
    const hb_value *low = range ? &l->pairs[value->first][0] : value, *high = range ? low + 1 : value;
    if (!is_end(low)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "it is looked for among constants, as 1, 3, 5..9 or 'text'");
    }
    HB_TRY(hb_lower_stored(l, low, columns, range ? HB_STORED_UP : HB_STORED_NONE, &out->low));
    HB_TRY(hb_lower_stored(l, high, columns, range ? HB_STORED_DOWN : HB_STORED_NONE, &out->high));
    return in_order(g, out->low, out->high) ? HB_OK : refuse_range(l, high, columns, out->low);
}
