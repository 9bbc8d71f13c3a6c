#include "part_look.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "batch/job/shared_dataset.h"
#include "batch/unit/unit_rows.h"
#include "scheme/params.h"
#include "tables/part_inputs.h"

/* The workspace of a worker. */
typedef struct worker {
    hb_unit_rows rows;
    hb_batch c1;               /* [batch] */
    hb_ledger_record *records; /* [unit] */
    bool *known;               /* [unit] whether the part of a record was made */
} worker;

/* A look at the units of one residue; `fresh` is of all of them. */
typedef struct look {
    hb_part_job *job;
    hb_dataset *dataset, *opened; /* opened: of another residue than the job's; else NULL */
    hb_params *params;            /* of that residue; else NULL */
    hb_part_cells cells;          /* likewise */
    hb_part_request request;
    hb_units units;
    hb_unit_buffers buffers;
    worker worker[HB_MOST_WORKERS];
    bool counts;             /* of the ranks that look at a unit together, one counts its ciphertexts */
    pthread_mutex_t guard;   /* of all that follows */
    hb_ledger_record *fresh; /* [count], memory for `room`: parts that are not made yet, some perhaps twice */
    size_t count, room;
} look;

/* --- one residue */

/* The requests of residues differ by their plain moduli, which noise and header depend on. */
static hb_status open_residue(look *x, uint32_t residue)
{
    hb_part_job *job = x->job;
    const char *path = job->options.input;
    x->dataset = job->decryption.dataset;
    x->request = job->setting.request;
    if (residue == 0) {
        return HB_OK;
    }
    HB_TRY(hb_dataset_open_among(path, residue, hb_shared_dataset_ranks(job->base.job.group), &x->opened));
    x->dataset = x->opened;
    const hb_header *header = hb_dataset_header(x->opened);
    HB_TRY(hb_params_open(&header->spec, &x->params));
    HB_TRY(hb_part_plan_for(x->params, header, path, hb_part_receiving(job->header.part), &x->request.plan));
    HB_TRY(hb_part_cells_init(&x->cells, header, job->header.part));
    memcpy(x->request.cells, x->cells.digest, sizeof x->cells.digest);
    return HB_OK;
}

static hb_status begin_worker(worker *w, const look *x, hb_engine *queue)
{
    const hb_job *base = &x->job->base.job;
    const hb_header *header = hb_dataset_header(x->dataset);
    const size_t unit = (size_t)header->unit;
    HB_TRY(hb_unit_rows_init(&w->rows, 1, queue, base->session.params, header));
    HB_TRY(hb_batch_alloc(queue, &w->c1, base->plan.workers.batch, header->limbs, base->session.params->ids));
    w->records = calloc(unit, sizeof *w->records);
    w->known = calloc(unit, sizeof *w->known);
    return w->records != NULL && w->known != NULL
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for records of %zu ciphertexts", unit);
}

static hb_status begin_residue(look *x, hb_threads threads)
{
    const hb_session *session = &x->job->base.job.session;
    const hb_header *header = hb_dataset_header(x->dataset);
    x->units = hb_ranks_divide(session->grid.peers, header, 0, hb_header_units(header));
    if (x->units.mine.count == 0) {
        return HB_OK;
    }
    const uint32_t buffers = hb_pipeline_buffers(threads, x->units.mine.count);
    HB_TRY(hb_unit_buffers_init(&x->buffers, session->engine, header, buffers, false, false));
    for (uint32_t i = 0; i < threads.workers; i++) {
        HB_TRY(begin_worker(&x->worker[i], x, session->queue[i]));
    }
    return HB_OK;
}

/* Frees all of a residue, however far it came. */
static void end_residue(look *x)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        worker *w = &x->worker[i];
        if (w->rows.engine != NULL) {
            hb_batch_free(w->rows.engine, &w->c1);
        }
        hb_unit_rows_clear(&w->rows, 1);
        free(w->records);
        free(w->known);
        memset(w, 0, sizeof *w);
    }
    hb_unit_buffers_clear(&x->buffers);
    hb_units_clear(&x->units);
    hb_part_cells_clear(&x->cells);
    hb_params_close(x->params);
    hb_dataset_close(x->opened);
    x->params = NULL;
    x->opened = NULL;
}

/* In a reader's thread. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    look *x = context;
    return hb_dataset_read(x->dataset, u, &x->buffers.buffer[buffer].rows);
}

/* Under the guard. */
static hb_status note_fresh(look *x, const worker *w, size_t count)
{
    if (x->room - x->count < count) {
        const size_t room = 2 * x->room + count;
        hb_ledger_record *more = realloc(x->fresh, room * sizeof *more);
        if (more == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %zu records of parts", room);
        }
        x->fresh = more;
        x->room = room;
    }
    for (size_t i = 0; i < count; i++) {
        if (!w->known[i]) {
            x->fresh[x->count++] = w->records[i];
        }
    }
    return HB_OK;
}

/* In a worker's thread, on its queue. All that a part is refused for is looked at here. */
static hb_status look_at_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    look *x = context;
    worker *w = &x->worker[thread];
    const hb_rows *rows = &x->buffers.buffer[buffer].rows;
    const size_t count = (size_t)rows->count;
    uint64_t first, ciphertexts;
    hb_header_unit_range(w->rows.header, u, &first, &ciphertexts);
    HB_TRY(hb_unit_rows_check(&w->rows, u, rows, x->dataset));
    for (hb_chunk c = hb_chunks(count, w->c1.count); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {c.first, 1, count};
        HB_TRY(hb_unit_rows_unpack(&w->rows, 1, hb_batch_slice(w->c1, 0, c.count), places));
    }
    hb_part_records(w->records, &w->rows, count, &x->request);
    HB_TRY(hb_ledger_look_up(x->job->owner.ledger, w->records, count, first, w->known));
    if (!x->counts) {
        return HB_OK;
    }
    pthread_mutex_lock(&x->guard);
    const hb_status st = note_fresh(x, w, count);
    pthread_mutex_unlock(&x->guard);
    return st;
}

/* Collective. The caller ends the residue. */
static hb_status look_at_residue(look *x, uint32_t residue)
{
    static const hb_pipeline_stages stages = {.read = read_unit, .compute = look_at_unit};
    hb_job *base = &x->job->base.job;
    const hb_threads threads = hb_workers_threads(&base->plan.workers, false);
    HB_TRY(hb_agree(base->group, open_residue(x, residue)));
    if (residue > 0) {
        HB_TRY(hb_dataset_tell(x->opened, hb_shared_dataset_ranks(base->group)));
    }
    HB_TRY(hb_agree(base->group, begin_residue(x, threads)));
    const hb_header *header = hb_dataset_header(x->dataset);
    const hb_ranks_work work = {.session = &base->session,
                                .common = base->common,
                                .header = header,
                                .units = &x->units,
                                .stages = &stages,
                                .context = x,
                                .threads = threads,
                                .tally = hb_tally_ciphertexts("looked up", header),
                                .deadline = &base->deadline};
    hb_ranks_end end;
    return hb_ranks_run(&work, &end);
}

/* --- all of them */

/* Brings the records of all ranks, `total` of them, to every rank. Collective. */
static hb_status gather(look *x, uint64_t total)
{
    hb_group *group = x->job->base.job.group;
    enum { WORDS = sizeof(hb_ledger_record) / sizeof(uint64_t) };
    uint64_t *counts = calloc((size_t)group->size, sizeof *counts), before = 0;
    hb_ledger_record *all = calloc(total > 0 ? (size_t)total : 1, sizeof *all);
    hb_status st =
        counts != NULL && all != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu records of parts", (size_t)total);
    st = hb_agree(group, st);
    if (st == HB_OK) {
        counts[group->rank] = x->count;
        st = hb_agree(group, hb_group_sum(group, counts, (size_t)group->size));
    }
    if (st == HB_OK) {
        for (int rank = 0; rank < group->rank; rank++) {
            before += counts[rank];
        }
        /* The others add zeros to what this rank has. */
        if (x->count > 0) {
            memcpy(all + before, x->fresh, x->count * sizeof *all);
        }
        st = hb_agree(group, hb_group_sum(group, (uint64_t *)(void *)all, (size_t)total * WORDS));
    }
    if (st == HB_OK) {
        free(x->fresh);
        x->fresh = all;
        x->count = x->room = (size_t)total;
        all = NULL;
    }
    free(counts);
    free(all);
    return st;
}

static int by_c1(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(hb_ledger_record)); /* c1 comes first */
}

/* Counts the records of all ranks, each once. */
static hb_status count_once(look *x)
{
    uint64_t once = 0;
    if (x->count > 0) {
        qsort(x->fresh, x->count, sizeof *x->fresh, by_c1);
    }
    for (size_t i = 0; i < x->count; i++) {
        const bool again = i > 0 && memcmp(x->fresh[i].c1, x->fresh[i - 1].c1, HB_DIGEST_BYTES) == 0;
        if (again && memcmp(x->fresh[i].context, x->fresh[i - 1].context, HB_DIGEST_BYTES) != 0) {
            return HB_FAIL(HB_EDATA,
                           "%s: ciphertexts for two plain moduli have the same component 1, of which one part alone "
                           "may be made",
                           x->job->options.input);
        }
        once += !again;
    }
    return hb_ledger_check_room(x->job->owner.ledger, once);
}

/* Compares the new ciphertexts with the room that is left. Most often all of them together are few enough, and nobody
 * has to know which of them stand in the dataset twice. Collective. */
static hb_status check_room(look *x, uint32_t residues)
{
    hb_group *group = x->job->base.job.group;
    uint64_t total = x->count;
    HB_TRY(hb_agree(group, hb_group_sum(group, &total, 1)));
    uint64_t closer = residues > 1 || hb_ledger_check_room(x->job->owner.ledger, total) != HB_OK;
    if (closer != 0) {
        hb_clear_error();
    }
    HB_TRY(hb_agree(group, hb_group_max(group, &closer, 1)));
    if (closer == 0) {
        return HB_OK;
    }
    HB_TRY(gather(x, total));
    return hb_agree(group, count_once(x));
}

hb_status hb_part_look(hb_part_job *job)
{
    hb_job *base = &job->base.job;
    const uint32_t residues = hb_spec_residues(&base->header->spec);
    uint64_t made = hb_ledger_count(job->owner.ledger);
    HB_TRY(hb_agree(base->group, hb_group_max(base->group, &made, 1)));
    if (made == 0 || base->options.residue > 0) {
        return HB_OK;
    }
    look x = {.job = job, .counts = hb_session_is_group_lead(&base->session)};
    hb_status st = HB_OK;
    pthread_mutex_init(&x.guard, NULL); /* on Linux it cannot fail */
    for (uint32_t r = 0; r < residues && st == HB_OK; r++) {
        st = look_at_residue(&x, r);
        end_residue(&x);
    }
    st = st == HB_OK ? check_room(&x, residues) : st;
    pthread_mutex_destroy(&x.guard);
    free(x.fresh);
    hb_job_times_end(&base->job_times, HB_SPAN_CHECK);
    return st;
}
