/* The functions of the language, and what each takes. */
#ifndef HB_EXPRESSION_TEXT_CALL_H
#define HB_EXPRESSION_TEXT_CALL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum hb_call {
    HB_CALL_SQUARE,
    HB_CALL_ROTATE,
    HB_CALL_SWAP,
    HB_CALL_SUM,
    HB_CALL_DOT,
    HB_CALL_POLY,
    HB_CALL_ROWSUM,
    HB_CALL_MODSWITCH,
    HB_CALL_MEAN,
    HB_CALL_CONJ,
    HB_CALL_RE,
    HB_CALL_IM,
    HB_CALL_ABS2,
    HB_CALL_CHEB,
    HB_CALL_SIGMOID,
    HB_CALL_TANH,
    HB_CALL_EXP,
    HB_CALL_LOG,
    HB_CALL_INV,
    HB_CALL_SQRT,
    HB_CALL_ERF,
    HB_CALL_GELU,
    HB_CALL_SILU,
    HB_CALL_SIGN,
    HB_CALL_STEP,
    HB_CALL_RELU,
    HB_CALL_ABS,
    HB_CALL_MAX,
    HB_CALL_MIN,
    HB_CALL_SOFTMAX,
    HB_CALL_ONEHOT,
    HB_CALL_LOOKUP,
    HB_CALL_WHERE,
    HB_CALL_COUNT,
    HB_CALL_VAR,
    HB_CALL_HISTOGRAM,
    HB_CALL_GROUPBY,
    HB_CALL_COLS,
    HB_CALL_DIGITS,
    HB_CALL_FETCH,
    HB_CALL_CONV,
    HB_CALLS
} hb_call;

/* What a function takes. */
typedef struct hb_call_form {
    uint32_t least, most; /* arguments */
    const char *form;     /* how it is written, for messages */
    bool reserved;        /* no result may have its name */
    bool reals;           /* schemes of integers do not have it */
    bool members;         /* from its second argument on it takes ranges, texts and entries besides expressions */
    bool choice;          /* it chooses one of several values by another */
    bool aggregate;       /* of all rows: its first argument may be `x where condition` */
    bool groups;          /* aggregates among its arguments are of each group: they are only noted (hb_item.grouped) */
} hb_call_form;

/* Names of the functions in the order above; NULL after the last. */
extern const char *const hb_call_names[HB_CALLS + 1];
/* Returns what a function takes, below HB_CALLS. */
const hb_call_form *hb_call_form_of(hb_call call);

#endif
