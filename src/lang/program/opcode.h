/* The operations of a program, one row each with their properties in any scheme: the list is operations.def. */
#ifndef HB_LANG_PROGRAM_OPCODE_H
#define HB_LANG_PROGRAM_OPCODE_H

#include <stdbool.h>

typedef enum hb_opcode {
#define HB_OPERATION(op, ...) HB_OP_##op,
#include "operations.def"
#undef HB_OPERATION
    HB_OPCODES
} hb_opcode;

typedef struct hb_operation {
    const char *name;  /* for messages */
    bool loads;        /* a column of an operand */
    bool second;       /* reads `b` as well as `a` (of a pair that is bootstrapped its other instruction does) */
    bool in_place;     /* `to` may be `a` (scheme/evaluator.h) */
    bool two;          /* takes 2 components: operands with 3 are relinearized before */
    bool switches;     /* uses keys of key switching; a rescale: on 3 components */
    bool automorphism; /* is one: several of the same `a` are done together */
    bool constant;     /* its number is a constant, an integer */
    bool real;         /* its number is a constant, and `real` */
    bool encoded;      /* by a plaintext that the runner makes, of its number or a mask */
    bool plain_factor; /* multiplies by a plaintext */
    bool of_integers;  /* schemes of integers alone have it ... */
    bool of_reals;     /* ... or those of reals alone; else all schemes have it */
} hb_operation;

extern const hb_operation hb_operations[HB_OPCODES];

#endif
