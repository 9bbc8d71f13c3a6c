/* Facts about a type by itself. */
#include "check.h"

#include <string.h>

const hb_column *hb_names_agreed(const hb_column *x, uint32_t left, const hb_column *y, uint32_t right)
{
    if (left != right) {
        return left > right ? x : y;
    }
    if (x == NULL || y == NULL || x == y) {
        return x != NULL ? x : y;
    }
    for (uint32_t i = 0; i < left; i++) {
        if (strcmp(x[i].name, y[i].name) != 0) {
            return NULL;
        }
    }
    return x;
}

const hb_meaning *hb_type_meaning(const hb_type *type, uint32_t column)
{
    if (hb_type_constant(type) && type->means.all == NULL) {
        return hb_meaning_decimals(1);
    }
    return hb_means_of(type->means, hb_type_constant(type) || type->columns <= 1 ? 0 : column);
}

uint64_t hb_type_scale(const hb_type *type)
{
    uint64_t largest = 1;
    for (uint32_t i = 0; i < hb_type_meant_columns(type); i++) {
        largest = hb_type_scale_at(type, i) > largest ? hb_type_scale_at(type, i) : largest;
    }
    return largest;
}

bool hb_type_has_meaning(const hb_type *type, hb_meaning_kind kind)
{
    bool any = false;
    for (uint32_t i = 0; i < hb_type_meant_columns(type) && !any; i++) {
        any = hb_type_meaning(type, i)->kind == kind;
    }
    return any;
}

const hb_meaning *hb_type_one_meaning(const hb_type *type)
{
    const hb_meaning *first = hb_type_meaning(type, 0);
    uint32_t i = 1;
    while (i < hb_type_meant_columns(type) && hb_meaning_same(hb_type_meaning(type, i), first)) {
        i++;
    }
    return i < hb_type_meant_columns(type) ? NULL : first;
}

hb_type *hb_types_operand(const hb_types *t, const hb_item *item, uint32_t i)
{
    return &t->list[t->items[hb_item_operand(item, i) - t->context.syntax->items].own];
}
