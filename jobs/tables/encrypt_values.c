#include "encrypt_values.h"

#include <inttypes.h>
#include <stdlib.h>

#include "batch/cells/values_digest.h"
#include "batch/pipeline/stage_times.h"
#include "scheme/spread.h"

/* Repeats the row of each of `count` ciphertexts in the place of every other: in each slot, or in each block of them,
 * real parts and imaginary ones behind them. */
static void fill_rows(const hb_header *header, const hb_cells *cells, uint64_t count, uint64_t *values)
{
    const size_t capacity = (size_t)header->capacity, period = header->block > 0 ? (size_t)header->block : 1;
    for (size_t at = 0; at + capacity <= count * cells->stride; at += capacity) {
        for (size_t i = period; i < capacity; i++) {
            values[at + i] = values[at + i - period];
        }
    }
}

/* Returns the ciphertexts of a piece: whole row blocks, whose values together stay in a cache of the second level while
 * they are read, moved, checked and digested. */
static size_t piece_of(const hb_cells *cells)
{
    enum { CACHED = 1 << 17 }; /* words: 1 MiB */
    const size_t across = (size_t)hb_packing_across(&cells->packing), words = across * cells->stride;
    return words < CACHED ? CACHED / words * across : across;
}

/* Reads a unit piece by piece, and digests it. */
static hb_status read_pieces(const hb_encrypt_job *job, const hb_cells *cells, uint32_t thread, uint64_t u,
                             uint64_t *values, hb_values_digest *digest)
{
    const size_t piece = piece_of(cells);
    uint64_t first, count;
    hb_header_unit_range(&job->header, u, &first, &count);
    for (uint64_t done = 0; done < count; done += piece, values += piece * cells->stride) {
        const size_t some = count - done < piece ? (size_t)(count - done) : piece;
        HB_TRY(hb_cells_read(cells, thread, job->table, first + done, some, values));
        /* Here and not in a worker: it needs no engine, and readers have the time. */
        HB_TRY(hb_cells_to_values(cells, job->table, first + done, some, values));
        if (job->header.filled) {
            fill_rows(&job->header, cells, some, values);
        }
        if (job->header.encoding == HB_ENCODE_SPREAD) {
            hb_spread_scale(&job->header.spec, -(int)hb_header_spread_steps(&job->header), values,
                            some * cells->stride);
        }
        hb_values_digest_add(digest, values, some * cells->stride * sizeof *values);
        hb_stage_times_note(HB_TIME_ARRANGE);
    }
    return HB_OK;
}

hb_status hb_encrypt_values_read(const hb_encrypt_job *job, const hb_cells *cells, uint32_t thread, uint64_t u,
                                 hb_unit_buffer *to)
{
    hb_values_digest digest;
    hb_values_digest_begin(&digest, &job->log.key);
    const hb_status st = read_pieces(job, cells, thread, u, to->values, &digest);
    hb_values_digest_end(&digest, to->values_digest); /* after a failure, too: it wipes its keys */
    return st;
}

/* The state of the check of stored units. */
typedef struct recheck {
    const hb_encrypt_job *job;
    hb_cells cells;
    uint64_t *values; /* [threads][words] */
    size_t words, threads;
} recheck;

/* In a reader's thread. */
static hb_status look(void *context, uint32_t thread, uint64_t u, const uint8_t sum[HB_DIGEST_BYTES], bool *same)
{
    const recheck *r = context;
    hb_unit_buffer read = {.values = r->values + thread * r->words};
    HB_TRY(hb_encrypt_values_read(r->job, &r->cells, thread, u, &read));
    const hb_values_known known = hb_values_log_find(&r->job->log, u, sum, read.values_digest);
    *same = known == HB_VALUES_SAME;
    return known != HB_VALUES_OTHER
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s.partial: cannot be continued: %s has other values in the rows of unit %" PRIu64
                         " than it was made of; --force without --resume starts again",
                         r->job->options.output, r->job->options.tables.name[0], u);
}

static hb_status recheck_init(recheck *r, const hb_encrypt_job *job)
{
    const hb_job *base = &job->base.job;
    const size_t unit = (size_t)job->header.unit;
    *r = (recheck){.job = job, .threads = base->plan.workers.files};
    HB_TRY(hb_cells_init(&r->cells, &job->header, unit, base->plan.workers.files));
    r->cells.before = job->options.append ? job->append_plan.growth.rows : 0;
    HB_TRY(hb_cells_match(&r->cells, hb_table_schema(job->table)));
    r->words = unit * r->cells.stride;
    r->values = malloc(r->threads * r->words * sizeof *r->values);
    return r->values != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu values", r->threads * r->words);
}

static void recheck_clear(recheck *r)
{
    if (r->values != NULL) {
        hb_wipe(r->values, r->threads * r->words * sizeof *r->values);
    }
    free(r->values);
    hb_cells_clear(&r->cells);
}

hb_status hb_encrypt_values_check(hb_encrypt_job *job)
{
    recheck r = {.job = job};
    const hb_made_of made_of = {.context = &r, .look = look};
    hb_status st = hb_agree(job->base.job.group, job->base.output.resumed ? recheck_init(&r, job) : HB_OK);
    /* On queues that hb_job has forked before. */
    st = st == HB_OK
             ? hb_output_dataset_check(&job->base.output, &job->base.job.session, &job->base.job.plan.workers, &made_of)
             : st;
    recheck_clear(&r);
    return st;
}
