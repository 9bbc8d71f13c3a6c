/* Totals of row blocks: sums over workers and over ranks, and the totals' instructions: shares of them, stage by stage,
 * and what ranks bring to one another. Ranks that share limbs bring those that they have, each to the ones of other
 * groups that have the same. */
#include "cli/trace.h"
#include "job_private.h"
#include "machine/background.h"

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

/* Makes job->sum_words hold `bytes` bytes. The memory stays for the sums of later passes: fresh memory costs as much
 * time as the sums in it. */
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

/* Brings the limbs that are here of a sum into job->sum_words, with room for two polynomials behind them.
 * Rank-local. */
static hb_status fetch_sum(hb_eval_job *job, hb_ciphertexts sum)
{
    hb_engine *engine = job->evaluator[0].engine;
    const size_t bytes = hb_eval_words_bytes(job, sum.all);
    HB_TRY(make_room(job, bytes + 2 * engine->ring->n * sizeof(uint64_t)));
    HB_TRY(hb_download(engine, job->sum_words, sum.all.data, bytes));
    return hb_finish(engine);
}

/* Makes a ciphertext of this rank the sum of those of all groups; each member sums its limbs with those of the other
 * groups that have the same ones. Collective. */
static hb_status sum_over_ranks(hb_eval_job *job, hb_ciphertexts sum)
{
    hb_engine *engine = job->evaluator[0].engine;
    HB_TRY(hb_agree(job->base.group, fetch_sum(job, sum)));
    uint64_t *words = job->sum_words;
    const size_t bytes = hb_eval_words_bytes(job, sum.all);
    /* Members sum different limbs at the same time, each in its group of peers. */
    HB_TRY(hb_agree(job->base.group, sum_polynomials(job, sum.all, words, words + bytes / sizeof *words)));
    const hb_status st = hb_upload(engine, sum.all.data, words, bytes);
    return hb_agree(job->base.group, st == HB_OK ? hb_finish(engine) : st);
}

/* Makes one accumulated ciphertext of this rank's members that of all. Collective. */
static hb_status sum_total(hb_eval_job *job, uint32_t total)
{
    hb_ciphertexts sum = {.size = 0};
    HB_TRY(hb_agree(job->base.group, hb_runner_accumulated(job->evaluator[0].runner, total, &sum)));
    return sum_over_ranks(job, sum);
}

/* Adds the sums of this rank's other workers to worker 0's. */
static hb_status sum_over_workers(hb_eval_job *job, uint32_t pass)
{
    for (uint32_t i = 1; i < job->base.plan.workers.count; i++) {
        HB_TRY(hb_runner_add(job->evaluator[0].runner, job->evaluator[i].runner, pass));
    }
    return HB_OK;
}

hb_status hb_eval_job_add_up(hb_eval_job *job, uint32_t p)
{
    const hb_pass *pass = &job->program.passes[p];
    HB_TRY(hb_agree(job->base.group, sum_over_workers(job, p)));
    for (uint32_t r = 0; r < job->program.register_count && job->base.session.grid.peers->size > 1; r++) {
        if (hb_pass_accumulates(pass, r)) {
            HB_TRY(sum_total(job, r));
        }
    }
    return HB_OK;
}

/* --- shares */

/* A worker's shares of a stage. */
typedef struct stage_work {
    hb_eval_job *job;
    const hb_pass_division *pass;
    uint32_t stage, worker;
    uint64_t computed; /* instructions */
    hb_background background;
} stage_work;

/* Runs them, one after another, in a thread of its own or that of the group. */
static hb_status run_shares(void *context)
{
    stage_work *x = context;
    hb_eval_job *job = x->job;
    if (x->worker > 0) {
        hb_trace_enter(HB_LANE_COMPUTE, x->worker);
    }
    for (uint32_t s = 0; s < x->pass->share_count; s++) {
        const hb_totals_share *share = &x->pass->shares[s];
        if (share->stage != x->stage || !hb_eval_share_is_of(&job->division, share) ||
            share->worker % job->division.workers != x->worker) {
            continue;
        }
        /* The first worker's thread is that of the group. Another rank has failed and says why. */
        if (x->worker == 0 && hb_group_stopping(job->base.group)) {
            return HB_FAIL(HB_EPEER, "another rank has failed");
        }
        HB_TRY(hb_unit_totals_share(&job->evaluator[x->worker], job->pass, share->first, share->count));
        x->computed += share->count;
    }
    return HB_OK;
}

/* Computes this rank's shares of a stage, every worker's at the same time. Rank-local. */
static hb_status run_stage(hb_eval_job *job, const hb_pass_division *pass, uint32_t stage)
{
    stage_work work[HB_MOST_WORKERS];
    for (uint32_t w = 0; w < job->division.workers; w++) {
        work[w] = (stage_work){.job = job, .pass = pass, .stage = stage, .worker = w};
    }
    for (uint32_t w = 1; w < job->division.workers; w++) {
        hb_background_begin(&work[w].background, run_shares, &work[w]);
    }
    hb_status st = run_shares(&work[0]);
    for (uint32_t w = 1; w < job->division.workers; w++) {
        const hb_error before = *hb_last_error();
        const hb_status one = hb_background_end(&work[w].background);
        if (st != HB_OK) {
            hb_set_error(&before);
        }
        st = st == HB_OK ? one : st;
    }
    for (uint32_t w = 0; w < job->division.workers; w++) {
        job->base.counts.totals += work[w].computed;
    }
    return st;
}

/* --- what ranks bring to one another */

/* Brings a ciphertext of group `root` to all groups, in its limbs that are here. Collective among the peers; rank-local
 * failures come behind the exchange. */
static hb_status bring(hb_eval_job *job, hb_ciphertexts a, uint32_t root)
{
    hb_group *peers = job->base.session.grid.peers;
    hb_engine *engine = job->evaluator[0].engine;
    const size_t bytes = hb_eval_words_bytes(job, a.all);
    const bool sends = (uint32_t)peers->rank == root;
    hb_status st = HB_OK;
    if (sends) {
        st = hb_download(engine, job->sum_words, a.all.data, bytes);
        st = st == HB_OK ? hb_finish(engine) : st;
    }
    const hb_status brought = hb_group_broadcast(peers, job->sum_words, bytes, (int)root);
    st = st == HB_OK ? brought : st;
    if (st != HB_OK || sends) {
        return st;
    }
    HB_TRY(hb_upload(engine, a.all.data, job->sum_words, bytes));
    return hb_finish(engine);
}

static hb_status bring_moves(hb_eval_job *job, const hb_pass_division *pass, uint32_t stage)
{
    hb_status st = HB_OK;
    for (uint32_t m = 0; m < pass->move_count; m++) {
        const hb_totals_move *move = &pass->moves[m];
        if (move->stage == stage) {
            const hb_status one = bring(job, hb_runner_register(job->evaluator[0].runner, move->total, 1), move->rank);
            st = st == HB_OK ? one : st;
            job->division.moved++;
        }
    }
    return st;
}

/* The group that stores this column of an output. */
static uint32_t owner_of(const hb_eval_job *job, const hb_pass_division *pass, uint32_t output, uint64_t column)
{
    const hb_instruction *list = job->program.passes[job->pass].totals;
    for (uint32_t s = 0; s < pass->share_count; s++) {
        for (uint32_t i = pass->shares[s].first; i < pass->shares[s].first + pass->shares[s].count; i++) {
            if (list[i].op == HB_OP_STORE && list[i].operand == output && list[i].column == column) {
                return pass->shares[s].rank;
            }
        }
    }
    return HB_EVERY_RANK;
}

/* Brings the blocks of an output, each from the group that has made it. */
static hb_status bring_blocks(hb_eval_job *job, const hb_pass_division *pass, uint32_t output)
{
    const hb_packed_blocks *blocks = job->evaluator[0].packed[output].blocks;
    hb_status st = HB_OK;
    for (uint64_t b = 0; b < blocks->count; b++) {
        const hb_status one = bring(job, blocks->block[b], owner_of(job, pass, output, b * blocks->columns));
        st = st == HB_OK ? one : st;
        job->division.moved++;
    }
    return st;
}

/* Adds up the parts of the sum of an output over the workers of this rank, into that of the first. Rank-local. */
static hb_status add_parts(hb_eval_job *job, uint32_t output)
{
    hb_engine *engine = job->evaluator[0].engine;
    const hb_batch sum = job->evaluator[0].packed[output].shifted.sum.all;
    for (uint32_t w = 1; w < job->division.workers; w++) {
        const hb_packed_totals *more = &job->evaluator[w].packed[output];
        if (more->engine != NULL) {
            HB_TRY(hb_add(engine, sum, sum, more->shifted.sum.all));
        }
    }
    return hb_finish(engine);
}

/* The same over all ranks. Collective. */
static hb_status sum_parts(hb_eval_job *job, uint32_t output)
{
    HB_TRY(hb_agree(job->base.group, add_parts(job, output)));
    return job->base.session.grid.peers->size > 1 ? sum_over_ranks(job, job->evaluator[0].packed[output].shifted.sum)
                                                  : HB_OK;
}

/* Adds up the rows of an output over all groups: each has zeros where others have stored. */
static hb_status sum_rows(hb_eval_job *job, uint32_t output)
{
    hb_unit_rows *rows = job->evaluator[0].output[output]; /* of the only unit */
    hb_rows *host = job->buffer[0].output[output].rows;
    hb_group *peers = job->base.session.grid.peers;
    const size_t bytes = (size_t)host->count * rows->component_bytes;
    HB_ASSERT(bytes % sizeof(uint64_t) == 0);
    HB_TRY(hb_agree(job->base.group, hb_unit_rows_download(rows, host)));
    HB_TRY(hb_agree(job->base.group, hb_finish(rows->engine)));
    HB_TRY(hb_group_sum(peers, (uint64_t *)(void *)host->c0, bytes / sizeof(uint64_t)));
    HB_TRY(hb_group_sum(peers, (uint64_t *)(void *)host->c1, bytes / sizeof(uint64_t)));
    return hb_unit_rows_upload(rows, host);
}

/* Brings an output's totals, which shares have stored, to the first group. Collective. */
static hb_status gather_output(hb_eval_job *job, const hb_pass_division *pass, uint32_t o)
{
    const hb_output *output = &job->program.outputs[o];
    if (output->packed && !hb_totals_merge(output)) {
        return sum_parts(job, o);
    }
    if (job->base.session.grid.peers->size == 1) {
        return HB_OK;
    }
    return hb_agree(job->base.group, output->packed ? bring_blocks(job, pass, o) : sum_rows(job, o));
}

/* Makes room for the words of any total that moves. Rank-local. */
static hb_status make_room_for(hb_eval_job *job, const hb_pass_division *pass)
{
    size_t most = 0;
    for (uint32_t m = 0; m < pass->move_count; m++) {
        const hb_ciphertexts total = hb_runner_register(job->evaluator[0].runner, pass->moves[m].total, 1);
        const size_t bytes = hb_eval_words_bytes(job, total.all);
        most = bytes > most ? bytes : most;
    }
    for (uint32_t o = 0; o < job->program.output_count; o++) {
        const hb_packed_totals *packed = &job->evaluator[0].packed[o];
        const size_t bytes = packed->own.count > 0 ? hb_eval_words_bytes(job, packed->own.block[0].all) : 0;
        most = bytes > most ? bytes : most;
    }
    return make_room(job, most);
}

/* Computes the totals of a pass that is divided; every rank then has those that later passes read. Collective. */
static hb_status compute_shares(hb_eval_job *job, const hb_pass_division *pass)
{
    hb_group *group = job->base.group;
    HB_TRY(hb_agree(group, make_room_for(job, pass)));
    for (uint32_t stage = 0; stage < pass->stages; stage++) {
        HB_TRY(hb_agree(group, run_stage(job, pass, stage)));
        if (job->base.session.grid.peers->size > 1) {
            HB_TRY(hb_agree(group, bring_moves(job, pass, stage)));
        }
    }
    for (uint32_t o = 0; o < job->program.output_count; o++) {
        if (hb_pass_stores_totals(&job->program.passes[job->pass], o)) {
            HB_TRY(gather_output(job, pass, o));
        }
    }
    return HB_OK;
}

/* Closes what workers have of packed outputs, the first one's last, as it has their blocks. */
static void close_packed(hb_eval_job *job)
{
    for (uint32_t w = job->division.workers; w-- > 0;) {
        for (uint32_t o = 0; o < job->program.output_count; o++) {
            hb_packed_totals_close(&job->evaluator[w].packed[o]);
        }
    }
}

/* --- the pass */

/* The totals that a pass stores; where it stores none, one for later passes. */
static uint64_t stored_totals(const hb_pass *pass)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pass->total_count; i++) {
        count += pass->totals[i].op == HB_OP_STORE;
    }
    return count > 0 ? count : 1;
}

/* Computes all instructions, as every rank does. Collective. */
static hb_status compute_all(hb_eval_job *job)
{
    const uint32_t count = job->program.passes[job->pass].total_count;
    job->base.counts.totals += count;
    return hb_agree(job->base.group, hb_unit_totals_share(&job->evaluator[0], job->pass, 0, count));
}

/* Computes the totals; the first group then has the outputs in job->buffer[0]. Collective. */
static hb_status compute(hb_eval_job *job)
{
    const hb_pass_division *division = hb_totals_division_of(&job->division.of, job->pass);
    job->division.instructions += job->program.passes[job->pass].total_count;
    HB_TRY(hb_agree(job->base.group, hb_unit_totals_begin(&job->evaluator[0], &job->buffer[0], job->pass)));
    if (division == NULL) {
        HB_TRY(compute_all(job));
    } else {
        HB_TRY(compute_shares(job, division));
    }
    const bool stores = division == NULL || job->division.group == 0;
    const hb_status st = stores ? hb_unit_totals_end(&job->evaluator[0]) : HB_OK;
    return hb_agree(job->base.group, st);
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

/* Shows meanwhile how far they are. Collective. */
static hb_status evaluate_totals(hb_eval_job *job, uint32_t p)
{
    const hb_job *base = &job->base;
    hb_progress progress;
    hb_progress_begin(&progress, base->group, base->common, (hb_tally){"computed", "total", 0},
                      stored_totals(&job->program.passes[p]));
    progress.alone = true;
    progress.work = hb_eval_progress_work(job, true);
    job->progress.totals = &progress;
    const hb_status st = compute(job);
    close_packed(job);
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
    HB_TRY(evaluate_totals(job, p));
    return hb_agree(job->base.group, write_totals(job, pass));
}
