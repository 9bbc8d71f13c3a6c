/* Values with columns: a type (lang/types/type.h) together with the nodes that lowering made for it. */
#ifndef HB_LANG_VALUE_VALUE_H
#define HB_LANG_VALUE_VALUE_H

#include "lang/types/type.h"
#include "table/grouping.h"

typedef struct hb_value {
    hb_type_kind kind;       /* its type's, but of a count a number, and totals where results are worked out of them */
    hb_number number;        /* a number, or the base of digits, which have a node each, the highest one first */
    const hb_type *type;     /* of the item that it is the value of, at last of a name; NULL while it is made */
    uint32_t columns, first; /* nodes pool[first .. first + columns), unless it is ... */
    const hb_operand *whole; /* ... this operand, of which nothing was loaded yet */
    uint32_t width;          /* of rows within slots: columns of its one node; else 0, for each node is one */
    const hb_column *names;  /* [hb_value_width] of a schema; NULL: they have none, or not the same everywhere */
    uint32_t masks;          /* of a result: how many of its columns, the last ones, are masks of others; else 0 */
    hb_means means;          /* their meanings; of a number its one meaning, none if it is plain */
    const hb_grouping *grouping; /* totals: their meaning after decryption; NULL: themselves. Borrowed */
} hb_value;

/* Returns how many columns a value has. */
static inline uint32_t hb_value_width(const hb_value *value)
{
    return value->width > 0 ? value->width : value->columns;
}

/* Returns names that the columns of both agree on (hb_names_agreed). */
static inline const hb_column *hb_value_names(const hb_value *x, const hb_value *y)
{
    return hb_names_agreed(x->names, hb_value_width(x), y->names, hb_value_width(y));
}
/* Return whether a value is encrypted, or plain with columns. */
bool hb_value_encrypted(const hb_value *value);
bool hb_value_plain(const hb_value *value);
/* Returns whether in the place of a value an item of this kind stands, which has none. */
static inline bool hb_value_is_item(const hb_value *value, hb_item_kind kind)
{
    return value->kind >= HB_TYPE_TEXT && value->type->item->kind == kind;
}
/* Returns the member that a value is (type.h). */
static inline hb_member hb_value_member(const hb_value *value)
{
    return value->type->member;
}
/* Returns the meaning of a column; a value of one column has the same beside each column of others. */
const hb_meaning *hb_value_meaning(const hb_value *value, uint32_t column);

#endif
