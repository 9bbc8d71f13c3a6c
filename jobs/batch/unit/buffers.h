/* The ring of buffers of a pipeline over the units of a dataset: stored rows, and values in slot order. */
#ifndef HB_BATCH_UNIT_BUFFERS_H
#define HB_BATCH_UNIT_BUFFERS_H

#include "batch/pipeline/pipeline.h"
#include "io/dataset/dataset.h"

/* Returns the bytes of one stored component of a ciphertext, counting the limbs on this engine. Limb l is prime l of
 * the chain, whose id is l. */
size_t hb_rows_component_bytes(const hb_engine *engine, const hb_header *header);
/* Allocates rows[count] for a unit of the header each, for the limbs on this engine, in one piece of the engine's host
 * memory. HB_ENOMEM. The caller zeroes rows[] before; hb_rows_free frees the piece of rows[0], also after a failure,
 * and takes zeroed rows. */
hb_status hb_rows_alloc(hb_rows *rows, size_t count, hb_engine *engine, const hb_header *header);
void hb_rows_free(hb_rows *rows, hb_engine *engine);
/* Adds room for the seeds of a unit of the header to allocated rows, for buffers that take seeded datasets too.
 * HB_ENOMEM. hb_rows_free frees it. */
hb_status hb_rows_add_seeds(hb_rows *rows, hb_engine *engine, const hb_header *header);
/* Returns the part of the rows into which a unit of the header is read: with seeds where it is seeded, else with
 * component 1. */
hb_rows hb_rows_as_stored(const hb_rows *rows, const hb_header *header);
/* Returns the bytes that hb_rows_alloc allocates for each on the member with most limbs. */
uint64_t hb_rows_bytes(const hb_params *params, const hb_header *header);

/* One buffer of the pipeline, in host memory; the parts that move to an engine come from hb_host_alloc. */
typedef struct hb_unit_buffer {
    hb_rows rows;
    uint64_t *values; /* [unit][hb_values_words] table cells or values of the scheme; NULL when not wanted */
    uint64_t *cells;  /* [unit][hb_values_words] table cells to compare the values with; NULL when not wanted */
    uint8_t sum[HB_DIGEST_BYTES];           /* of the unit */
    uint8_t values_digest[HB_DIGEST_BYTES]; /* of the values read, where members compare them (values_digest.h) */
    bool whole;                             /* set by stages that check: the rows match the sum */
} hb_unit_buffer;

/* All buffers of a pipeline. */
typedef struct hb_unit_buffers {
    hb_engine *engine;
    hb_unit_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    size_t value_bytes; /* of one buffer's values, or cells */
} hb_unit_buffers;

/* Makes `count` buffers (hb_pipeline_buffers) for units of the header, with values and cells if wanted; borrows the
 * engine. HB_ENOMEM. hb_unit_buffers_clear wipes and frees, also after a failure, and takes a zeroed struct. */
hb_status hb_unit_buffers_init(hb_unit_buffers *buffers, hb_engine *engine, const hb_header *header, uint32_t count,
                               bool values, bool cells);
void hb_unit_buffers_clear(hb_unit_buffers *buffers);
/* Returns the bytes that hb_unit_buffers_init allocates on the member with most limbs: for the plan. */
uint64_t hb_unit_buffers_bytes(const hb_params *params, const hb_header *header, uint32_t count, bool values,
                               bool cells);

#endif
