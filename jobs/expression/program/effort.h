/* What operations cost: in transforms of one limb, which they take as long as; fitted to `hebatch bench`. */
#ifndef HB_EXPRESSION_PROGRAM_EFFORT_H
#define HB_EXPRESSION_PROGRAM_EFFORT_H

#include "opcode.h"
#include "rlwe/block_matrix.h"
#include "rlwe/bootstrap.h"

/* An operation on one ciphertext, as far as its cost goes. */
typedef struct hb_effort {
    hb_opcode op;
    double limbs, to_limbs;    /* of its first operand, and of its result */
    bool three;                /* the operand has 3 components */
    uint32_t products, degree; /* of a polynomial */
    uint32_t terms;            /* of a linear combination */
    int64_t number;            /* of bootstrapping: bootstrap.h; of a sum of columns its slots */
    hb_block_outline outline;  /* of a product with a matrix */
    uint64_t block;            /* slots of a row, of a sum of slots; 0: rows are not within slots */
} hb_effort;

/* Returns what an operation takes; of a pair that is bootstrapped, one of the two instructions. */
double hb_effort_transforms(const hb_params *params, const hb_effort *effort);
/* Returns what bootstrapping of that kind takes: of a pair, both together. */
double hb_effort_bootstrap(const hb_params *params, hb_bootstrap_kind kind);
/* Returns what one ciphertext takes as one of those of a table of so many columns that goes through a layer: a product
 * of its columns with a square matrix, and the square of each value; block: as above. */
double hb_effort_layer(const hb_params *params, double columns, uint64_t block);
/* Returns the digits that keys of a level are made of. */
double hb_effort_digits(const hb_params *params, double limbs);

#endif
