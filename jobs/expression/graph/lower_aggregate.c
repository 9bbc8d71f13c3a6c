/* Aggregates: of rows that a condition selects, of groups, and several as columns of one result. */
#include "lower.h"

static hb_status missing(const hb_lowering *l, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at, "%s is not computed by this version", what);
}

hb_status hb_lower_where(hb_lowering *l, hb_value *x, hb_value *condition, hb_value *out)
{
    (void)x;
    (void)condition;
    (void)out;
    return missing(l, "x where condition");
}

hb_status hb_lower_aggregate(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    (void)arguments;
    (void)out;
    return missing(l, hb_call_names[item->call]);
}
