/* The type of an expression: the properties of its value that are known before anything is computed. Types are found by
 * check.h. */
#ifndef HB_LANG_TYPES_TYPE_H
#define HB_LANG_TYPES_TYPE_H

#include "lang/program/program.h"
#include "lang/text/syntax.h"
#include "lang/types/meaning_list.h"

typedef enum hb_type_kind {
    HB_TYPE_NUMBER,     /* a constant: `number` */
    HB_TYPE_COUNT,      /* a public number of rows, or a number computed from it: lowering knows it */
    HB_TYPE_TABLE,      /* plain, with rows */
    HB_TYPE_ROW,        /* plain, one row that serves all */
    HB_TYPE_ROWS,       /* encrypted */
    HB_TYPE_TOTALS,     /* encrypted, one row that stands in every slot */
    HB_TYPE_WORKED_OUT, /* totals that decryption works results out from: nothing is computed with them */
    HB_TYPE_DIGITS,     /* encrypted numbers by their digits, a column each, the highest first; `number`: their base */
    /* No values by themselves: the operation that takes the item looks at it. */
    HB_TYPE_TEXT,   /* stands for a number of the column beside it, and has its type once that is known */
    HB_TYPE_RANGE,  /* a member: `member`, once it is known of which column */
    HB_TYPE_ENTRY,  /* a member with a value, likewise */
    HB_TYPE_GROUPED /* an aggregate that is taken of groups */
} hb_type_kind;

/* A member of a list that a column's values are compared with, in the column's stored form: from `low` to `high`, and
 * the number that belongs to it in lists with numbers. */
typedef struct hb_member {
    hb_number low, high;
    bool entry;
    hb_number value;
} hb_member;

/* The shape of columns that are a matrix, which stands in them row by row; zeroed: they are none. */
typedef struct hb_matrix_shape {
    uint32_t rows, columns;
} hb_matrix_shape;

/* Which cells of a column may be missing (gaps.h). */
typedef struct hb_column_gaps hb_column_gaps;

typedef struct hb_type {
    hb_type_kind kind;
    const hb_item *item; /* that has it */
    hb_number number;
    uint32_t columns;           /* of values, also of rows within slots; 0: computed by decryption */
    const hb_column *names;     /* [columns]; NULL: they have none, or not the same everywhere */
    hb_means means;             /* meanings of the columns; of a number its one meaning, none if it is plain */
    hb_means taken;             /* the same as its user takes them: decimals may have got a larger scale */
    hb_block_image image;       /* of rows within slots: the image that they are; zeroed: columns in their order */
    hb_matrix_shape matrix;     /* of a matrix within a sample; zeroed: it is none */
    uint64_t rows;              /* of plain values */
    const hb_operand *whole;    /* it is this operand, all of it; else NULL */
    uint32_t picked;            /* of a pick: the first column that it takes */
    const char *worked_out;     /* values that decryption computes: "means" */
    hb_member member;           /* of a member: as the columns store it */
    const hb_column_gaps *gaps; /* [columns], owned by the list of types; NULL: no cell is missing */
    bool unsure;                /* a condition that is unknown in fewer rows than its gaps say, as `a and b` */
} hb_type;

/* Returns whether the columns are a matrix. */
static inline bool hb_type_is_matrix(const hb_type *type)
{
    return type->matrix.rows > 0;
}
static inline bool hb_type_encrypted(const hb_type *type)
{
    return type->kind == HB_TYPE_ROWS || type->kind == HB_TYPE_TOTALS || type->kind == HB_TYPE_WORKED_OUT;
}
static inline bool hb_type_plain(const hb_type *type)
{
    return type->kind == HB_TYPE_TABLE || type->kind == HB_TYPE_ROW;
}
/* Returns whether it is a number. */
static inline bool hb_type_number(const hb_type *type)
{
    return type->kind == HB_TYPE_NUMBER || type->kind == HB_TYPE_COUNT;
}
/* Returns whether it is a constant of the expression: a number, a text, a range or an entry. */
static inline bool hb_type_constant(const hb_type *type)
{
    return hb_type_number(type) || (type->kind >= HB_TYPE_TEXT && type->kind <= HB_TYPE_ENTRY);
}
/* Returns whether it may end a range: a number or a text. */
static inline bool hb_type_is_end(const hb_type *type)
{
    return type->kind == HB_TYPE_NUMBER || type->kind == HB_TYPE_TEXT;
}
/* Returns the names of columns [left] and [right] side by side, on which both agree; those of the longer side. NULL:
 * none. A constant has no columns. */
const hb_column *hb_names_agreed(const hb_column *x, uint32_t left, const hb_column *y, uint32_t right);
/* Returns the meaning of a column; a value of one column has the same beside each column of others. */
const hb_meaning *hb_type_meaning(const hb_type *type, uint32_t column);
/* Returns the columns that have a meaning: a constant counts as one, and so do digits. */
static inline uint32_t hb_type_meant_columns(const hb_type *type)
{
    return hb_type_constant(type) || type->kind == HB_TYPE_DIGITS ? 1 : type->columns;
}
/* Returns the scale of one of these, and the largest of all; 1 of whole numbers. */
static inline uint64_t hb_type_scale_at(const hb_type *type, uint32_t column)
{
    return hb_meaning_scale(hb_type_meaning(type, column));
}
uint64_t hb_type_scale(const hb_type *type);
/* Returns whether any column is of that kind. */
bool hb_type_has_meaning(const hb_type *type, hb_meaning_kind kind);
/* Returns the meaning of all columns; NULL: they differ. */
const hb_meaning *hb_type_one_meaning(const hb_type *type);

#endif
