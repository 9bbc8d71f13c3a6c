/* Declarations that the files of the runner share. */
#ifndef HB_LANG_RUN_RUNNER_PRIVATE_H
#define HB_LANG_RUN_RUNNER_PRIVATE_H

#include "lang/program/together.h"
#include "runner.h"
#include "scheme/bootstrap.h"
#include "scheme/matrix.h"
#include "scheme/polynomial.h"
#include "scheme/spread.h"
#include "scheme/weights.h"

/* A constant or mask of the program, encoded: two plaintexts, for a full row block and for the last, partly filled
 * one. */
typedef struct hb_runner_constant {
    hb_opcode op;     /* of an instruction that takes it; of others it may serve as well ... */
    int64_t number;   /* ... with this number, or the bits of the real one; 1 of masks */
    uint32_t columns; /* of rows within slots, that hold it; else 1 */
    uint32_t limbs;   /* of the ciphertexts that it meets, where plaintexts serve one level alone; else the most */
    hb_batch plain;   /* [2], owned */
} hb_runner_constant;

/* A polynomial of the program, planned for the level of its operand. */
typedef struct hb_runner_polynomial {
    int64_t number;
    hb_polynomial *plan; /* owned; it says which level */
} hb_runner_polynomial;

/* A matrix of the program, for the level of its operand. */
typedef struct hb_runner_matrix {
    int64_t number;
    uint32_t limbs;
    hb_shelved own; /* its map is the first runner's */
} hb_runner_matrix;

/* The instructions that are executed now, together, and their work that the meter was told of already, by steps. */
typedef struct hb_runner_under_way {
    const hb_instruction *first;
    uint32_t together;
    size_t count; /* row blocks */
    uint64_t work;
} hb_runner_under_way;

struct hb_runner {
    hb_engine *engine;
    const hb_params *params;
    const hb_switch_keys *keys;
    const hb_program *program;
    hb_runner_io io;
    void (*executed)(hb_opcode op, double begun, double ended); /* NULL: not called */
    hb_runner_meter meter;
    uint64_t queued; /* work that the meter was not told of: the queue may not have come to it yet */
    double told;     /* when the meter was told last */
    hb_runner_under_way under_way;
    size_t count;
    hb_evaluator *evaluator;
    hb_ciphertexts *registers; /* [register_count] for `count` row blocks; plaintexts as one component */
    hb_ciphertexts *sums;      /* [register_count] of totals that row instructions accumulate; others have no data */
    hb_ciphertexts *apart;     /* [register_count] their sums that are not settled; NULL, or no data: nothing is
                                * apart */
    hb_runner_watch watch;     /* look NULL: no observer */
    bool owns_totals;          /* else they are those of another runner, ... */
    const uint8_t *own;        /* ... but for these; NULL: none */
    hb_runner_constant *constants;
    uint32_t constant_count;
    hb_weights *weights; /* [combination_count of the program]; others than the first of a group have none */
    hb_batch *combined;  /* [most_outputs + most_inputs] operands of a group */
    uint32_t most_outputs, most_inputs;
    hb_runner_polynomial *polynomials;
    uint32_t polynomial_count;
    hb_workspace work;          /* of one of them at a time, owned */
    hb_bootstrap *bootstrap;    /* NULL: nothing is bootstrapped */
    hb_spreader *spreader;      /* NULL: no row in one ciphertext is taken apart */
    hb_runner_matrix *matrices; /* [matrix_count]; of the runner that owns totals */
    uint32_t matrix_count;
    hb_block_shelf *shelf;    /* NULL: no other runner has its matrices before or after */
    hb_workspace matrix_work; /* owned */
};

/* Return whether a program bootstraps values, and the memory of bootstrapping `count` row blocks at a time. */
bool hb_runner_bootstraps(const hb_program *program);
hb_bootstrap_memory hb_runner_bootstrap_memory(const hb_params *params, const hb_program *program, size_t count);
/* Opens bootstrapping where the program has some, with the maps of another runner (NULL: there is none). The caller
 * clears, also after a failure. Errors of hb_bootstrap_open. */
hb_status hb_runner_bootstrap_init(hb_runner *runner, const hb_runner *of);
void hb_runner_bootstrap_clear(hb_runner *runner);
/* Bootstraps the values of these, for `count` row blocks. Errors of hb_bootstrap_apply. */
hb_status hb_runner_bootstrap(hb_runner *runner, const hb_instruction *instructions, size_t count);

/* The first row block that is not full; UINT64_MAX: all are. */
uint64_t hb_runner_partial(const hb_runner *runner);

/* Encodes every constant and mask of the program. The caller clears, also after a failure. HB_EDATA for a constant that
 * plaintexts do not hold; HB_ENOMEM; errors of the engine. */
hb_status hb_runner_constants_init(hb_runner *runner);
void hb_runner_constants_clear(hb_runner *runner);
const hb_runner_constant *hb_runner_constant_of(const hb_runner *runner, const hb_instruction *instruction);
uint32_t hb_runner_constants_count(const hb_program *program);

/* Returns where row instructions accumulate a total. */
static inline hb_ciphertexts *hb_runner_sum_of(hb_runner *runner, uint32_t total)
{
    const bool apart = hb_runner_unsettled(runner, total).size > 0;
    return apart ? &runner->apart[total] : &runner->sums[total];
}

/* Returns a register as it is for `count` row blocks; a total is one ciphertext at any time. */
hb_ciphertexts hb_runner_value(const hb_runner *runner, uint32_t i, size_t count);

/* Makes the weights of every linear combination of the program. The caller clears, also after a failure. HB_ENOMEM. */
hb_status hb_runner_combinations_init(hb_runner *runner);
void hb_runner_combinations_clear(hb_runner *runner);
/* Returns the words that they take. */
uint64_t hb_runner_combination_words(const hb_params *params, const hb_program *program);
/* Executes them. Errors of hb_evaluator_combine. */
hb_status hb_runner_combine(hb_runner *runner, const hb_instruction *first, uint32_t outputs, size_t count);

/* Plans every polynomial of the program, with room for some row blocks at a time. The caller clears, also after a
 * failure. HB_ENOMEM, also for the engine's memory; errors of hb_polynomial_open. */
hb_status hb_runner_polynomials_init(hb_runner *runner);
void hb_runner_polynomials_clear(hb_runner *runner);
/* Returns the bytes of the engine's memory that they take, at most. */
uint64_t hb_runner_polynomials_bytes(const hb_params *params, const hb_program *program, size_t count);
/* Evaluates that of an instruction. HB_EDATA without a relinearization key; errors of hb_evaluator_polynomial. */
hb_status hb_runner_polynomial_apply(hb_runner *runner, const hb_instruction *instruction, hb_ciphertexts to,
                                     hb_ciphertexts a);

/* Encodes every matrix of the program, unless `of` has done so, and makes room for products with some row blocks at a
 * time. The caller clears, also after a failure. HB_ENOMEM, also for the engine's memory; errors of
 * hb_block_maps_open. */
hb_status hb_runner_matrices_init(hb_runner *runner, const hb_runner *of);
void hb_runner_matrices_clear(hb_runner *runner);
/* Return the bytes of the engine's memory that matrices take, which runners share, and, at most, room for products. */
uint64_t hb_runner_matrices_bytes(const hb_params *params, const hb_program *program);
uint64_t hb_runner_matrix_work_bytes(const hb_params *params, const hb_program *program, size_t count);
/* Multiplies a[0] by that of an instruction, and by a pair a[1] as well. Errors of hb_evaluator_matrix. */
hb_status hb_runner_matrix_apply(hb_runner *runner, const hb_instruction *instruction, hb_ciphertexts to,
                                 const hb_ciphertexts a[2]);

/* Opens the spreader of a program whose totals take rows in one ciphertext apart. The caller clears, also after a
 * failure. HB_ENOMEM, also for the engine's memory. */
hb_status hb_runner_spread_init(hb_runner *runner);
void hb_runner_spread_clear(hb_runner *runner);
/* Returns the bytes of the engine's memory that it takes, at most. */
uint64_t hb_runner_spread_bytes(const hb_params *params, const hb_program *program);
/* Takes the numbers of these instructions apart, which are together. Errors of hb_spread. */
hb_status hb_runner_spread(hb_runner *runner, const hb_instruction *instructions, uint32_t count);

/* Prepares the automorphisms of these instructions, so that executing them allocates nothing. Errors of
 * hb_evaluator_prepare_hoisting. */
hb_status hb_runner_prepare(hb_runner *runner, const hb_instruction *instructions, uint32_t instruction_count);

/* Counts the work of these instructions on `count` row blocks, which the queue has got. Where it may not have come to
 * them yet, this waits for it now and then. Errors of the engine. */
hb_status hb_runner_count_work(hb_runner *runner, const hb_instruction *instructions, uint32_t instruction_count,
                               size_t count);

/* Executes them on row blocks first .. first + count. Errors as of hb_runner_rows. */
hb_status hb_runner_execute(hb_runner *runner, const hb_instruction *instructions, uint32_t instruction_count,
                            uint64_t first, size_t count);

#endif
