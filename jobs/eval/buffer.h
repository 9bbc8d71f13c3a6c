/* Host memory for one step of a computation in the pipeline: rows and cells of the inputs, rows of the outputs.
 * Rank-local. */
#ifndef HB_EVAL_BUFFER_H
#define HB_EVAL_BUFFER_H

#include "step.h"

/* What a step has of one input: of a dataset, the units that it touches; of a table with rows, its residues. */
typedef struct hb_eval_input_buffer {
    uint64_t *units;                 /* [most_units] numbers of units */
    hb_rows *rows;                   /* [most_units] their rows */
    size_t count;                    /* units that the step which is here now touches */
    uint64_t *values;                /* [size * across][n] */
    uint8_t digest[HB_DIGEST_BYTES]; /* of the values, where members compare them (batch/values_digest.h) */
} hb_eval_input_buffer;

/* What a step makes of one output: the rows of a unit, and their sum. */
typedef struct hb_eval_output_buffer {
    hb_rows rows;
    uint8_t sum[HB_DIGEST_BYTES];
} hb_eval_output_buffer;

/* One buffer of the pipeline. */
typedef struct hb_eval_buffer {
    hb_eval_input_buffer *input;   /* [input_count] */
    hb_eval_output_buffer *output; /* [output_count] */
} hb_eval_buffer;

/* What buffers are made for; all of it is borrowed. */
typedef struct hb_eval_shape {
    hb_eval_input *inputs;
    const hb_header *const *outputs; /* their headers */
    uint32_t input_count, output_count;
    uint64_t size; /* row blocks a step */
} hb_eval_shape;

/* Allocates; what moves is the engine's host memory. HB_ENOMEM. The caller clears with the same engine and shape, also
 * after a failure, which wipes the values of tables; a zeroed buffer is allowed. */
hb_status hb_eval_buffer_init(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape);
void hb_eval_buffer_clear(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape);
/* Returns the bytes that hb_eval_buffer_init takes, on the member with most limbs. */
uint64_t hb_eval_buffer_bytes(const hb_params *params, const hb_eval_shape *shape);

/* What a pass reads; all of it is borrowed. */
typedef struct hb_eval_reading {
    const hb_eval_shape *shape;
    const hb_program *program;
    uint32_t pass;
    const hb_seed *root; /* key of digests of what tables hold; NULL: nobody else shares the limbs */
    /* Whether an input of a step need not be read, as it is kept; NULL: all are read. */
    bool (*kept)(void *context, uint64_t step, uint32_t input);
    void *context;
    bool together; /* whether several threads read the datasets of a step, each one whole */
} hb_eval_reading;

/* Reads what the pass loads for the step of row blocks first .. first + count; `thread` is the number of the calling
 * thread among those that read. HB_EIO; HB_EDATA for a cell that these parameters cannot hold or a file that was
 * changed. */
hb_status hb_eval_buffer_read(hb_eval_buffer *buffer, const hb_eval_reading *reading, uint32_t thread, uint64_t step,
                              uint64_t first, uint64_t count);
/* Reads what the totals' instructions of the pass load: the one row block of datasets of one row. HB_EIO, HB_EDATA. */
hb_status hb_eval_buffer_read_totals(hb_eval_buffer *buffer, const hb_eval_reading *reading);

#endif
