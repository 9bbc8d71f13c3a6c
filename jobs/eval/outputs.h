/* The datasets that a computation makes, all of them or none. */
#ifndef HB_EVAL_OUTPUTS_H
#define HB_EVAL_OUTPUTS_H

#include "buffer.h"
#include "output/output_dataset.h"

/* One of them. */
typedef struct hb_eval_output {
    const char *path; /* borrowed */
    hb_header header;
    hb_output_dataset dataset;
} hb_eval_output;

/* All of them, with the arrays that others want. */
typedef struct hb_eval_outputs {
    hb_eval_output *output;    /* [count] */
    const char **names;        /* [count] names in the expression, borrowed */
    const hb_header **headers; /* [count], of the outputs */
    uint32_t count;
} hb_eval_outputs;

/* Begins all of them. Collective, as the functions of output/output_dataset.h are. After a failure it marks what it
 * began for nothing to be discarded, and leaves what an earlier job left. */
hb_status hb_eval_outputs_begin(hb_eval_outputs *outputs);
/* Checks what an earlier job left; *resumed: there was something of one of them. Collective. */
hb_status hb_eval_outputs_check(hb_eval_outputs *outputs, const hb_session *session, const hb_workers *workers,
                                bool *resumed);
/* Brings the rows that the pass stored to the disk. Collective. */
hb_status hb_eval_outputs_sync_rows(hb_eval_outputs *outputs, const hb_pass *pass);
/* Brings what is left to the disk, and gives all of them their names, one after another. Collective. A crash in between
 * leaves those that have their names, and the others as NAME.partial, whole. */
hb_status hb_eval_outputs_commit(hb_eval_outputs *outputs);

/* Rank-local: expects the units of the rows that the pass stores, and brings the list into an order that suits files,
 * up to `files` of which are written at a time. */
hb_status hb_eval_outputs_expect(hb_eval_outputs *outputs, const hb_pass *pass, hb_units *units, uint32_t files);
/* Rank-local: returns whether unit u is missing from an output whose rows the pass stores. */
bool hb_eval_outputs_lack(const hb_eval_outputs *outputs, const hb_pass *pass, uint64_t u);
/* Rank-local, in any thread: writes unit u of the outputs whose rows the pass stores, unless it is there already, with
 * the same bytes. */
hb_status hb_eval_outputs_write(hb_eval_outputs *outputs, const hb_pass *pass, const hb_eval_buffer *buffer,
                                uint64_t u);
/* Rank-local: notes that nothing can come of what was written. */
void hb_eval_outputs_discard(hb_eval_outputs *outputs);
void hb_eval_outputs_end(hb_eval_outputs *outputs);
void hb_eval_outputs_close(hb_eval_outputs *outputs); /* Closes and frees; a zeroed struct is allowed. */

#endif
