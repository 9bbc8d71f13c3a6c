/* One step of a computation on an engine: inputs checked and unpacked, the program run, outputs packed and summed. */
#ifndef HB_EVAL_UNIT_H
#define HB_EVAL_UNIT_H

#include "expression/run/runner.h"
#include "kept_inputs.h"
#include "ranks/session.h"
#include "rlwe/codec.h"
#include "unit_progress.h"

/* What every evaluator of a job works with; all of it is borrowed. */
typedef struct hb_eval_setting {
    const hb_session *session;
    const hb_program *program;
    const hb_switch_keys *keys;
    hb_eval_shape shape;
    hb_kept_inputs *kept;        /* of steps, from pass to pass */
    hb_checkpoints *checkpoints; /* of the pass that runs; NULL: steps have none */
} hb_eval_setting;

/* What one worker computes with. One thread at a time uses it. */
typedef struct hb_unit_evaluator {
    const hb_eval_setting *setting;
    hb_engine *engine;
    size_t batch;          /* row blocks at a time */
    size_t capacity;       /* rows of a row block: the values of a plaintext ... */
    size_t stride;         /* ... and the words that these take: as many, or more */
    hb_step_inputs own;    /* inputs of a step that are not kept */
    hb_step_input **input; /* [input_count] those of the step: its own, or kept */
    hb_unit_rows *output;  /* [output_count] */
    hb_runner *runner;
    hb_codec *codec;
    hb_batch values;           /* [batch] */
    uint64_t *repeated;        /* [stride], host: values of tables with one row, then zeros */
    hb_seed *seeds;            /* [batch], host */
    hb_eval_buffer *buffer;    /* the one that is worked on */
    uint64_t first, count;     /* the row blocks that it has */
    uint32_t worker, pass;     /* the caller's number of it; the pass that it is in, ... */
    uint64_t step;             /* ... the step ... */
    hb_unit_progress progress; /* ... and how far */
} hb_unit_evaluator;

/* Makes an evaluator on `engine`, the session's or a fork of it. `of` is another evaluator of this setting, with whose
 * totals it works, or NULL for the first one. HB_ENOMEM. The caller clears, also after a failure, evaluators with
 * another's totals before that other one; a zeroed struct is allowed. */
hb_status hb_unit_evaluator_init(hb_unit_evaluator *x, const hb_eval_setting *setting, hb_engine *engine, size_t batch,
                                 const hb_unit_evaluator *of);
void hb_unit_evaluator_clear(hb_unit_evaluator *x);
/* Returns the bytes of the engine's memory that this takes, on the member with most limbs. */
uint64_t hb_unit_evaluator_bytes(const hb_params *params, const hb_program *program, const hb_eval_shape *shape,
                                 size_t batch);

/* Runs the row instructions of a pass on row blocks first .. first + count, which `buffer` has; `step` is their unit in
 * the outputs that the pass stores, whose rows and sums are then in the buffer. HB_EDATA, on all members, for an input
 * that does not match its sum, and for a result that is no encryption (transparent), by name. Exchanges where limbs are
 * divided. Waits for the engine. Resumes the step from its checkpoint, and writes checkpoints;
 * HB_ESTOPPED, on all members: it was left on the way for that, and its sums are as they were. */
hb_status hb_unit_evaluate(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass, uint64_t step, uint64_t first,
                           uint64_t count);
/* Runs the totals' instructions of a pass in the same way, once the sums of all are in this evaluator's runner, for the
 * only unit of outputs with one row. */
hb_status hb_unit_evaluate_totals(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass);

#endif
