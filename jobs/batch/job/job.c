#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/parse.h"
#include "cli/run.h"
#include "cli/stop.h"
#include "cli/trace.h"
#include "resident.h"
#include "scheme/params.h"
#include "waits.h"

static hb_work work_of(const void *context, uint32_t groups)
{
    const hb_job *job = context;
    return job->kind->work(job, groups);
}

/* Made anew for each use: the kind's functions are called with the job as it is then. */
static hb_plan_requirements requirements_of(const hb_job *job)
{
    const hb_job_kind *kind = job->kind;
    return (hb_plan_requirements){.header = job->header,
                                  .device = &job->device,
                                  .batch = kind->batch != NULL ? kind->batch(job) : 0,
                                  .together = kind->together != NULL ? kind->together(job) : 1,
                                  .in_order = kind->in_order,
                                  .fixed_bytes = kind->fixed_bytes,
                                  .worker_bytes = kind->worker_bytes,
                                  .host_bytes = kind->host_bytes,
                                  .refuses = kind->refuses,
                                  .values = job->values,
                                  .cells = job->compared,
                                  .work = work_of,
                                  .context = job};
}

static bool keeps_session(const hb_job *job)
{
    return job->kept != NULL && job->kept->session.engine != NULL;
}

/* Whether the job is of a further residue of its command. */
static bool follows(const hb_job *job)
{
    return job->options.so_far != NULL && job->options.residue > 0;
}

/* The times of opening are those of the command that opened it. */
static void forget_opening(hb_job *job)
{
    job->device.driver_seconds = job->device.engine_seconds = job->device.check_seconds = 0;
    job->session.exchange_seconds = job->session.switch_seconds = 0;
    if (job->session.exchange != NULL) {
        job->session.exchange->stats = (hb_exchange_stats){0};
    }
}

static hb_status take_kept(hb_job *job)
{
    hb_session *session = &job->session, *kept = &job->kept->session;
    if (follows(job) && !hb_keys_same(session->key_id, &session->params->spec, kept->key_id, &kept->params->spec)) {
        return HB_FAIL(HB_EDATA, "the files of one plain modulus have another key or other parameters than those "
                                 "of another");
    }
    HB_TRY(hb_session_take(session, kept));
    job->device = job->kept->device;
    if (!follows(job)) {
        forget_opening(job);
    }
    return HB_OK;
}

/* Before anything else, so that nothing of the process's time is missing. */
static void begin_times(hb_job *job)
{
    const hb_residues_so_far *so_far = job->options.so_far;
    if (follows(job)) {
        job->job_times = so_far->job_times;
        job->times = so_far->times;
        job->units_done = so_far->units_done;
        job->own = so_far->own;
        job->counts = so_far->counts;
    } else {
        hb_job_times_begin(&job->job_times, hb_run_age(job->group));
    }
}

/* Leaves the results of the jobs so far to the job of the next residue. */
static void leave_to_next(const hb_job *job)
{
    hb_residues_so_far *so_far = job->options.so_far;
    if (so_far != NULL) {
        so_far->job_times = job->job_times;
        so_far->times = job->times;
        so_far->units_done = job->units_done;
        so_far->own = job->own;
        so_far->counts = job->counts;
        so_far->exchanged = job->exchanged;
        so_far->output_bytes = job->plan.output_bytes;
        so_far->free_bytes = job->plan.free_bytes;
        so_far->time = job->plan.predicted;
    }
}

void hb_job_kept_free(hb_job_kept *kept)
{
    if (kept != NULL) {
        hb_session_close(&kept->session);
    }
    free(kept);
}

static void trace_transfer(hb_pattern pattern, uint64_t bytes, double seconds)
{
    static const char *const names[HB_PATTERNS] = {
        [HB_ALL_GATHER] = "all-gather", [HB_ALL_TO_ALL] = "all-to-all", [HB_BROADCAST] = "broadcast"};
    const double now = hb_now();
    const hb_trace_span span = {
        .name = names[pattern], .begun = now - seconds, .ended = now, .key = "received_bytes", .number = bytes};
    hb_trace_add_to(HB_LANE_EXCHANGE, span);
}

/* Returns how many groups of ranks have different ciphertexts, as far as the options say: each rank is one with
 * auto. */
static uint32_t groups_of(const hb_job *job)
{
    uint64_t number = 0;
    const uint32_t ranks = (uint32_t)job->group->size;
    const hb_status st = hb_parse_number(job->options.limbs.ranks, &number);
    if (st != HB_OK) {
        hb_clear_error();
    }
    return st == HB_OK && number > 0 && ranks % number == 0 ? ranks / (uint32_t)number : ranks;
}

/* Collective. */
static hb_status start(hb_job *job)
{
    const bool kept = keeps_session(job);
    hb_resident_use(job->group, kept);
    if (kept) {
        return hb_agree(job->group, take_kept(job));
    }
    const hb_work work = job->kind->work(job, groups_of(job));
    /* Only now is a driver opened: everything before may fail without one. */
    HB_TRY(hb_device_choose(&job->device, job->group, &job->options.device, &work));
    const hb_plan_requirements requirements = requirements_of(job);
    const hb_limb_requirements least = hb_plan_limb_requirements(&requirements);
    return hb_session_start(&job->session, job->group, &job->device, &job->options.limbs, &least);
}

/* From data that is the same on all ranks by now. */
hb_status hb_job_make_plan(const hb_job *job, hb_plan *plan)
{
    const hb_grid *grid = &job->session.grid;
    const hb_plan_requirements requirements = requirements_of(job);
    HB_TRY(hb_plan_make(plan, job->header, (uint32_t)grid->peers->size, (uint32_t)grid->members->size));
    return hb_plan_memory(plan, &job->session, &requirements);
}

/* Makes the plan that the job goes by, or says all ways out. */
static hb_status plan(hb_job *job)
{
    const hb_plan_requirements requirements = requirements_of(job);
    const hb_status st = hb_job_make_plan(job, &job->plan);
    return st == HB_OK ? HB_OK : hb_plan_refuse(&job->session, &requirements, st);
}

hb_speed hb_job_speed(const hb_job *job)
{
    const hb_device *device = &job->device;
    hb_speed speed = device->core;
    if (device->gpu) {
        hb_speed_of_gpu(job->session.params, &device->card, false, &speed);
    }
    const hb_exchange *exchange = job->session.exchange;
    if (exchange != NULL) {
        hb_speed_divide(job->session.params, &exchange->cost, exchange->one_thread, &speed);
        speed.opening = job->session.exchange_seconds;
    }
    speed.driver = device->driver_seconds;
    /* A job for each plain modulus opens an engine of its own, unless it takes that of the one before. */
    speed.tables = device->engine_seconds * (job->kept == NULL ? hb_spec_residues(&job->session.params->spec) : 1);
    speed.check = device->check_seconds;
    speed.files = job->plan.workers.files;
    speed.workers = job->plan.workers.count;
    return speed;
}

/* Predicts the time of the whole, of all residues. inputs: seconds that are over, of opening them. */
static void predict(hb_job *job, double inputs)
{
    static const hb_job_span spans[HB_PARTS] = {
        [HB_PART_START] = HB_SPAN_START,      [HB_PART_DRIVER] = HB_SPAN_OPEN,   [HB_PART_TABLES] = HB_SPAN_OPEN,
        [HB_PART_CHECK] = HB_SPAN_OPEN,       [HB_PART_INPUTS] = HB_SPAN_OPEN,   [HB_PART_KEYS] = HB_SPAN_OPEN,
        [HB_PART_EXCHANGE] = HB_SPAN_OPEN,    [HB_PART_OUTPUT] = HB_SPAN_OUTPUT, [HB_PART_MEMORY] = HB_SPAN_MEMORY,
        [HB_PART_DIAGONALS] = HB_SPAN_MEMORY, [HB_PART_TOTALS] = HB_SPAN_TOTALS, [HB_PART_COMMIT] = HB_SPAN_COMMIT};
    hb_work work = job->kind->work(job, (uint32_t)job->session.grid.peers->size);
    hb_prediction *predicted = &job->plan.predicted;
    double *span = job->job_times.predicted;
    hb_time_part bound;
    work.buffer_bytes = (double)job->plan.host_bytes;
    work.batch = (double)job->plan.workers.batch;
    const hb_speed speed = hb_job_speed(job);
    *predicted = hb_predict(&work, &speed, (hb_spent){job->job_times.seconds[HB_SPAN_START], inputs});
    span[HB_SPAN_LOOP] = hb_prediction_loop(predicted, &bound);
    for (int i = 0; i < HB_PARTS; i++) {
        span[spans[i]] += i < HB_PART_LOOP_FIRST || i > HB_PART_LOOP_LAST ? predicted->part[i] : 0;
    }
}

hb_status hb_job_open(hb_job *job)
{
    const hb_job_kind *kind = job->kind;
    hb_group *group = job->group;
    if (job->options.trace != NULL) {
        HB_TRY(hb_trace_open(group, job->options.trace));
    }
    begin_times(job);
    hb_waits_mark(group, HB_SPAN_OPEN);
    if (kind->resumable) {
        HB_TRY(hb_agree(group, hb_deadline_set(&job->deadline, job->options.max_time, hb_run_age(group))));
    }
    hb_status found = kind->find_out(job);
    if (job->options.so_far == NULL || !job->options.so_far->agreed) {
        found = hb_agree(group, found);
    }
    HB_TRY(found);
    HB_TRY(hb_resident_offer(job));
    /* Ranks that would do different work must find out before they begin to wait for one another. */
    HB_TRY(kind->compare(job));
    const double inputs = hb_now() - job->job_times.at;
    HB_TRY(start(job));
    if (job->session.exchange != NULL) { /* its measurements are over */
        job->session.exchange->ended = hb_trace_is_on() ? trace_transfer : NULL;
    }
    if (kind->lay_out != NULL) {
        HB_TRY(kind->lay_out(job));
    }
    HB_TRY(hb_agree(group, plan(job)));
    HB_TRY(hb_resident_limit(job));
    /* The plan knows how many groups of ranks there are, which the layout of the output follows from. */
    HB_TRY(kind->open_output(job));
    hb_switch_keys_trim(&job->session.resting, job->session.resting_most);
    if (follows(job)) {
        job->plan.output_bytes = job->options.so_far->output_bytes;
        job->plan.free_bytes = job->options.so_far->free_bytes;
        job->plan.predicted = job->options.so_far->time;
    } else {
        predict(job, inputs);
    }
    return HB_OK;
}

hb_status hb_job_make_buffers(hb_job *job)
{
    const hb_header *header = job->header;
    if (job->values || job->compared) {
        HB_TRY(hb_cells_init(&job->cells, header, (size_t)header->unit, job->plan.workers.files));
    }
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(job), job->plan.workers.units);
    return hb_unit_buffers_init(&job->buffers, job->session.engine, header, buffers, job->values, job->compared);
}

hb_status hb_job_same_residues(const hb_job *job, const uint8_t digest[HB_DIGEST_BYTES], const char *what)
{
    hb_residues_so_far *so_far = job->options.so_far;
    if (so_far == NULL) {
        return HB_OK;
    }
    if (!so_far->noted) {
        so_far->noted = true;
        memcpy(so_far->same, digest, sizeof so_far->same);
    }
    return memcmp(so_far->same, digest, sizeof so_far->same) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is another one for this plain modulus than for those before it", what);
}

hb_threads hb_job_threads(const hb_job *job)
{
    hb_threads threads = hb_workers_threads(&job->plan.workers, true);
    if (job->kind->writers != NULL) {
        threads.writers = job->kind->writers(job);
    }
    return threads;
}

/* Syncs the output of a run to the disk and returns the run's status. A resumable job does so also when it was asked to
 * stop, as another one continues it; after a failure no output is worth the wait. */
static hb_status sync(hb_job *job, hb_status ran)
{
    const hb_job_kind *kind = job->kind;
    if (kind->sync == NULL || (ran != HB_OK && (ran != HB_ESTOPPED || !kind->resumable))) {
        return ran;
    }
    /* The reason for stopping is told to the user, also if syncing leaves another text behind. */
    const hb_error reason = *hb_last_error();
    hb_waits_mark(job->group, HB_SPAN_SYNC);
    HB_TRY(kind->sync(job));
    hb_job_times_end(&job->job_times, HB_SPAN_SYNC);
    hb_set_error(&reason);
    return ran;
}

static hb_status run_units(hb_job *job, hb_tally tally, double pause, hb_ranks_pulse *pulse, hb_progress_others others)
{
    const hb_threads threads = hb_job_threads(job);
    hb_pipeline_stages stages = job->kind->stages;
    /* The pipeline wants a stage exactly where it has threads. */
    if (threads.writers == 0) {
        stages.write = NULL;
    }
    const hb_ranks_work work = {.session = &job->session,
                                .common = job->common,
                                .header = job->reads != NULL ? job->reads : job->header,
                                .units = &job->units,
                                .stages = &stages,
                                .context = job,
                                .threads = threads,
                                .tally = tally,
                                .others = others,
                                .deadline = &job->deadline,
                                .pause = pause,
                                .pulse = pulse,
                                .measure = job->measure};
    hb_ranks_end end = {.units = 0}; /* stays so where a failure comes before any unit */
    hb_waits_mark(job->group, HB_SPAN_LOOP);
    const hb_status st = hb_ranks_run(&work, &end);
    /* A kind may run several times over units; the report has them together. */
    hb_pipeline_times_add(&job->times, &end.times);
    job->units_done += end.units;
    hb_pipeline_times_add(&job->own, &end.own);
    job->counts.bytes += end.own_bytes;
    job->paused = end.paused;
    hb_job_times_end(&job->job_times, HB_SPAN_LOOP);
    return sync(job, st);
}

hb_status hb_job_run_units(hb_job *job, hb_tally tally, double pause, hb_ranks_pulse *pulse)
{
    return run_units(job, tally, pause, pulse, (hb_progress_others){.seconds = 0});
}

/* All residues have one line of progress. */
hb_status hb_job_run_ciphertexts(hb_job *job)
{
    const hb_tally tally = hb_tally_ciphertexts(job->kind->verb, job->header);
    hb_residues_so_far *so_far = job->options.so_far;
    hb_progress_others others = {.seconds = 0};
    if (so_far != NULL) {
        others = so_far->progress;
        others.after = (hb_spec_residues(&job->header->spec) - 1 - job->options.residue) * job->header->ciphertexts;
    }
    const double begun = hb_now();
    HB_TRY(run_units(job, tally, 0, NULL, others));
    if (so_far != NULL) {
        so_far->progress.before += job->units.ciphertexts;
        so_far->progress.seconds += hb_now() - begun;
    }
    return HB_OK;
}

/* The work before the first unit. Collective. */
static hb_status begin(hb_job *job)
{
    const hb_job_kind *kind = job->kind;
    if (kind->begin != NULL) {
        HB_TRY(kind->begin(job));
    }
    hb_job_times_end(&job->job_times, HB_SPAN_OUTPUT);
    hb_waits_mark(job->group, HB_SPAN_MEMORY);
    /* Queues before the check, which uses them; buffers after it, as it has its own. */
    HB_TRY(hb_agree(job->group, hb_session_fork(&job->session, job->plan.workers.count)));
    hb_job_times_end(&job->job_times, HB_SPAN_MEMORY);
    if (kind->check != NULL) {
        hb_waits_mark(job->group, HB_SPAN_CHECK);
        HB_TRY(kind->check(job));
        hb_waits_mark(job->group, HB_SPAN_MEMORY);
    }
    HB_TRY(hb_agree(job->group, kind->prepare(job)));
    hb_job_times_end(&job->job_times, HB_SPAN_MEMORY);
    return HB_OK;
}

static void add_exchanged(hb_exchange_stats *to, const hb_exchange_stats *more)
{
    for (int p = 0; p < HB_PATTERNS; p++) {
        to->transfers[p] += more->transfers[p];
        to->sent[p] += more->sent[p];
        to->received[p] += more->received[p];
        to->seconds[p] += more->seconds[p];
    }
}

/* Adds up the exchanges of all ranks since the session started; zeros where limbs are not divided. Collective.
 * HB_ECOMM. */
static hb_status add_up_exchanged(const hb_session *session, hb_exchange_stats *all)
{
    hb_group *group = session->grid.all;
    *all = (hb_exchange_stats){0};
    if (session->exchange == NULL) {
        return HB_OK;
    }
    const hb_exchange_stats *mine = &session->exchange->stats;
    /* The group adds up words: seconds go as nanoseconds. */
    uint64_t sums[4][HB_PATTERNS];
    for (int p = 0; p < HB_PATTERNS; p++) {
        sums[0][p] = mine->transfers[p];
        sums[1][p] = mine->sent[p];
        sums[2][p] = mine->received[p];
        sums[3][p] = (uint64_t)(mine->seconds[p] * 1e9);
    }
    HB_TRY(hb_agree(group, hb_group_sum(group, sums[0], sizeof sums / sizeof sums[0][0])));
    for (int p = 0; p < HB_PATTERNS; p++) {
        all->transfers[p] = sums[0][p];
        all->sent[p] = sums[1][p];
        all->received[p] = sums[2][p];
        all->seconds[p] = (double)sums[3][p] / 1e9;
    }
    return HB_OK;
}

/* The job from its first to its last step. Collective; a failure leaves the rest to the kind's `end`. */
static hb_status run(hb_job *job)
{
    const hb_job_kind *kind = job->kind;
    HB_TRY(begin(job));
    if (kind->loop != NULL) {
        HB_TRY(kind->loop(job));
    } else {
        HB_TRY(hb_job_run_ciphertexts(job));
    }
    /* Between the last unit and the commit: a measurement may be a reason not to give the output its name. */
    if (kind->measure != NULL) {
        HB_TRY(kind->measure(job));
    }
    /* Counted before the commit, which exchanges nothing. */
    HB_TRY(add_up_exchanged(&job->session, &job->exchanged));
    if (follows(job) && job->kept == NULL) { /* a session that stays counts those of earlier residues itself */
        add_exchanged(&job->exchanged, &job->options.so_far->exchanged);
    }
    hb_waits_mark(job->group, HB_SPAN_COMMIT);
    if (kind->commit != NULL) {
        HB_TRY(kind->commit(job));
    }
    return HB_OK;
}

hb_status hb_job_run(hb_job *job)
{
    /* Before anything is on the disk: from here on a signal ends the job in good order. */
    hb_stop_catch();
    hb_job_times_end(&job->job_times, HB_SPAN_OPEN);
    hb_waits_mark(job->group, HB_SPAN_OUTPUT);
    const hb_status st = run(job);
    /* Also after a failure; the ranks have agreed on it by now. */
    if (job->kind->end != NULL) {
        job->kind->end(job);
    }
    hb_job_times_end(&job->job_times, HB_SPAN_COMMIT);
    return st;
}

void hb_job_close(hb_job *job)
{
    /* Read before the struct is zeroed, `kind` with it. */
    const size_t bytes = job->kind->bytes;
    /* The kind's workers use the session's queues, and go first. */
    job->kind->close(job);
    leave_to_next(job);
    hb_units_clear(&job->units);
    hb_unit_buffers_clear(&job->buffers);
    hb_cells_clear(&job->cells);
    if (job->kept != NULL && job->session.engine != NULL) {
        hb_session_leave(&job->session);
        *job->kept = (hb_job_kept){.device = job->device, .session = job->session};
    } else {
        hb_session_close(&job->session);
    }
    memset(job, 0, bytes);
}
