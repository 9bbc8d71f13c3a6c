/* The cost of operations, by kinds of work (kinds.h): one row an opcode (op_cost.c), made of the rates. */
#ifndef HB_LANG_COST_OP_COST_H
#define HB_LANG_COST_OP_COST_H

#include <math.h>

#include "kinds.h"
#include "lang/program/opcode.h"
#include "rlwe/block_matrix.h"
#include "rlwe/bootstrap.h"

/* An operation on one ciphertext, as far as its cost goes. */
typedef struct hb_op_cost {
    hb_opcode op;
    double limbs, to_limbs;    /* of its first operand, and of its result */
    bool three;                /* the operand has 3 components */
    uint32_t products, degree; /* of a polynomial */
    double terms;              /* of a linear combination */
    int64_t number;            /* of bootstrapping: lang/program/bootstrap.h; of a sum of columns its slots */
    double spread;             /* of a number of a row in one ciphertext: the key switches that it takes, its share of
                                  those of all that are taken apart together; 0: one, as where all 2^k are */
    hb_block_outline outline;  /* of a product with a matrix */
    uint64_t sums;             /* of slots that merge in to_limbs limbs, one with each stored column; else 0 */
    uint64_t block;            /* slots of a row, of a sum of slots; 0: rows are not within slots */
    bool coupled;              /* its result is one ciphertext for two row blocks: a row block has half of it */
} hb_op_cost;

/* Adds the amounts of an operation; for a bootstrapped pair, of one of its two instructions. */
void hb_op_cost_add(const hb_params *params, const hb_op_cost *operation, hb_cost *cost);
/* Returns the transforms that it takes on a core: finite and above 0 where there are limbs; 0 for a known number. */
static inline double hb_op_cost_transforms(const hb_params *params, const hb_op_cost *operation)
{
    hb_cost cost = {{0}};
    hb_op_cost_add(params, operation, &cost);
    return cost.of[HB_COST_CORE];
}
/* Returns the transforms of one bootstrap of that kind; for a pair, of both values together. The chain has
 * bootstrapping. */
double hb_op_cost_bootstrap(const hb_params *params, hb_bootstrap_kind kind);
/* Returns the digits that keys of a level are made of; 0 where keys are not switched. */
static inline double hb_op_cost_digits(const hb_params *params, double limbs)
{
    return hb_digit_list_at(&params->gadget.digits, (uint32_t)ceil(limbs));
}

#endif
