/* Host memory of one step of a computation in the pipeline: rows and cells of the inputs, rows of the outputs.
 * Rank-local. */
#ifndef HB_EVAL_BUFFER_H
#define HB_EVAL_BUFFER_H

#include "batch/unit/unit_sanitize.h"
#include "lang/program/program.h"
#include "step.h"

/* A step's part of one input: of a dataset, the units that the step touches; of a table with rows, its residues. */
typedef struct hb_eval_input_buffer {
    uint64_t *units;                 /* [most_units] numbers of units */
    hb_rows *rows;                   /* [most_units] their rows */
    size_t count;                    /* units that the current step touches */
    uint64_t *values;                /* [size * across][n] */
    uint8_t digest[HB_DIGEST_BYTES]; /* of the values, where members compare them (batch/cells/values_digest.h) */
} hb_eval_input_buffer;

/* A step's part of one output: the rows of its units, and their sums. */
typedef struct hb_eval_output_buffer {
    hb_rows *rows;                    /* [hb_eval_shape_units] */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* likewise */
} hb_eval_output_buffer;

/* One buffer of the pipeline. */
typedef struct hb_eval_buffer {
    hb_eval_input_buffer *input;   /* [input_count] */
    hb_eval_output_buffer *output; /* [output_count] */
} hb_eval_buffer;

/* The shape of the buffers; all of it is borrowed. */
typedef struct hb_eval_shape {
    hb_eval_input *inputs;
    const hb_header *const *outputs; /* their headers ... */
    const hb_output *described;      /* ... and what the program says of them */
    const hb_sanitizing *sanitizing; /* of each output; NULL: they are stored as they are */
    uint32_t input_count, output_count;
    uint64_t size; /* row blocks a step, ... */
    uint64_t unit; /* ... and a unit of outputs with rows: size is a multiple of it, where there are any */
} hb_eval_shape;

/* Returns how many units of output o a step has, at most. */
static inline size_t hb_eval_shape_units(const hb_eval_shape *shape, uint32_t o)
{
    return shape->described[o].total ? 1 : (size_t)(shape->size / shape->unit);
}

/* Allocates a buffer; its parts that move come from the engine's host memory. HB_ENOMEM. The caller clears with the
 * same engine and shape, also after a failure, which wipes the values of tables; a zeroed buffer is allowed. */
hb_status hb_eval_buffer_init(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape);
void hb_eval_buffer_clear(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape);
/* Returns the bytes that hb_eval_buffer_init takes, on the member with most limbs. */
uint64_t hb_eval_buffer_bytes(const hb_params *params, const hb_eval_shape *shape);

/* The inputs of a pass; all of it is borrowed. */
typedef struct hb_eval_reading {
    const hb_eval_shape *shape;
    const hb_program *program;
    uint32_t pass;
    const hb_seed *root; /* key of the digests of table values; NULL: no other rank shares the limbs */
    /* Returns whether an input of a step is kept on the engine and need not be read; NULL: all are read. */
    bool (*kept)(void *context, uint64_t step, uint32_t input);
    void *context;
    bool together; /* whether several threads read the units of a step */
} hb_eval_reading;

/* Reads the pass's inputs for the step of row blocks first .. first + count, but for units that are resident; `thread`
 * is the number of the calling thread among the readers. HB_EIO; HB_EDATA for a cell that these parameters cannot hold,
 * or a file that was changed. */
hb_status hb_eval_buffer_read(hb_eval_buffer *buffer, const hb_eval_reading *reading, uint32_t thread, uint64_t step,
                              uint64_t first, uint64_t count);
/* Reads the inputs of the pass's totals' instructions: the only row block of datasets of one row. HB_EIO, HB_EDATA. */
hb_status hb_eval_buffer_read_totals(hb_eval_buffer *buffer, const hb_eval_reading *reading);

#endif
