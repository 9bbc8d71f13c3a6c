/* What values are looked for among: numbers, texts, ranges of both, and entries of lists. */
#include "lang/ir/semantics.h"
#include "lowering.h"
#include "meaning.h"

static bool is_end(const hb_value *value)
{
    return value->kind == HB_VALUE_NUMBER || hb_value_is_item(value, HB_ITEM_TEXT);
}

hb_status hb_lower_check_ends(const hb_lowering *l, const hb_item *item, const hb_value *values)
{
    const bool entry = item->kind == HB_ITEM_ENTRY;
    return is_end(&values[1]) && (is_end(&values[0]) || (entry && hb_value_is_item(&values[0], HB_ITEM_RANGE)))
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s of constants",
                            entry ? "entries, as 1:10, are" : "ranges, as 1..12, are");
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
    *out = (hb_member){.entry = hb_value_is_item(value, HB_ITEM_ENTRY)};
    if (out->entry) {
        const hb_value *given = hb_lower_operand_of(l, value->item, 1);
        if (given->kind != HB_VALUE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "entries give numbers, as 'ICU':10");
        }
        out->value = given->number;
        value = hb_lower_operand_of(l, value->item, 0);
    }
    const bool range = hb_value_is_item(value, HB_ITEM_RANGE);
    const hb_value *low = range ? hb_lower_operand_of(l, value->item, 0) : value;
    const hb_value *high = range ? hb_lower_operand_of(l, value->item, 1) : value;
    if (!is_end(low)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "it is looked for among constants, as 1, 3, 5..9 or 'text'");
    }
    HB_TRY(hb_lower_stored(l, low, columns, range ? HB_STORED_UP : HB_STORED_NONE, &out->low));
    HB_TRY(hb_lower_stored(l, high, columns, range ? HB_STORED_DOWN : HB_STORED_NONE, &out->high));
    return in_order(g, out->low, out->high) ? HB_OK : refuse_range(l, high, columns, out->low);
}
