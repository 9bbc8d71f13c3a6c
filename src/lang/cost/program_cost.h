/* The cost of programs, in transforms of one limb: the sum over their instructions (op_cost.h). */
#ifndef HB_LANG_COST_PROGRAM_COST_H
#define HB_LANG_COST_PROGRAM_COST_H

#include "kinds.h"
#include "lang/program/program.h"

typedef struct hb_program_cost {
    hb_cost rows;   /* for each row block, which every pass goes through once */
    hb_cost totals; /* once, on every rank */
} hb_program_cost;

/* Returns the cost of all passes. The program was compiled for these parameters. Pure. */
hb_program_cost hb_program_cost_of(const hb_params *params, const hb_program *program);

#define HB_WORK_PARTS 16 /* of a transform, in which work is counted */
/* Returns the cost of some instructions, on one row block, as a whole number: sixteenths of a transform, and one more
 * for each, so that a run that counts its instructions comes to the sum of all of them exactly. Pure. */
uint64_t hb_instructions_work(const hb_params *params, const hb_program *program, const hb_instruction *instructions,
                              uint32_t count);

/* Returns the transforms that one ciphertext of a table of `columns` columns of reals takes in a layer of a network: it
 * is loaded, a square matrix is multiplied by the columns, and each value is squared. block: slots of a row; 0: rows
 * are not within slots, and each result is a linear combination of the columns. */
double hb_layer_cost(const hb_params *params, uint64_t columns, uint64_t block);

#endif
