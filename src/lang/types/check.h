/* The check of an expression: a walk through its tree that finds the type of each item and refuses faults at their
 * place. The body of a loop is checked until an iteration has the types of the one before. Lowering starts from the
 * findings of the check. */
#ifndef HB_LANG_TYPES_CHECK_H
#define HB_LANG_TYPES_CHECK_H

#include "lang/ir/semantics.h"
#include "lang/types/steps.h"
#include "lang/types/type.h"

/* The operands and options that an expression is checked against. All is borrowed. */
typedef struct hb_types_context {
    const hb_syntax *syntax;
    const hb_operand *operands;
    uint32_t operand_count;
    const hb_params_spec *spec;
    const hb_semantics *semantics;
    uint64_t block; /* slots of a row, of rows within slots; 0, 1: each column has ciphertexts of its own */
    bool keys_only; /* only keys are asked for: columns and their meanings are not known */
} hb_types_context;

/* The types that the last visit gave an item, as indices of the list: its own, and as its user takes it; the step of
 * that visit; and whether the types changed in it. */
typedef struct hb_typed_item {
    uint32_t own, taken, step;
    bool changed;
} hb_typed_item;

/* A name, as it was assigned last. */
typedef struct hb_typed_name {
    const hb_item *item; /* NULL: it was not */
    uint32_t type;       /* of the list */
} hb_typed_name;

/* Names that an expression makes for columns, and a meaning for each. */
typedef struct hb_made_columns {
    hb_schema schema;
    const hb_meaning **means; /* [columns] those of the schema */
    struct hb_made_columns *next;
} hb_made_columns;
typedef struct hb_made_means {
    struct hb_made_means *next;
    uint32_t columns;
    const hb_meaning *each[];
} hb_made_means;

/* Two values whose columns were matched by position though their names differ. */
typedef struct hb_match {
    const hb_item *item;
    const hb_column *x, *y; /* [columns] */
    uint32_t columns;
} hb_match;

enum { HB_MOST_MATCHES = 8 };

/* Types of an expression. Zeroed at first. */
typedef struct hb_types {
    hb_types_context context;
    hb_type *list; /* [count] all types; iterations of a loop share them */
    uint32_t count, capacity;
    hb_steps steps;
    bool *weights;                     /* [operand_count] datasets on the left of @ */
    hb_match matches[HB_MOST_MATCHES]; /* the first of them */
    uint32_t match_count;
    /* While it is checked: */
    hb_typed_item *items; /* [count of the syntax] */
    hb_type *arguments;   /* [count of the syntax] room for the operands of one item */
    hb_typed_name *names; /* [names of the syntax] */
    const hb_item *item;  /* which faults are found at */
    hb_made_columns *columns;
    hb_made_means *means;
    struct hb_made_gaps *gaps; /* of gaps.c */
} hb_types;

/* A checked expression, which every lowering of the same source starts from. */
typedef struct hb_checked {
    hb_types types; /* nothing changes them once they are found */
    uint32_t users; /* number of owners, all in one thread */
} hb_checked;

/* Checks an expression, for one user. HB_EUSAGE at the item that is at fault, and in which iteration; HB_ENOMEM. After
 * a failure *out is NULL. The context stays as long as anything is lowered. */
hb_status hb_checked_make(const hb_types_context *context, hb_checked **out);
/* Returns the same for one user more; NULL stays NULL. */
hb_checked *hb_checked_share(hb_checked *checked);
/* Clears it when its last user has left; allows NULL. */
void hb_checked_leave(hb_checked *checked);
/* type.c: returns the type that operand i of an item has by itself, valid until another one is found. */
hb_type *hb_types_operand(const hb_types *types, const hb_item *item, uint32_t i);

#endif
