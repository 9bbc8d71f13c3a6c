/* One step of a computation on an engine: checks and unpacks inputs, runs the program, packs and sums outputs. */
#ifndef HB_EVAL_UNIT_H
#define HB_EVAL_UNIT_H

#include "batch/unit/unit_sanitize.h"
#include "divide_totals.h"
#include "kept_inputs.h"
#include "lang/run/runner.h"
#include "packed_totals.h"
#include "ranks/session.h"
#include "rlwe/codec.h"
#include "rlwe/evaluator.h"
#include "unit_progress.h"

/* The setting that all evaluators of a job share; all of it is borrowed. */
typedef struct hb_eval_setting {
    const hb_session *session;
    const hb_program *program;
    const hb_switch_keys *keys;
    hb_eval_shape shape;
    hb_kept_inputs *kept;        /* inputs of steps, kept between passes */
    hb_checkpoints *checkpoints; /* of the current pass; NULL: none */
    hb_runner_meter meter;       /* told of the work of all evaluators, in their threads */
    const hb_eval_division *division;
    hb_block_shelf *shelf; /* of encoded matrices (runner.h); NULL: none */
} hb_eval_setting;

/* The workspace of one worker. One thread at a time uses it. */
typedef struct hb_unit_evaluator {
    const hb_eval_setting *setting;
    const struct hb_unit_evaluator *of; /* whose totals it uses; NULL: it is the first */
    hb_engine *engine;
    size_t batch;                 /* row blocks at a time; 0: it computes totals alone */
    size_t capacity;              /* rows of a row block: the values of a plaintext ... */
    size_t stride;                /* ... and the words that they take: as many, or more */
    hb_step_inputs own;           /* inputs of a step that are not kept */
    hb_step_input **input;        /* [input_count] those of the step: its own, or kept */
    hb_unit_rows **output;        /* [output_count][hb_eval_shape_units] the units of a step */
    hb_unit_sanitizer *sanitizer; /* [output_count]; NULL: results are stored as they are */
    hb_packed_totals *packed;     /* [output_count] totals of the current pass that are packed */
    hb_runner *runner;
    hb_codec *codec;
    hb_batch values;           /* [batch] */
    uint64_t *repeated;        /* [stride], host: values of tables with one row, then zeros */
    hb_seed *seeds;            /* [batch], host */
    hb_eval_buffer *buffer;    /* the current buffer */
    uint64_t first, count;     /* its row blocks */
    bool totals;               /* totals are computed, which stand in every slot */
    uint32_t worker, pass;     /* the caller's number for it; the current pass, ... */
    uint64_t step;             /* ... step ... */
    hb_unit_progress progress; /* ... and progress within it */
} hb_unit_evaluator;

/* Makes evaluator number `worker` on `engine`, the session's or a fork of it. `of` is another evaluator of this setting
 * whose totals it uses, or NULL for the first one. batch 0: it computes totals alone. HB_ENOMEM. The caller clears,
 * also after a failure, evaluators that use another's totals before that other one; a zeroed struct is allowed. */
hb_status hb_unit_evaluator_init(hb_unit_evaluator *x, const hb_eval_setting *setting, hb_engine *engine, size_t batch,
                                 const hb_unit_evaluator *of, uint32_t worker);
void hb_unit_evaluator_clear(hb_unit_evaluator *x);
/* Returns the bytes of the engine's memory that an evaluator takes, on the member with most limbs; own: of one that
 * computes totals alone, of such a program (hb_totals_division), with these registers of its own; NULL: of any
 * other. */
uint64_t hb_unit_evaluator_bytes(const hb_params *params, const hb_program *program, const hb_eval_shape *shape,
                                 size_t batch, const uint8_t *own);

/* Runs the row instructions of a pass on row blocks first .. first + count, which are in `buffer`; `step` is their
 * number, and the rows and sums of its units of the outputs that the pass stores are then in the buffer. HB_EDATA, on
 * all members, for an input that does not match its sum, and, naming it, for a result that is no encryption
 * (transparent). Exchanges where limbs are divided. Waits for the engine. Resumes the step from its checkpoint, and
 * writes checkpoints; HB_ESTOPPED, on all members: the step was interrupted and stored, and the evaluator's sums are
 * unchanged. */
hb_status hb_unit_evaluate(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass, uint64_t step, uint64_t first,
                           uint64_t count);
/* Totals of a pass, once the sums of all ranks are in the first evaluator's runner: begins there, for the only unit of
 * outputs with one row; computes shares, in any evaluator, each in one thread; ends with the outputs in the buffer. In
 * a pass that is not divided the only share is that of all instructions. Where ranks divide it, rows of totals that
 * others store are zeros, and the caller brings these totals, and blocks and parts of packed ones, before the end.
 * Exchange. */
hb_status hb_unit_totals_begin(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass);
hb_status hb_unit_totals_share(hb_unit_evaluator *x, uint32_t pass, uint32_t first, uint32_t count);
hb_status hb_unit_totals_end(hb_unit_evaluator *x);

#endif
