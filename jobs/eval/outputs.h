/* The datasets that a computation makes: all of them or none. */
#ifndef HB_EVAL_OUTPUTS_H
#define HB_EVAL_OUTPUTS_H

#include "buffer.h"
#include "output/kept_root.h"
#include "output/output_dataset.h"

/* One output. */
typedef struct hb_eval_output {
    const char *path; /* borrowed */
    hb_header header;
    hb_output_dataset dataset;
} hb_eval_output;

/* All outputs, and arrays of their names and headers for other modules. */
typedef struct hb_eval_outputs {
    hb_eval_output *output;    /* [count] */
    const char **names;        /* [count] names in the expression, borrowed */
    const hb_header **headers; /* [count], of the outputs */
    hb_sanitizing *sanitizing; /* [count] of each; NULL: they are stored as they are */
    hb_kept_root root;         /* of all of them, kept beside the first */
    uint32_t count;
    uint64_t step_units; /* units of an output with rows that a step has; the last step may have fewer */
} hb_eval_outputs;

/* Begins all outputs. Collective, like the functions of output/output_dataset.h. After a failure it marks the outputs
 * that it began in vain to be discarded, and keeps those of an earlier job. */
hb_status hb_eval_outputs_begin(hb_eval_outputs *outputs);
/* Checks the outputs of an earlier job; *resumed: one of them had some units. Collective. */
hb_status hb_eval_outputs_check(hb_eval_outputs *outputs, const hb_session *session, const hb_workers *workers,
                                bool *resumed);
/* Brings the rows that the pass stored to the disk. Collective. HB_EIO. */
hb_status hb_eval_outputs_sync_rows(hb_eval_outputs *outputs, const hb_pass *pass);
/* Brings the rest to the disk, and gives all outputs their names, one after another. Collective. After a crash in
 * between, some outputs have their names and the others are complete under NAME.partial. */
hb_status hb_eval_outputs_commit(hb_eval_outputs *outputs);

/* Rank-local: expects the units of the rows that the pass stores in these steps, and reorders the list so that
 * neighbours lie in up to `files` files, which are written at a time. */
hb_status hb_eval_outputs_expect(hb_eval_outputs *outputs, const hb_pass *pass, hb_units *steps, uint32_t files);
/* Rank-local: returns whether a unit of the step is missing from an output whose rows the pass stores. */
bool hb_eval_outputs_lack(const hb_eval_outputs *outputs, const hb_pass *pass, uint64_t step);
/* Rank-local, in any thread: writes the step's units of the outputs whose rows the pass stores, `together`: with the
 * help of other threads. A unit that is already there has the same bytes and is not written. HB_EIO. */
hb_status hb_eval_outputs_write(hb_eval_outputs *outputs, const hb_pass *pass, const hb_eval_buffer *buffer,
                                uint64_t step, bool together);
/* Rank-local: marks the written output as useless, to be discarded. */
void hb_eval_outputs_discard(hb_eval_outputs *outputs);
void hb_eval_outputs_end(hb_eval_outputs *outputs);
void hb_eval_outputs_close(hb_eval_outputs *outputs); /* Closes and frees; a zeroed struct is allowed. */

#endif
