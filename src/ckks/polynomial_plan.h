/* How a polynomial in the Chebyshev basis is evaluated (polynomial.h): operations on values that stand in one
 * workspace, with exact scales. The evaluator and the bounds of errors read the same plan. Host only. */
#ifndef HB_CKKS_POLYNOMIAL_PLAN_H
#define HB_CKKS_POLYNOMIAL_PLAN_H

#include "base/chebyshev.h"
#include "params.h"
#include "ring/rns_ops.h"
#include "rlwe/bootstrap.h"

/* Operands at higher levels than `to` are taken by their leading limbs. */
typedef enum hb_polynomial_op {
    HB_POLYNOMIAL_TENSOR,     /* to = a b, of 3 components */
    HB_POLYNOMIAL_MULTIPLE,   /* to = a times a number */
    HB_POLYNOMIAL_CLEAR,      /* to = 0 */
    HB_POLYNOMIAL_ADD,        /* to = to + a, or to - a; a has as many components, or fewer, and may be `to` */
    HB_POLYNOMIAL_ADD_NUMBER, /* to = to + a number in every slot */
    HB_POLYNOMIAL_TURN,       /* to = i times `to`: only in plans of tables, whose values are complex */
    /* to = a, relinearized where it has 3 components, divided by the primes that its level owns; its scale is then read
     * so that its values are `number` times as large */
    HB_POLYNOMIAL_DOWN
} hb_polynomial_op;

typedef struct hb_polynomial_step {
    hb_polynomial_op op;
    uint16_t to, a, b; /* values */
    hb_sign sign;      /* of a sum */
    /* The number that values are multiplied by, or that is added to them. In a division values are read times it: 1 as
     * they are. Multiples and sums compute with the integer nearest to numerator over / under. */
    double number, numerator;
    hb_exact_scale over, under;
    bool absorbed; /* a later sum does the work of this step */
} hb_polynomial_step;

/* Absorbed steps that make one value are done at once, before that is brought down: products of ciphertexts, perhaps
 * twice, multiples and a number are added up with nothing between in memory. */
typedef struct hb_polynomial_sum {
    uint16_t step;                                                         /* that brings the value down */
    uint16_t product[HB_SUM_PRODUCTS], multiple[HB_SUM_MULTIPLES], number; /* steps; no number: UINT16_MAX */
    hb_sign sign[HB_SUM_MULTIPLES];
    uint8_t products, multiples;
    bool twice; /* the products */
} hb_polynomial_sum;

typedef struct hb_polynomial_value {
    uint32_t size, limbs;
    hb_exact_scale scale;
    uint32_t first, last; /* steps that make and that last read it */
    size_t words;         /* of one ciphertext, on the member with most of them ... */
    size_t offset;        /* ... and where they begin, with one ciphertext in each value */
} hb_polynomial_value;

/* Value 0 is x, and is made by no step; the last step makes the result. */
typedef struct hb_polynomial_plan {
    uint32_t limbs, baby, levels; /* of x; of the sums that take no product; that the result is below x */
    hb_polynomial_step *steps;
    hb_polynomial_value *values;
    uint32_t step_count, step_room, value_count, value_room;
    hb_polynomial_sum *sums; /* [sum_count], in the order of the steps that they come before */
    uint32_t sum_count;
    /* [step_count][limbs]: of a step's integer, in the limbs of its value; of a multiple that a sum subtracts, of minus
     * that integer */
    uint64_t *residues;
    size_t words;      /* of the workspace for one ciphertext */
    uint32_t products; /* of ciphertexts */
} hb_polynomial_plan;

/* Plans the evaluation of a polynomial for ciphertexts of `limbs` limbs; baby: the baby step, 2 or more; 0: the
 * cheapest one. The caller clears *plan whatever happens; a zeroed one is allowed. HB_EUSAGE where the polynomial is a
 * constant, or longer than HB_CHEBYSHEV_MOST_DEGREE; HB_EDATA where levels do not suffice, or a number does not fit;
 * HB_ECONFIG where scales of parameters like SEAL's run away from one another; HB_ENOMEM. */
hb_status hb_polynomial_plan_init(hb_polynomial_plan *plan, const hb_params *params, uint32_t limbs,
                                  const hb_chebyshev *polynomial, uint32_t baby);
/* Plans EvalMod (eval_mod.h) with parameters that can bootstrap, from x at the level where it begins and at the scale
 * of the prime of that level, to 2^-fewer_bits times values, at rest at the level that bootstrapping leaves. The caller
 * clears *plan likewise. HB_ENOMEM. */
hb_status hb_polynomial_plan_init_eval_mod(hb_polynomial_plan *plan, const hb_params *params, uint32_t fewer_bits);
/* Plans a table (semantics.md 9.16) on the reals of a chain of integers with levels for it, from x as EvalMod takes it,
 * to a complex number at rest at the level that bootstrapping leaves, whose real part is the entry, centred, over
 * 2^bits. The caller clears *plan likewise. HB_ECONFIG where the chain has fewer levels than the table has bits;
 * HB_ENOMEM. */
hb_status hb_polynomial_plan_init_table(hb_polynomial_plan *plan, const hb_params *params,
                                        const hb_bootstrap_table *table);
void hb_polynomial_plan_clear(hb_polynomial_plan *plan);

/* Returns the limbs of the result. */
static inline uint32_t hb_polynomial_plan_result_limbs(const hb_polynomial_plan *plan)
{
    return plan->values[plan->steps[plan->step_count - 1].to].limbs;
}

#endif
