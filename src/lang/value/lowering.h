/* The state of a lowering, from checked items to the graph, and its operations on values.
 *
 * A refusal is at the item that is lowered. Errors of values are those of operations on the graph (lang/ir/graph.h);
 * HB_EUSAGE for more columns than all statements together may have; of operands that are loaded, HB_EUSAGE for a table
 * of constants and for pairs of columns of rows within slots, and HB_EDATA for a dataset whose scale no level brings to
 * that of others; of plain values, those of hb_lower_plain (plain.h); of rows within slots, HB_ECONFIG for a product
 * with a matrix, also a column or copies of one, that the parameters do not have. */
#ifndef HB_LANG_VALUE_LOWERING_H
#define HB_LANG_VALUE_LOWERING_H

#include "lang/ir/predicate.h"
#include "lang/types/gaps.h"
#include "lang/types/lang_function.h"
#include "lang/value/approximations.h"
#include "lang/value/lowering_notes.h"
#include "lang/value/truth.h"
#include "lang/value/value.h"
#include "rlwe/quality.h"

typedef struct hb_symbol {
    const hb_item *item;    /* the assignment, ... */
    hb_iteration iteration; /* ... which loops do again and again */
    hb_value value;
    /* For a result that is stored in fewer limbs than it was computed with, or whose totals are packed (compact.h): the
     * limbs of its columns; 0: it is neither. */
    uint32_t computed_limbs;
    uint32_t packed_limbs; /* of the ciphertext into which totals are packed, and its bound; 0: they are not */
    uint32_t summed_limbs; /* of packed totals: those in which the sums of their slots merge; 0: they do not */
    hb_quality packed_quality;
    hb_unpacked unpacked;
    bool read;
} hb_symbol;

/* A table of constants that an expression makes of plain values (value/plain.h). */
typedef struct hb_lowered_table {
    hb_operand operand;
    hb_schema schema;
    char name[41];    /* words of the expression */
    hb_number *cells; /* [rows * columns] */
    struct hb_lowered_table *next;
} hb_lowered_table;

typedef struct hb_lowering {
    hb_graph graph;
    hb_checked *checked;      /* the text with its types, of which it is a user, and ... */
    const hb_type *type;      /* ... that of the item that is lowered */
    hb_made_columns *columns; /* owned, the columns that lowering makes */
    hb_predicates predicates; /* of integers */
    bool measured;            /* only ranges of results are asked for: predicates are not made */
    hb_lowered_approximations approximations;
    bool shortest; /* compositions of the fewest levels, whether or not they are proven where they are computed */
    bool longer;   /* some take more levels than those */
    bool masked;   /* some rows took a level that they need not take, but for fewer errors */
    bool hopeless; /* the refusal holds for all parameters */
    bool stuck;    /* values that have to be bootstrapped are below the level where that begins */
    uint32_t *pool;
    uint32_t pool_count, pool_capacity;
    hb_value *values;    /* [count of the items] of each item that was come to */
    hb_value *arguments; /* [count of the items] room for those of one item */
    hb_symbol *symbols;  /* in the order of assignments; a name's last one counts */
    uint32_t symbol_count, symbol_capacity;
    uint32_t *latest;         /* [names of the syntax] 1 + the symbol that each one is so far; 0: none */
    hb_lowered_table *tables; /* owned, all that were made */
    hb_lowered_notes notes;
    hb_truths truths;
} hb_lowering;

/* operand.c: makes a node that is 1 in rows where no cell of these gaps, one at least, is missing, else 0. Errors
 * of values; HB_EUSAGE for a mask of reals that is a sum of many; of integers those of hb_graph_predicate. */
hb_status hb_lower_present(hb_lowering *l, const hb_column_gaps *gaps, uint32_t *out);
/* Puts the masks of a result, which is loaded, behind its columns: one for all that are missing in the same rows.
 * Errors of values. */
hb_status hb_lower_add_masks(hb_lowering *l, hb_value *value);
/* Loads a value, and makes it 0 in rows where it is missing, unless it is so already. Errors of
 * hb_lower_present. */
hb_status hb_lower_zeroed(hb_lowering *l, hb_value *x);
/* The same for columns with fills among the operands of arithmetic, whose type (l->type) says that it is 0 there. */
hb_status hb_lower_zero_fills(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count);
/* Returns the types that it lowers. */
static inline const hb_types *hb_lower_types(const hb_lowering *l)
{
    return &l->checked->types;
}
/* Gives a whole operand its nodes. Errors of values. */
hb_status hb_lower_load(hb_lowering *l, hb_value *value);

/* operand.c: sets the rows of the graph before anything is lowered: count() may stand before all datasets. */
void hb_lower_set_rows(hb_lowering *l);
/* Make the value of a name that is bound to an operand, and of columns that are picked from a value, by the type of the
 * item. First: HB_EUSAGE for a dataset of other rows, blocks or encoding than those before it, and for rows that lack
 * others. Second: errors of values. */
hb_status hb_lower_operand(hb_lowering *l, const hb_item *item, hb_value *out);
hb_status hb_lower_pick(hb_lowering *l, hb_value *value);
/* Makes one row of a column of weights, a dataset, stand in all rows. Errors of values. */
hb_status hb_lower_encrypted_weight(hb_lowering *l, const hb_operand *operand, uint32_t row, uint32_t column,
                                    uint32_t *out);
/* Returns whether the operand is a dataset on the left of @. */
static inline bool hb_lower_is_encrypted_weights(const hb_lowering *l, const hb_operand *operand)
{
    return hb_lower_types(l)->weights[operand - l->graph.operands];
}
/* Refuses a plain node whose table does not have the rows of the datasets, or one row: as hb_lower_require_same_rows.
 * Each place where plain values meet encrypted ones asks. */
hb_status hb_lower_require_rows(const hb_lowering *l, uint32_t plain);
/* same_rows.c: refuses two operands of other rows, or from whose tables different ones were left out: HB_EUSAGE at the
 * item. `a` may be a table of one row, which stands in every row of `b`; one row that is left of more stands in no
 * other. */
hb_status hb_lower_require_same_rows(const hb_lowering *l, const hb_item *item, const hb_operand *a,
                                     const hb_operand *b);
/* Refuses, with HB_EDATA, an operand whose rows are known by their numbers, and of which some were left out; `place`
 * says where it stands, as "on the left of @". */
hb_status hb_lower_require_all_rows(hb_lowering *l, const hb_item *item, const hb_operand *operand, const char *place);
/* arithmetic.c: kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY. Errors of values, of hb_lower_numbers,
 * hb_lower_cell and hb_lower_require_rows. */
hb_status hb_lower_binary(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* value.c: makes `out` the number, which encrypted values are computed with. HB_EUSAGE at the current item unless the
 * scheme has it. */
hb_status hb_lower_number(const hb_lowering *l, hb_number number, hb_value *out);
/* The same for a number of hb_operand.cells. HB_EDATA for an integer of magnitude 2^63 - 1 and more: that cell may
 * stand for a larger number, which 64 bits do not hold. */
hb_status hb_lower_cell(hb_lowering *l, hb_number cell, hb_value *out);
/* Combines two numbers by kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY. HB_EUSAGE for a real beyond doubles,
 * or an integer beyond 64 bits. */
hb_status hb_lower_numbers(const hb_lowering *l, hb_item_kind kind, hb_number a, hb_number b, hb_value *out);
/* Sets *whole to a value that must be a whole number; returns false for another value. */
bool hb_lower_whole(const hb_lowering *l, const hb_value *value, int64_t *whole);
/* constants.c: makes the value that an item has of numbers of rows and constants alone, values [count]; *made: it has
 * one. Else numbers that encrypted values are computed with are looked at: HB_EUSAGE where one is none mod t, and as
 * hb_fold; HB_ENOMEM. */
hb_status hb_lower_numbers_of(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count, bool *made,
                              hb_value *out);
/* Makes a constant condition fit to stand beside x, which is loaded: a column beside plain values, a public number
 * beside encrypted ones. HB_ENOMEM. */
hb_status hb_lower_constant_condition(hb_lowering *l, const hb_value *x, hb_value *condition);
/* Returns whether two values both have whole numbers in a column, up to errors: such are equal or one apart or more. */
bool hb_lower_are_whole(const hb_lowering *l, const hb_value *x, const hb_value *y, uint32_t column);
/* value.c */
/* Makes room for that many nodes. HB_EUSAGE for more than all statements together may have; HB_ENOMEM. */
hb_status hb_lower_columns(hb_lowering *l, uint32_t columns, hb_value *out);
/* Returns operand i of an item, with the value that it has now. */
hb_value *hb_lower_operand_of(const hb_lowering *l, const hb_item *item, uint32_t i);

/* each_column.c: one operation on every column. */
/* An operation on one column: one of the two. */
typedef struct hb_column_operation {
    hb_status (*unary)(hb_graph *g, uint32_t a, uint32_t *out);
    hb_status (*by_number)(hb_graph *g, uint32_t a, int64_t number, uint32_t *out);
    int64_t number;
} hb_column_operation;
/* Makes every column of x by the operation; they keep their names. Errors are those of the operation, and HB_ENOMEM. */
hb_status hb_lower_each_column(hb_lowering *l, const hb_value *x, hb_column_operation operation, hb_value *out);
/* Loads a value, and makes an encrypted one of one row stand in every row; others stay. Errors of values. */
hb_status hb_lower_in_rows(hb_lowering *l, hb_value *x);
/* -x, and x^exponent. Errors of values and of hb_lower_numbers; HB_EUSAGE for an exponent that is no constant from 1 to
 * HB_POWER_MAX_EXPONENT. */
hb_status hb_lower_negate(hb_lowering *l, hb_value *x, hb_value *out);
hb_status hb_lower_power(hb_lowering *l, hb_value *x, const hb_value *exponent, hb_value *out);

#endif
