/* Totals of row blocks: sums over workers and over ranks, and the totals' instructions. */
#include "job_private.h"

/* Adds up `words`, those of `a` that are here, over the peers, which have the same limbs. `room`: of two polynomials. A
 * message is a whole polynomial, as ranks wait for each other in each. Collective among the peers. */
static hb_status sum_polynomials(hb_eval_job *job, hb_batch a, uint64_t *words, uint64_t *room)
{
    const hb_engine *engine = job->base.session.engine;
    const size_t n = engine->ring->n;
    for (size_t p = 0; p < a.count * a.limbs; p++) {
        const uint16_t id = a.ids[p % a.limbs];
        /* The words have only the limbs that are here, one after another. */
        if (!hb_limb_here(engine, id)) {
            continue;
        }
        HB_TRY(hb_group_sum_mod(job->base.session.grid.peers, words, n, &engine->ring->moduli[id], room));
        words += n;
    }
    return HB_OK;
}

/* Makes room for `bytes` bytes. It stays for the sums of later passes: fresh memory costs as much time as the sums in
 * it. */
static hb_status make_room(hb_eval_job *job, size_t bytes)
{
    hb_engine *engine = job->base.session.engine;
    void *memory;
    if (bytes <= job->sum_bytes) {
        return HB_OK;
    }
    hb_host_free(engine, job->sum_words);
    job->sum_words = NULL;
    job->sum_bytes = 0;
    HB_TRY(hb_host_alloc(engine, bytes, &memory));
    job->sum_words = memory;
    job->sum_bytes = bytes;
    return HB_OK;
}

/* Brings the limbs that are here of one accumulated ciphertext, *sum, into job->sum_words, with room for two
 * polynomials behind them. Rank-local. */
static hb_status fetch_sum(hb_eval_job *job, uint32_t total, hb_ciphertexts *sum)
{
    hb_engine *engine = job->evaluator[0].engine;
    HB_TRY(hb_runner_accumulated(job->evaluator[0].runner, total, sum));
    const size_t bytes = hb_eval_words_bytes(job, sum->all);
    HB_TRY(make_room(job, bytes + 2 * engine->ring->n * sizeof(uint64_t)));
    HB_TRY(hb_download(engine, job->sum_words, sum->all.data, bytes));
    return hb_finish(engine);
}

/* Makes one accumulated ciphertext of this rank's members that of all; each member sums its limbs with those of the
 * other groups that have the same ones. Collective. */
static hb_status sum_over_ranks(hb_eval_job *job, uint32_t total)
{
    hb_engine *engine = job->evaluator[0].engine;
    hb_ciphertexts sum = {.size = 0};
    HB_TRY(hb_agree(job->base.group, fetch_sum(job, total, &sum)));
    uint64_t *words = job->sum_words;
    const size_t bytes = hb_eval_words_bytes(job, sum.all);
    /* Members sum different limbs at the same time, each in its group of peers. */
    HB_TRY(hb_agree(job->base.group, sum_polynomials(job, sum.all, words, words + bytes / sizeof *words)));
    const hb_status st = hb_upload(engine, sum.all.data, words, bytes);
    return hb_agree(job->base.group, st == HB_OK ? hb_finish(engine) : st);
}

/* Adds the sums of this rank's other workers to worker 0's. */
static hb_status sum_over_workers(hb_eval_job *job, uint32_t pass)
{
    for (uint32_t i = 1; i < job->base.plan.workers.count; i++) {
        HB_TRY(hb_runner_add(job->evaluator[0].runner, job->evaluator[i].runner, pass));
    }
    return HB_OK;
}

/* Writes the one unit of each output that the totals' instructions stored: by the first group, each member its limbs,
 * as all groups have computed the same. */
static hb_status write_totals(hb_eval_job *job, const hb_pass *pass)
{
    uint64_t only = 0;
    const hb_units unit = {.mine = {0, 1}, .list = &only, .count = 1};
    for (uint32_t o = 0; o < job->outputs.count && job->base.session.grid.peers->rank == 0; o++) {
        /* A total that is there already has the same bytes. */
        if (hb_pass_stores_totals(pass, o) && !hb_unit_map_has(&job->outputs.output[o].dataset.finished, 0)) {
            const hb_eval_output_buffer *out = &job->buffer[0].output[o];
            /* One unit in one shard: opened here, as the runs over rows did not expect it. */
            HB_TRY(hb_output_dataset_expect(&job->outputs.output[o].dataset, &unit));
            HB_TRY(hb_output_dataset_write(&job->outputs.output[o].dataset, 0, out->rows, out->sums[0]));
        }
    }
    return HB_OK;
}

hb_status hb_eval_job_add_up(hb_eval_job *job, uint32_t p)
{
    const hb_pass *pass = &job->program.passes[p];
    HB_TRY(hb_agree(job->base.group, sum_over_workers(job, p)));
    for (uint32_t r = 0; r < job->program.register_count && job->base.session.grid.peers->size > 1; r++) {
        if (hb_pass_accumulates(pass, r)) {
            HB_TRY(sum_over_ranks(job, r));
        }
    }
    return HB_OK;
}

/* The totals that a pass stores; where it stores none, one for later passes. */
static uint64_t stored_totals(const hb_pass *pass)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pass->total_count; i++) {
        count += pass->totals[i].op == HB_OP_STORE;
    }
    return count > 0 ? count : 1;
}

/* Runs the totals' instructions, and shows how far they are. Rank-local. */
static hb_status evaluate_totals(hb_eval_job *job, uint32_t p)
{
    const hb_job *base = &job->base;
    hb_progress progress;
    hb_progress_begin(&progress, base->group, base->common, (hb_tally){"computed", "total", 0},
                      stored_totals(&job->program.passes[p]));
    progress.alone = true;
    progress.work = hb_eval_progress_work(job, true);
    job->progress.totals = &progress;
    const hb_status st = hb_unit_evaluate_totals(&job->evaluator[0], &job->buffer[0], p);
    job->progress.totals = NULL;
    if (st == HB_OK && progress.last_shown > progress.started) { /* few totals take no time to tell of */
        hb_progress_end(&progress);
    }
    return st;
}

hb_status hb_eval_job_totals(hb_eval_job *job, uint32_t p)
{
    const hb_pass *pass = &job->program.passes[p];
    const hb_eval_reading reading = {.shape = &job->setting.shape, .program = &job->program, .pass = p};
    HB_TRY(hb_eval_job_add_up(job, p));
    HB_TRY(hb_agree(job->base.group, hb_eval_buffer_read_totals(&job->buffer[0], &reading)));
    HB_TRY(hb_agree(job->base.group, evaluate_totals(job, p)));
    return hb_agree(job->base.group, write_totals(job, pass));
}
