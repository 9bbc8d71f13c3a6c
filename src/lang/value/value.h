/* Values with columns: what a type (lang/types/type.h) has while an expression is lowered, its nodes. */
#ifndef HB_LANG_VALUE_VALUE_H
#define HB_LANG_VALUE_VALUE_H

#include "lang/types/type.h"
#include "table/grouping.h"

typedef enum hb_value_kind {
    HB_VALUE_NUMBER,
    HB_VALUE_TABLE,  /* plain, with rows */
    HB_VALUE_ROW,    /* plain, one row that serves all */
    HB_VALUE_ROWS,   /* encrypted */
    HB_VALUE_TOTALS, /* encrypted, one row that stands in every slot */
    HB_VALUE_DIGITS, /* encrypted, one node a digit, the highest one first; `number`: their base */
    HB_VALUE_NONE    /* its type has no values: a member, an aggregate of groups (type.h) */
} hb_value_kind;

typedef struct hb_value {
    hb_value_kind kind;
    hb_number number;
    const hb_type *type;     /* of the item that it is the value of, at last of a name; NULL while it is made */
    uint32_t columns, first; /* nodes pool[first .. first + columns), unless it is ... */
    const hb_operand *whole; /* ... this operand, of which nothing was loaded yet */
    uint32_t width;          /* of rows within slots: columns of its one node; else 0, for each node is one */
    const hb_column *names;  /* [hb_value_width] of a schema; NULL: they have none, or not the same everywhere */
    hb_means means;          /* what they stand for; of a number: all of it, or nothing where it is a plain one */
    const hb_grouping
        *grouping; /* of totals: what they stand for once they are decrypted; NULL: themselves. Borrowed */
} hb_value;

/* Returns how many columns a value has. */
static inline uint32_t hb_value_width(const hb_value *value)
{
    return value->width > 0 ? value->width : value->columns;
}

/* Returns names that the columns of both agree on; those of the one with more columns. */
const hb_column *hb_value_names(const hb_value *x, const hb_value *y);
/* Return whether a value is encrypted, or plain with columns. */
bool hb_value_encrypted(const hb_value *value);
bool hb_value_plain(const hb_value *value);
/* Returns whether in the place of a value an item of this kind stands, which has none. */
static inline bool hb_value_is_item(const hb_value *value, hb_item_kind kind)
{
    return value->kind == HB_VALUE_NONE && value->type->item->kind == kind;
}
/* Returns the member that a value is (type.h). */
static inline hb_member hb_value_member(const hb_value *value)
{
    return value->type->member;
}
/* Returns what a column stands for; a value of one column has the same beside each of others. */
const hb_meaning *hb_value_meaning(const hb_value *value, uint32_t column);

#endif
