/* The operations of a program, one row each of what they are in any scheme. */
#ifndef HB_LANG_PROGRAM_OPCODE_H
#define HB_LANG_PROGRAM_OPCODE_H

#include <stdbool.h>

/* A ciphertext is "at rest" unless it is a product that is not rescaled: a scheme with rescaling has products at the
 * square of the scale of their level, and adds them up there. */
typedef enum hb_opcode {
    HB_OP_LOAD,       /* to = column of an encrypted operand; in totals' instructions of one whose rows stand in all
                             others', the only row block */
    HB_OP_LOAD_PLAIN, /* to (plain) = column of a plain operand, encoded; a table of one row: its number in all slots
                             that hold a row; only such ones in totals' instructions, there as for row block 0. number:
                             limbs of the one level that it serves; 0: it serves all. Column C + i of a table with C
                             columns is load i of the program's derived columns (derived.h) */
    HB_OP_KNOWN,      /* of graphs alone: a number that is the same in every row, whatever is encrypted (ir/known.h) */
    HB_OP_STORE,      /* column of an output = a */
    HB_OP_ADD,        /* to = a + b; a and b may be totals: b then serves all */
    HB_OP_SUBTRACT,   /* to = a - b */
    HB_OP_NEGATE,     /* to = -a */
    HB_OP_ADD_PLAIN,  /* to = a + plain b */
    HB_OP_SUBTRACT_PLAIN,   /* to = a - plain b */
    HB_OP_MULTIPLY_PLAIN,   /* to = a * plain b */
    HB_OP_ADD_CONSTANT,     /* to = a + number, in slots that hold a row; a total: in all */
    HB_OP_ADD_NUMBER,       /* the same with a real one */
    HB_OP_MULTIPLY_INTEGER, /* to = a * number, at the scale of a */
    HB_OP_MULTIPLY_NUMBER,  /* to = a * real, to be rescaled */
    HB_OP_COMBINE,          /* to = the linear combination `number` of the program; adjacent ones of the same registers
                                   are done together; of reals to be rescaled */
    HB_OP_ADD_ROW,          /* to = a + row `number` of the program's constants, one a column, in slots that hold a
                                   value; a total: of every row */
    HB_OP_MATRIX,           /* to = W a of every row within slots, W the program's matrix `number`, at rest, with one
                                   level fewer */
    HB_OP_ROW_SUM,          /* to = the sum of the columns of every row within slots, `number` slots, in the first */
    HB_OP_ROW_SPREAD,       /* to = the first column of every row within slots in `number` columns; others are 0 in a */
    HB_OP_MULTIPLY,         /* to = a * b, not relinearized, to be rescaled where there are scales; b = a: square */
    HB_OP_POLYNOMIAL,       /* to = p(a) at rest, levels below a; number: which of the program's polynomials */
    HB_OP_BOOTSTRAP,        /* to = a, at the level that bootstrapping takes, with levels again; number: bootstrap.h. In
                                   a pair b is the other value, whose instruction is next: both are done together */
    HB_OP_RELINEARIZE,      /* to = a with 2 components */
    HB_OP_RESCALE,          /* to = a at rest, with one limb fewer and 2 components */
    HB_OP_MOD_SWITCH,       /* to = a with one limb fewer */
    HB_OP_ADJUST,           /* to = a at the lower level of `to`; number: its limbs */
    HB_OP_ROTATE,           /* to = rows of a rotated by number; adjacent ones of the same a are done together */
    HB_OP_SWAP,             /* to = rows of a swapped */
    HB_OP_CONJUGATE,        /* to = the complex conjugates of a */
    HB_OP_TIMES_I,          /* to = a * i */
    HB_OP_BROADCAST,        /* rows only: to = a, a total, once for every row block */
    HB_OP_MASK,             /* to = a where slots hold a row, else 0: acts on the last, partly filled row block alone */
    HB_OP_MASK_SCALED,      /* the same of all row blocks, to be rescaled */
    HB_OP_ACCUMULATE,       /* total to += a of all row blocks; a is not read after this, and may be destroyed */
    HB_OP_MASK_ROW,  /* totals only: to = a in the slots of row `number`, from 0, else 0; to be rescaled where there
                                   are scales */
    HB_OP_FILL_ROWS, /* totals only: to = in every row what one row of a holds, where all others are 0 */
    HB_OP_SUM_SLOTS, /* totals only: to = sum of all slots of a, in every slot; of rows within slots, of all
                                   blocks in every block */
    HB_OPCODES
} hb_opcode;

typedef struct hb_operation {
    const char *name;  /* for messages */
    bool loads;        /* a column of an operand */
    bool second;       /* reads `b` as well as `a` (of a pair that is bootstrapped its other instruction does) */
    bool in_place;     /* `to` may be `a` (scheme/evaluator.h) */
    bool two;          /* takes 2 components: of what has 3, after relinearization */
    bool switches;     /* by switching keys; a rescale: of what has 3 components */
    bool automorphism; /* is one: several of the same `a` are done together */
    bool constant;     /* its number is a constant, an integer */
    bool real;         /* its number is a constant, and `real` */
    bool encoded;      /* by a plaintext that the runner makes, of its number or a mask */
    bool plain_factor; /* multiplies by a plaintext */
} hb_operation;

extern const hb_operation hb_operations[HB_OPCODES];

#endif
