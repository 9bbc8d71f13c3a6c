/* From syntax to graph: values with columns, held on a stack as the items of an expression ask for them. */
#ifndef HB_EXPRESSION_GRAPH_LOWER_H
#define HB_EXPRESSION_GRAPH_LOWER_H

#include "approx/found.h"
#include "graph.h"
#include "predicate.h"

typedef enum hb_value_kind {
    HB_VALUE_NUMBER,
    HB_VALUE_TABLE,  /* plain, with rows */
    HB_VALUE_ROW,    /* plain, one row that serves all */
    HB_VALUE_ROWS,   /* encrypted */
    HB_VALUE_TOTALS, /* encrypted, one row that stands in every slot */
    HB_VALUE_TEXT,   /* `text`, which stands for a number of the column that it is compared with */
    HB_VALUE_RANGE,  /* pair `first`: numbers or texts, both included */
    HB_VALUE_DIGITS, /* encrypted, one node a digit, the highest one first; `number`: their base */
    HB_VALUE_ENTRY,  /* pair `first`: a number, a text or a range, and the number that belongs to it */
    HB_VALUE_WHERE,  /* pair `first`: values, and the condition that selects rows of them; inside of aggregates */
    HB_VALUE_GROUPED /* pair `first`, its first one: what the aggregate `text` is taken of, of each group */
} hb_value_kind;

typedef struct hb_value {
    hb_value_kind kind;
    hb_number number;
    const hb_item *text;     /* of a text; of a number that is none mod t, for digits alone, itself; else NULL */
    uint32_t columns, first; /* nodes pool[first .. first + columns), unless it is ... */
    const hb_operand *whole; /* ... this operand, of which nothing was loaded yet */
    uint32_t width;          /* of rows within slots: columns of its one node; else 0, for each node is one */
    const hb_column *names;  /* [hb_value_width] of a schema; NULL: they have none, or not the same everywhere */
    const hb_grouping
        *grouping; /* of totals: what they stand for once they are decrypted; NULL: themselves. Borrowed */
} hb_value;

/* Returns how many columns a value has. */
static inline uint32_t hb_value_width(const hb_value *value)
{
    return value->width > 0 ? value->width : value->columns;
}

/* Columns that an expression makes names for, and what they stand for. */
typedef struct hb_lowered_columns {
    hb_schema schema;
    struct hb_lowered_columns *next;
} hb_lowered_columns;

typedef struct hb_symbol {
    const hb_item *item; /* the assignment */
    hb_value value;
    bool read;
} hb_symbol;

/* Two values whose columns were matched by position though their names differ. */
typedef struct hb_match {
    const hb_item *item;
    const hb_column *x, *y; /* [columns] */
    uint32_t columns;
} hb_match;

/* What the result of an item means: what is made of its values is told by their columns. */
typedef struct hb_lowered_meaning {
    bool any;   /* a value of it is something else than plain numbers */
    bool power; /* it is a power of x */
    hb_value x, y;
    hb_number exponent;
    hb_meaning (*derive)(const hb_value *x, const hb_value *y, uint32_t column);
} hb_lowered_meaning;

enum { HB_MOST_MATCHES = 8 }; /* that are told of */

/* What a value is looked for among, of one of its columns: from `low` to `high`, and the number that belongs to it in a
 * list that has such. */
typedef struct hb_member {
    hb_number low, high;
    bool entry;
    hb_number value;
} hb_member;

/* An approximation that an expression computes. */
typedef struct hb_lowered_function {
    const hb_item *item; /* that it was first found for */
    hb_approximation_request request;
    double gap;          /* that was asked for; the approximation's is a little smaller */
    double scale, shift; /* results are these times the function's, plus that: of the approximation, too */
    uint32_t limbs;      /* of sign: that its argument has */
    hb_approximation approximation;
} hb_lowered_function;

/* The gap of jumps, in units of the largest magnitude, where none is given. */
#define HB_LOWERING_GAP 0x1p-8
/* Bits of functions where none are wanted. */
#define HB_LOWERING_BITS 16

typedef struct hb_lowering {
    hb_graph graph;
    bool *weights;            /* [operand_count of the graph] datasets on the left of @; owned */
    hb_predicates predicates; /* of integers */
    bool measured;            /* it is only asked between what results lie: predicates are not made */
    double functions_bits;    /* that approximations are to have, absolute */
    bool bits_wanted;         /* for results are to have some; else corners are as blunt as a gap makes them */
    hb_approximations *found; /* borrowed: those that were found before; NULL: they are not kept */
    double functions_gap;     /* of jumps, in units of the largest magnitude; 0: not given */
    hb_lowered_function *functions;
    uint32_t function_count;
    bool shortest; /* compositions of the fewest levels, whether or not they are proven where they are computed */
    bool longer;   /* some take more levels than those */
    bool masked;   /* some rows took a level that they need not take, but for fewer errors */
    bool hopeless; /* what was refused would be so with any parameters */
    uint32_t *pool;
    uint32_t pool_count, pool_capacity;
    hb_value *stack;
    uint32_t height;
    hb_symbol *symbols; /* in the order of assignments; a name's last one counts */
    uint32_t symbol_count;
    hb_value (*pairs)[2]; /* of ranges and entries */
    uint32_t pair_count, pair_capacity;
    hb_lowered_columns *columns; /* all that were made; owned */
    hb_match matches[HB_MOST_MATCHES];
    uint32_t match_count;
} hb_lowering;

/* graph: syntax, params, spec, semantics and operands are set, and what functions are to have. HB_EUSAGE with the
 * place. The caller clears *l, also after a failure. */
hb_status hb_lower(hb_lowering *l);
void hb_lower_clear(hb_lowering *l);
/* NULL: `name` is not assigned. */
hb_symbol *hb_lower_find(hb_lowering *l, const char *name);
/* Gives a whole operand its nodes. */
hb_status hb_lower_load(hb_lowering *l, hb_value *value);

/* lower_operand.c */
hb_status hb_lower_operand(hb_lowering *l, const hb_item *item, hb_value *out);
hb_status hb_lower_pick(hb_lowering *l, const hb_item *item, hb_value *value);
/* Makes one row of a column of weights, a dataset, stand in all rows. */
hb_status hb_lower_encrypted_weight(hb_lowering *l, const hb_operand *operand, uint32_t row, uint32_t column,
                                    uint32_t *out);
/* Returns whether the operand is a dataset on the left of @. */
bool hb_lower_is_encrypted_weights(const hb_lowering *l, const hb_operand *operand);
hb_status hb_lower_columns(hb_lowering *l, uint32_t columns, hb_value *out); /* makes room for that many nodes */

/* lower_binary.c: kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY */
hb_status hb_lower_binary(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* Makes `out` the number. HB_EUSAGE at the current item unless the scheme has it; for `overflow`, which says that its
 * integer is none. */
hb_status hb_lower_number(const hb_lowering *l, hb_number number, bool overflow, hb_value *out);
/* The numbers combined by kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY. */
hb_status hb_lower_numbers(const hb_lowering *l, hb_item_kind kind, hb_number a, hb_number b, hb_value *out);
/* Sets *whole to what a value that must be a whole number is; false where it is none. */
bool hb_lower_whole(const hb_lowering *l, const hb_value *value, int64_t *whole);
bool hb_value_encrypted(const hb_value *value);

/* lower_matrix.c: a table of weights, row by row, times columns: column i of the result is that of row i. */
hb_status hb_lower_matrix(hb_lowering *l, const hb_value *weights, hb_value *x, hb_value *out);
/* Sets *out to the plain table that a value is, whole and looked at; `place` says where it stands. HB_EUSAGE. */
hb_status hb_lower_plain_weights(const hb_lowering *l, const hb_value *weights, const char *place,
                                 const hb_operand **out);
/* Sets *out to its numbers, the caller's to wipe and free. HB_EUSAGE where they are complex; HB_ENOMEM. */
hb_status hb_lower_reals(const hb_lowering *l, const hb_operand *table, double **out);
/* lower_convolution.c: conv(kernels, x, height, width, stride); and the image that columns are called as, where it
 * stands in slots as they do: zeroed if there is none with gaps. */
hb_block_image hb_lower_named_image(const hb_schema *schema);
hb_status hb_lower_convolution(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);

/* lower_meaning.c: checks what the values of an item mean, brings them to one scale, and finds what its result means;
 * then gives the result columns that say so, where any of it is not plain. HB_EUSAGE at the current item; HB_ENOMEM. */
hb_status hb_lower_prepare_meaning(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count,
                                   hb_lowered_meaning *to);
hb_status hb_lower_set_meaning(hb_lowering *l, const hb_lowered_meaning *from, hb_value *out);

/* lower_match.c: HB_EUSAGE where columns would be matched by position and both sides have their names in another order.
 * Where names differ, notes it. */
hb_status hb_lower_match(hb_lowering *l, const hb_value *x, const hb_value *y);

/* lower_function.c: of reals. Of an encrypted value that is loaded: */
hb_status hb_lower_function(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
/* The larger or the smaller of two, one of which is encrypted. */
hb_status hb_lower_extreme(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out);
hb_status hb_lower_compare(hb_lowering *l, hb_value *below, hb_value *above, hb_value *out);
/* The step of an encrypted value of magnitude `most` or less that is at least `gap` away from 0. */
hb_status hb_lower_step(hb_lowering *l, const hb_value *x, double most, double gap, hb_value *out);
/* lower_quotient.c */
hb_status hb_lower_divide(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out);
hb_status hb_lower_softmax(hb_lowering *l, const hb_value *x, hb_value *out);
/* wanted.c: frees the approximations. */
void hb_lowering_clear_functions(hb_lowering *l);

/* lower_member.c: the range, or the entry, that an item makes of two values. HB_EUSAGE where they are no such. */
hb_status hb_lower_pair(hb_lowering *l, const hb_item *item, const hb_value *values, hb_value *out);
/* Keeps two values as a pair, *number of them. HB_ENOMEM. */
hb_status hb_lower_keep_pair(hb_lowering *l, const hb_value *values, uint32_t *number);
/* What a number, text, range or entry is among the values of a column, which texts stand for a number of; NULL: it is
 * not known. HB_EUSAGE for what is none of these, whose ends are in the wrong order, or that the column does not
 * have. */
hb_status hb_lower_member(hb_lowering *l, const hb_value *value, const hb_column *column, hb_member *out);
/* The number that a text stands for among the values of a column. HB_EUSAGE where there is none. */
hb_status hb_lower_text(hb_lowering *l, const hb_value *text, const hb_column *column, hb_number *out);

/* lower_condition.c: comparisons, and what is made of them: items HB_ITEM_LESS to HB_ITEM_IN, of their values. */
hb_status hb_lower_condition(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out);
/* where(condition, a, b), onehot and lookup. */
hb_status hb_lower_choice(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);

/* HB_EUSAGE unless the values are known to be 0 and 1, which they are loaded for; `what` takes them. */
hb_status hb_lower_require_condition(hb_lowering *l, const char *what, hb_value *x);

/* lower_predicate.c: of integers. A comparison, one side of which is encrypted: */
hb_status hb_lower_compare_integers(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* Returns the comparison of the two sides in the other order. */
hb_item_kind hb_comparison_turned(hb_item_kind kind);
/* What the first member has that a value is in: 1, or its own value; 0 where there is none. x: encrypted. */
hb_status hb_lower_table(hb_lowering *l, hb_value *x, const hb_member *members, uint32_t count, hb_value *out);
hb_status hb_lower_onehot(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
hb_status hb_lower_lookup(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
/* lower_digits.c: digits(base, high, ..., low), and comparisons, one side of which is such. */
hb_status hb_lower_digits(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
hb_status hb_lower_compare_digits(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y,
                                  hb_value *out);
/* As hb_lower_extreme; and the magnitude of x, which is loaded. */
hb_status hb_lower_extreme_integer(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out);
hb_status hb_lower_absolute(hb_lowering *l, hb_value *x, hb_value *out);

/* lower_aggregate.c: x where condition; its rows with 0 where the condition is. */
hb_status hb_lower_where(hb_lowering *l, hb_value *x, hb_value *condition, hb_value *out);
hb_status hb_lower_selected(hb_lowering *l, const hb_value *where, hb_value *out);
/* Aggregates that are no sums, and those of groups (hb_item.grouped). */
hb_status hb_lower_aggregate(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
/* lower_groups.c: groupby and histogram. */
hb_status hb_lower_groups(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
/* lower_fetch.c: fetch. */
hb_status hb_lower_fetch(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
/* lower_columns.c: cols. HB_EUSAGE where some are rows and some totals. */
hb_status hb_lower_cols(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);
/* Makes so many columns, zeroed, which the lowering owns. HB_ENOMEM. */
hb_status hb_lower_make_columns(hb_lowering *l, uint32_t columns, hb_schema **out);
/* Names a column after words of the expression, without its line breaks, and as long as names are; `form` has %s for
 * them. HB_ENOMEM. */
hb_status hb_lower_name(const hb_lowering *l, uint32_t from, uint32_t to, const char *form, char **name);
/* HB_EUSAGE where a value is none to compute with, as it is worked out only after it is decrypted. */
hb_status hb_lower_require_plain_totals(const hb_lowering *l, const hb_value *value);

/* lower_call.c */
/* Makes the sum of all columns of x, one column without a name; `everywhere`: of rows within slots, which have it once
 * for each column of x. */
hb_status hb_lower_row_sum(hb_lowering *l, const hb_value *x, bool everywhere, hb_value *out);
hb_status hb_lower_negate(hb_lowering *l, hb_value *x, hb_value *out);
hb_status hb_lower_power(hb_lowering *l, hb_value *x, const hb_value *exponent, hb_value *out);
hb_status hb_lower_call(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);

#endif
