/* The members that values are looked for among: numbers, texts, ranges of both, and entries of lists. */
#include "type_rules.h"

/* Compares in the scheme's numbers. */
static bool in_order(const hb_types *t, hb_number low, hb_number high)
{
    return t->context.semantics->reals ? low.real <= high.real : low.integer <= high.integer;
}

/* A range with no value that the columns store: its ends are in the wrong order, or lie between two such values. */
static hb_status refuse_range(hb_types *t, const hb_type *high, const hb_type *columns, hb_number low)
{
    hb_number above;
    HB_TRY(hb_types_stored(t, high, columns, HB_STORED_UP, &above));
    return hb_types_refuse(t, in_order(t, low, above) ? "no value of the column lies in this range"
                                                      : "a range goes from its least to its most");
}

hb_status hb_types_member(hb_types *t, hb_type *type, const hb_type *columns)
{
    hb_member *out = &type->member;
    const hb_type *value = type;
    *out = (hb_member){.entry = type->kind == HB_TYPE_ENTRY};
    if (out->entry) {
        const hb_type *given = hb_types_operand(t, type->item, 1);
        if (given->kind != HB_TYPE_NUMBER && given->kind != HB_TYPE_COUNT) {
            return hb_types_refuse(t, "entries give numbers, as 'ICU':10");
        }
        out->value = given->number;
        value = hb_types_operand(t, type->item, 0);
    }
    const bool range = value->kind == HB_TYPE_RANGE;
    const hb_type *low = range ? hb_types_operand(t, value->item, 0) : value;
    const hb_type *high = range ? hb_types_operand(t, value->item, 1) : value;
    if (!hb_type_is_end(low)) {
        return hb_types_refuse(t, "in takes constants, as 1, 3, 5..9 or 'text'");
    }
    HB_TRY(hb_types_stored(t, low, columns, range ? HB_STORED_UP : HB_STORED_NONE, &out->low));
    HB_TRY(hb_types_stored(t, high, columns, range ? HB_STORED_DOWN : HB_STORED_NONE, &out->high));
    return in_order(t, out->low, out->high) ? HB_OK : refuse_range(t, high, columns, out->low);
}
