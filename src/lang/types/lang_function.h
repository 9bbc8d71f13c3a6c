/* A function of the language: one row, which stands with its body in a file of lang/functions. */
#ifndef HB_LANG_TYPES_LANG_FUNCTION_H
#define HB_LANG_TYPES_LANG_FUNCTION_H

#include "lang/types/type_rules.h"
#include "table/epilogue.h"

struct hb_lowering; /* lang/value/lowering.h */
struct hb_value;

/* The treatment of operands whose cells may be missing, by a function (gaps.h). */
typedef enum hb_gaps_rule {
    HB_GAPS_REFUSED, /* it does not take them */
    HB_GAPS_SKIPPED, /* an aggregate: of the rows whose cells are there */
    HB_GAPS_ROWWISE, /* its result is missing where an operand is */
    HB_GAPS_BESIDE,  /* each column keeps its gaps */
    HB_GAPS_CHOICE   /* its first argument, a condition, may be unknown, and is not true then */
} hb_gaps_rule;

typedef struct hb_lang_function {
    hb_signature call; /* how it is called; the first member, as the parser knows the row by it */
    /* The check: which meanings its arguments may have, and the meaning of its result; and the shape of the result,
     * NULL: the first argument's. */
    hb_meaning_rule meaning;
    hb_type_maker *shape;
    bool integers;   /* schemes of reals do not have it, as it is exact or nothing */
    bool encrypted;  /* its first argument must be encrypted, and is loaded */
    bool worked_out; /* takes values that decryption computes, beside others */
    bool counts;     /* of an aggregate: of conditions, whose rows are counted */
    hb_gaps_rule gaps;
    const char *ungrouped; /* of an aggregate: why there is none of each group; NULL: there is */
    /* For an aggregate: how its columns follow from sums, and so which sums it takes; else NULL. */
    const hb_epilogue *epilogue;
    /* Its value of constants alone (hb_fold); NULL: it takes no constants alone. */
    hb_status (*constant)(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out);
    /* One of the two makes its nodes: of every column of the first argument one, or all of the result. The arguments of
     * an item, [item->arguments], are there to be changed. Errors are HB_EUSAGE or HB_EDATA at the item, HB_ENOMEM. */
    hb_status (*column)(hb_graph *g, uint32_t a, uint32_t *out);
    hb_status (*lower)(struct hb_lowering *l, const hb_item *item, struct hb_value *arguments, struct hb_value *out);
    /* The same where the first argument is plain, and loaded: in the clear (value/plain.h). NULL: as for any other. */
    hb_status (*plain)(struct hb_lowering *l, const hb_item *item, struct hb_value *arguments, struct hb_value *out);
} hb_lang_function;

/* Returns the row of an item that is a call. */
static inline const hb_lang_function *hb_lang_function_of(const hb_item *item)
{
    return (const hb_lang_function *)(const void *)item->call;
}
/* Returns whether an item computes with its constants, mod t where values are encrypted: arithmetic and functions. */
static inline bool hb_item_computes(const hb_item *item)
{
    return (item->kind >= HB_ITEM_ADD && item->kind <= HB_ITEM_DIVIDE) || item->kind == HB_ITEM_CALL;
}
/* Returns whether an item takes values that decryption computes: it stores them, or puts them beside others. */
static inline bool hb_takes_worked_out(const hb_item *item)
{
    return item->kind == HB_ITEM_ASSIGN || (item->kind == HB_ITEM_CALL && hb_lang_function_of(item)->worked_out);
}

#endif
