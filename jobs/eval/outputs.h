/* The datasets that a computation makes, all of them or none. */
#ifndef HB_EVAL_OUTPUTS_H
#define HB_EVAL_OUTPUTS_H

#include "buffer.h"
#include "output/output_dataset.h"

typedef struct hb_eval_output {
    const char *path; /* borrowed */
    hb_header header;
    hb_output_dataset dataset;
} hb_eval_output;

typedef struct hb_eval_outputs {
    hb_eval_output *output;    /* [count] */
    const char **names;        /* [count], borrowed */
    const hb_header **headers; /* [count], of the outputs */
    uint32_t count;
} hb_eval_outputs;

/* Collective, as those of output/output_dataset.h. Begin discards again what it began for nothing, and leaves what an
 * earlier job did. */
hb_status hb_eval_outputs_begin(hb_eval_outputs *outputs);
/* *resumed: an earlier job left something of one of them. */
hb_status hb_eval_outputs_check(hb_eval_outputs *outputs, const hb_session *session, const hb_workers *workers,
                                bool *resumed);
/* Brings the rows that the pass stored to the disk. */
hb_status hb_eval_outputs_sync_rows(hb_eval_outputs *outputs, const hb_pass *pass);
/* Brings what is left to the disk, and gives all of them their names. */
hb_status hb_eval_outputs_commit(hb_eval_outputs *outputs);

/* Rank-local. Expects the units of the rows that the pass stores, and brings them into an order that suits files. */
hb_status hb_eval_outputs_expect(hb_eval_outputs *outputs, const hb_pass *pass, hb_units *units, uint32_t files);
/* Tells whether unit u is missing from an output whose rows the pass stores. */
bool hb_eval_outputs_lack(const hb_eval_outputs *outputs, const hb_pass *pass, uint64_t u);
/* Writes unit u of the outputs whose rows the pass stores, unless it is there already, with the same bytes. */
hb_status hb_eval_outputs_write(hb_eval_outputs *outputs, const hb_pass *pass, const hb_eval_buffer *buffer,
                                uint64_t u);
/* Nothing can come of what was written. */
void hb_eval_outputs_discard(hb_eval_outputs *outputs);
void hb_eval_outputs_end(hb_eval_outputs *outputs);
void hb_eval_outputs_close(hb_eval_outputs *outputs); /* zeroed ones are allowed */

#endif
