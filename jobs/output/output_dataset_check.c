/* Checks the units that an earlier job stored: a unit counts only if its rows have the sum that stands behind them, as
 * a crash may have left either without the other. */
#include <inttypes.h>
#include <string.h>

#include "batch/unit/buffers.h"
#include "batch/unit/unit_rows.h"
#include "output_dataset.h"

/* The state of the check of stored units. */
typedef struct check {
    hb_output_dataset *out;
    const hb_made_of *made_of;
    bool notes; /* of the ranks that check a unit together, one notes that it is whole */
    hb_units units;
    hb_unit_buffers buffers;
    hb_unit_rows rows[HB_MOST_WORKERS];
} check;

/* In a reader's thread. */
static hb_status read_stored(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    check *c = context;
    hb_unit_buffer *to = &c->buffers.buffer[buffer];
    hb_shards *shards = &c->out->shards;
    hb_shard_writer *shard;
    HB_TRY(hb_shards_use(shards, u, &shard));
    /* There is one: only units that have a sum are in the list. */
    memcpy(to->sum, hb_shard_sum(shard, u), sizeof to->sum);
    HB_TRY(hb_shard_read(shard, u, &to->rows));
    HB_TRY(hb_shards_leave(shards, u));
    to->whole = c->made_of == NULL;
    return to->whole ? HB_OK : c->made_of->look(c->made_of->context, thread, u, to->sum, &to->whole);
}

/* In a worker's thread, on its queue. A sum that differs is a finding, not a failure. */
static hb_status check_stored(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    check *c = context;
    hb_unit_buffer *of = &c->buffers.buffer[buffer];
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(hb_unit_rows_upload(&c->rows[worker], &of->rows));
    HB_TRY(hb_unit_rows_sum(&c->rows[worker], u, &of->rows, sum));
    of->whole = of->whole && memcmp(sum, of->sum, sizeof sum) == 0;
    return HB_OK;
}

/* In the one writer's thread, so the map needs no lock. */
static hb_status note_whole(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    check *c = context;
    if (c->buffers.buffer[buffer].whole && c->notes) {
        hb_unit_map_add(&c->out->finished, u);
    }
    return HB_OK;
}

/* Divides the stored units, opens their shards and allocates for the check. Rank-local. */
static hb_status check_begin(check *c, const hb_session *session, hb_threads threads)
{
    hb_output_dataset *out = c->out;
    /* The list is in the order of units, as the groups of ranks divide it; members of a group have the same one. */
    HB_TRY(hb_unit_map_divide(&out->stored, true, session->grid.peers, out->request.header, &c->units));
    HB_TRY(hb_output_dataset_expect(out, &c->units));
    if (c->units.mine.count == 0) {
        return HB_OK;
    }
    /* Rows alone: a sum needs no values. */
    const uint32_t buffers = hb_pipeline_buffers(threads, c->units.mine.count);
    HB_TRY(hb_unit_buffers_init(&c->buffers, session->engine, out->request.header, buffers, false, false));
    for (uint32_t i = 0; i < threads.workers; i++) {
        HB_TRY(hb_unit_rows_init(&c->rows[i], 1, session->queue[i], session->params, out->request.header));
    }
    return HB_OK;
}

/* Frees all of it, however far check_begin came. */
static void check_end(check *c)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_rows_clear(&c->rows[i], 1);
    }
    hb_unit_buffers_clear(&c->buffers);
    hb_units_clear(&c->units);
}

/* Checks the stored units with all ranks, and unites their lists of intact units. Collective. */
static hb_status check_all(check *c, const hb_session *session, hb_threads threads)
{
    static const hb_pipeline_stages stages = {.read = read_stored, .compute = check_stored, .write = note_whole};
    hb_output_dataset *out = c->out;
    const hb_ranks_work work = {.session = session,
                                .common = out->common,
                                .header = out->request.header,
                                .units = &c->units,
                                .stages = &stages,
                                .context = c,
                                .threads = threads,
                                .tally = hb_tally_ciphertexts("checked", out->request.header)};
    hb_ranks_end end;
    /* Ranks without stored units come along: the next calls are collective. */
    HB_TRY(hb_agree(out->group, check_begin(c, session, threads)));
    /* With progress and signals as any run: a large dataset takes its time. */
    HB_TRY(hb_ranks_run(&work, &end));
    HB_TRY(hb_agree(out->group, hb_shards_sync(&out->shards)));
    return hb_unit_map_unite(out->group, &out->finished);
}

hb_status hb_output_dataset_check(hb_output_dataset *out, const hb_session *session, const hb_workers *workers,
                                  const hb_made_of *made_of)
{
    hb_status st = HB_OK;
    if (hb_unit_map_count(&out->stored) > 0) {
        check c = {.out = out, .made_of = made_of, .notes = hb_session_is_group_lead(session)};
        hb_threads threads = hb_workers_threads(workers, true);
        /* note_whole relies on it. */
        threads.writers = 1;
        st = check_all(&c, session, threads);
        check_end(&c);
    }
    /* On every rank, after the lists were united. */
    for (uint64_t u = 0; u < out->growth.first_unit; u++) {
        hb_unit_map_add(&out->finished, u);
    }
    if (out->request.found != NULL) {
        out->request.found->there += hb_unit_map_count(&out->finished);
    }
    /* Residues behind the first have a NAME.partial to continue in every job, and mostly nothing of theirs in it. */
    if (st == HB_OK && hb_unit_map_count(&out->stored) > 0) {
        hb_console_log(out->group, out->common, "continued    %" PRIu64 " of %" PRIu64 " units are there",
                       hb_unit_map_count(&out->finished), out->finished.units);
    }
    return st;
}
