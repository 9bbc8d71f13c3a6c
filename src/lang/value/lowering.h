/* Values with columns, as an expression is lowered from syntax to graph, and the state of a lowering. */
#ifndef HB_LANG_VALUE_LOWERING_H
#define HB_LANG_VALUE_LOWERING_H

#include "approx/found.h"
#include "lang/ir/graph.h"
#include "lang/ir/predicate.h"
#include "lang/types/lang_function.h"
#include "lang/value/truth.h"

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

/* Columns of sums that an expression makes names for, and what they stand for. */
typedef struct hb_lowered_columns {
    hb_schema schema;
    const hb_meaning **means; /* [columns] those of the schema */
    struct hb_lowered_columns *next;
} hb_lowered_columns;

typedef struct hb_symbol {
    const hb_item *item;    /* the assignment, ... */
    hb_iteration iteration; /* ... which loops do again and again */
    hb_value value;
    bool read;
} hb_symbol;

/* Two values whose columns were matched by position though their names differ. */
typedef struct hb_match {
    const hb_item *item;
    const hb_column *x, *y; /* [columns] */
    uint32_t columns;
} hb_match;

/* A table of constants that an expression makes of plain values (plain.h). */
typedef struct hb_lowered_table {
    hb_operand operand;
    hb_schema schema;
    char name[41];    /* words of the expression */
    hb_number *cells; /* [rows * columns] */
    struct hb_lowered_table *next;
} hb_lowered_table;

/* All that an expression made of these; owned. */
typedef struct hb_lowered_things {
    hb_lowered_columns *columns;
    hb_lowered_table *tables;
} hb_lowered_things;

/* A condition that is the same in every row. */
typedef struct hb_settled {
    const hb_item *item;
    bool truth;
} hb_settled;

enum { HB_MOST_MATCHES = 8, HB_MOST_SETTLED = 8 };

/* What a program tells of besides results; the first ones. */
typedef struct hb_lowered_notes {
    hb_match matches[HB_MOST_MATCHES];
    uint32_t match_count;
    hb_settled settled[HB_MOST_SETTLED];
    uint32_t settled_count;
} hb_lowered_notes;

/* An approximation that an expression computes. */
typedef struct hb_lowered_approximation {
    const hb_item *item; /* that it was first found for */
    hb_approximation_request request;
    double gap;          /* that was asked for; the approximation's is a little smaller */
    double scale, shift; /* results are these times the function's, plus that: of the approximation, too */
    uint32_t limbs;      /* of sign: that its argument has */
    hb_approximation approximation;
} hb_lowered_approximation;

/* How functions are approximated, and all that were. */
typedef struct hb_lowered_approximations {
    double bits;              /* that approximations are to have, absolute */
    bool bits_wanted;         /* for results are to have some; else corners are as blunt as a gap makes them */
    double gap;               /* of jumps, in units of the largest magnitude; 0: not given */
    bool always;              /* also where ranges tell the result: a function takes no number in its place */
    hb_approximations *found; /* borrowed: those that were found before; NULL: they are not kept */
    hb_lowered_approximation *functions;
    uint32_t function_count;
} hb_lowered_approximations;

/* The gap of jumps, in units of the largest magnitude, where none is given. */
#define HB_LOWERING_GAP 0x1p-8
/* Bits of functions where none are wanted. */
#define HB_LOWERING_BITS 16

typedef struct hb_lowering {
    hb_graph graph;
    hb_types types;           /* of the text, owned, and ... */
    uint32_t step;            /* ... how many of their steps were made, the last one of an item with ... */
    const hb_type *type;      /* ... this */
    hb_predicates predicates; /* of integers */
    bool measured;            /* it is only asked between what results lie: predicates are not made */
    hb_lowered_approximations approximations;
    bool shortest; /* compositions of the fewest levels, whether or not they are proven where they are computed */
    bool longer;   /* some take more levels than those */
    bool masked;   /* some rows took a level that they need not take, but for fewer errors */
    bool hopeless; /* what was refused would be so with any parameters */
    uint32_t *pool;
    uint32_t pool_count, pool_capacity;
    hb_value *values;    /* [count of the items] of each item that was come to */
    hb_value *arguments; /* [count of the items] room for those of one item */
    hb_symbol *symbols;  /* in the order of assignments; a name's last one counts */
    uint32_t symbol_count, symbol_capacity;
    hb_lowered_things made;
    hb_lowered_notes notes;
    hb_truths truths;
} hb_lowering;

/* Gives a whole operand its nodes. */
hb_status hb_lower_load(hb_lowering *l, hb_value *value);

/* operand.c: sets the rows of the graph before anything is lowered: count() may stand before all datasets. */
void hb_lower_set_rows(hb_lowering *l);
/* Make the value of a name that is bound to an operand, and of what is picked from a value, as the type of the item
 * says. */
hb_status hb_lower_operand(hb_lowering *l, const hb_item *item, hb_value *out);
hb_status hb_lower_pick(hb_lowering *l, hb_value *value);
/* Makes one row of a column of weights, a dataset, stand in all rows. */
hb_status hb_lower_encrypted_weight(hb_lowering *l, const hb_operand *operand, uint32_t row, uint32_t column,
                                    uint32_t *out);
/* Returns whether the operand is a dataset on the left of @. */
bool hb_lower_is_encrypted_weights(const hb_lowering *l, const hb_operand *operand);
/* same_rows.c: refuses two operands from whose tables different rows were left out: HB_EUSAGE at the item. `a` may be a
 * table of one row, which stands in every row of `b`; one row that is left of more stands in no other. */
hb_status hb_lower_require_same_rows(const hb_lowering *l, const hb_item *item, const hb_operand *a,
                                     const hb_operand *b);
/* Refuses, with HB_EDATA, an operand whose rows are known by their numbers, and of which some were left out; `place`
 * says where it stands, as "on the left of @". */
hb_status hb_lower_require_all_rows(hb_lowering *l, const hb_item *item, const hb_operand *operand, const char *place);
/* arithmetic.c: kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY */
hb_status hb_lower_binary(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* value.c: makes `out` the number. HB_EUSAGE at the current item unless the scheme has it; for `overflow`, which
 * says that its integer is none. */
hb_status hb_lower_number(const hb_lowering *l, hb_number number, bool overflow, hb_value *out);
/* The numbers combined by kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY. */
hb_status hb_lower_numbers(const hb_lowering *l, hb_item_kind kind, hb_number a, hb_number b, hb_value *out);
/* Sets *whole to what a value that must be a whole number is; false where it is none. */
bool hb_lower_whole(const hb_lowering *l, const hb_value *value, int64_t *whole);
/* value.c */
hb_status hb_lower_columns(hb_lowering *l, uint32_t columns, hb_value *out); /* makes room for that many nodes */
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
/* Returns operand i of an item, with the value that it has now. */
hb_value *hb_lower_operand_of(const hb_lowering *l, const hb_item *item, uint32_t i);

/* each_column.c: one operation on every column. */
/* An operation on one column: one of the two. */
typedef struct hb_column_operation {
    hb_status (*plain)(hb_graph *g, uint32_t a, uint32_t *out);
    hb_status (*by_number)(hb_graph *g, uint32_t a, int64_t number, uint32_t *out);
    int64_t number;
} hb_column_operation;
/* Makes every column of x by the operation; they keep their names. Errors are those of the operation, and HB_ENOMEM. */
hb_status hb_lower_each_column(hb_lowering *l, const hb_value *x, hb_column_operation operation, hb_value *out);
/* Loads a value, and makes an encrypted one of one row stand in every row; others stay. */
hb_status hb_lower_in_rows(hb_lowering *l, hb_value *x);
hb_status hb_lower_negate(hb_lowering *l, hb_value *x, hb_value *out);
hb_status hb_lower_power(hb_lowering *l, hb_value *x, const hb_value *exponent, hb_value *out);

/* column_match.c: HB_EUSAGE where columns would be matched by position and both sides have their names in another
 * order. Where names differ, notes it. */
hb_status hb_lower_match(hb_lowering *l, const hb_value *x, const hb_value *y);

/* Returns the member that a value is (type.h). */
static inline hb_member hb_value_member(const hb_value *value)
{
    return value->type->member;
}
/* Returns what a column stands for; a value of one column has the same beside each of others. */
const hb_meaning *hb_value_meaning(const hb_value *value, uint32_t column);
/* columns.c: makes so many columns, zeroed, which the lowering owns. HB_ENOMEM. */
hb_status hb_lower_make_columns(hb_lowering *l, uint32_t columns, hb_schema **out);
/* Returns what columns that were made so stand for. */
hb_means hb_lowered_means(const hb_schema *made);

#endif
