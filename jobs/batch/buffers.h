/* The ring of buffers of a pipeline whose units are those of a dataset: stored rows, and values in slot order. */
#ifndef HB_BATCH_BUFFERS_H
#define HB_BATCH_BUFFERS_H

#include "io/dataset/dataset.h"
#include "pipeline.h"

/* Bytes of one stored component of a ciphertext, of the limbs that are here. Limb l is prime l of the chain, whose id
 * is l. */
size_t hb_rows_component_bytes(const hb_engine *engine, const hb_header *header);
/* Rows for one unit of the header, of the limbs that are here, in host memory of the engine. HB_ENOMEM. Free is for
 * what alloc left, also after its failure; zeroed rows are allowed. */
hb_status hb_rows_alloc(hb_rows *rows, hb_engine *engine, const hb_header *header);
void hb_rows_free(hb_rows *rows, hb_engine *engine);
/* Bytes of that, on the member with most of them. */
uint64_t hb_rows_bytes(const hb_params *params, const hb_header *header);

/* Host memory of one buffer of the pipeline; what an engine moves is the engine's (hb_host_alloc). */
typedef struct hb_unit_buffer {
    hb_rows rows;
    uint64_t *values; /* [unit][n]: table cells or residues; NULL when not asked for */
    uint64_t *cells;  /* likewise, for what they are compared with */
    uint8_t sum[HB_DIGEST_BYTES];
    uint8_t values_digest[HB_DIGEST_BYTES]; /* of what a stage read, where members compare that (values_digest.h) */
    bool whole;                             /* for stages that check: the rows have the sum */
} hb_unit_buffer;

typedef struct hb_unit_buffers {
    hb_engine *engine;
    hb_unit_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    size_t value_bytes;
} hb_unit_buffers;

/* Makes `count` buffers (hb_pipeline_buffers) for units of the header, on an engine that is borrowed. HB_ENOMEM. Clear
 * wipes the values and takes a zeroed struct. */
hb_status hb_unit_buffers_init(hb_unit_buffers *buffers, hb_engine *engine, const hb_header *header, uint32_t count,
                               bool values, bool cells);
void hb_unit_buffers_clear(hb_unit_buffers *buffers);
/* Bytes of hb_unit_buffers_init, for the plan, on the member with most of them. */
uint64_t hb_unit_buffers_bytes(const hb_params *params, const hb_header *header, uint32_t count, bool values,
                               bool cells);

#endif
