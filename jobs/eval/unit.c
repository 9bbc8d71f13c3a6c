#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/trace.h"
#include "divided/engine.h"
#include "scheme/evaluator.h"
#include "unit_checkpoint.h"
#include "unit_private.h"
#include "unit_progress.h"

/* --- progress within a unit */

/* Whether all members found the same: 32 bits of a digest, a question and its opposite each. */
static hb_status agree_on(hb_unit_evaluator *x, bool found, bool *all)
{
    uint8_t digest[HB_DIGEST_BYTES] = {0};
    bool any;
    HB_TRY(hb_divided_any(x->engine, !found, &any));
    *all = !any;
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch places");
    hb_digest_add_u64(&state, x->progress.generation);
    hb_digest_add(&state, x->progress.done, (size_t)x->count * sizeof *x->progress.done);
    hb_digest_end(&state, digest);
    for (uint32_t i = 0; i < 32 && x->setting->session->grid.members->size > 1; i++) {
        const bool bit = (digest[i / 8] >> i % 8 & 1) != 0;
        bool ones, zeros;
        HB_TRY(hb_divided_any(x->engine, bit, &ones));
        HB_TRY(hb_divided_any(x->engine, !bit, &zeros));
        *all = *all && !(ones && zeros);
    }
    return HB_OK;
}

static void unit_progress_clear(hb_unit_progress *progress)
{
    free(progress->done);
    hb_checkpoint_file_clear(&progress->checkpoint);
    *progress = (hb_unit_progress){.done = NULL};
}

/* Begins the row blocks of x->step, whose inputs are in the buffer: from its checkpoint, or from the first instruction.
 * A checkpoint that does not fit counts as refused. Exchanges. HB_ENOMEM. The caller clears, also after a failure. */
static hb_status unit_progress_begin(hb_unit_evaluator *x)
{
    hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_unit_progress *progress = &x->progress;
    bool found = false, all = false, listed;
    *progress = (hb_unit_progress){.done = calloc((size_t)x->count + 1, sizeof *progress->done), .looked = hb_now()};
    progress->stored = progress->looked;
    if (progress->done == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of row blocks");
    }
    if (checkpoints == NULL || checkpoints->folder == NULL) {
        return HB_OK;
    }
    HB_ASSERT(checkpoints->pass == x->pass);
    /* Members list the folder each, and may see it differently for a moment: they agree. */
    HB_TRY(hb_divided_any(x->engine, checkpoints->may_exist[x->step] != 0, &listed));
    if (!listed) {
        return HB_OK;
    }
    const hb_status st = hb_unit_checkpoint_read(x, &found);
    const hb_error why = *hb_last_error();
    HB_TRY(agree_on(x, found, &all));
    if (!all) {
        /* Who is the first to refuse says why. */
        if ((found || st != HB_OK) && atomic_fetch_add(&checkpoints->refused, 1) == 0) {
            checkpoints->refusal =
                st != HB_OK ? why : (hb_error){.text = "members that share its limbs found different ones"};
        }
        memset(progress->done, 0, (size_t)x->count * sizeof *progress->done);
        hb_checkpoint_file_clear(&progress->checkpoint);
        hb_clear_error();
        return HB_OK;
    }
    atomic_fetch_add(&checkpoints->resumed, 1);
    return hb_unit_checkpoint_restore(x);
}

/* Finds the next row blocks with equal progress, as many as are computed at a time. *more: there are some; then
 * progress->first and count name them, and their registers are loaded. */
static hb_status unit_progress_next(hb_unit_evaluator *x, bool *more)
{
    hb_unit_progress *progress = &x->progress;
    /* The row blocks of the batch before are computed: they are done. */
    const uint32_t end = x->setting->program->passes[x->pass].row_count;
    for (uint64_t b = progress->first; b < progress->first + progress->count; b++) {
        progress->done[b] = end;
    }
    progress->first += progress->count;
    progress->count = 0;
    const uint64_t next = progress->first;
    while (progress->first < x->count && progress->done[progress->first] == end) {
        progress->first++;
    }
    if (progress->first > next) {
        HB_TRY(hb_finish(x->engine));
        hb_runner_worked(x->runner, x->pass, progress->first - next);
    }
    while (progress->first + progress->count < x->count && progress->count < x->batch &&
           progress->done[progress->first + progress->count] == progress->done[progress->first]) {
        progress->count++;
    }
    *more = progress->count > 0;
    if (!*more || progress->done[progress->first] == 0) {
        return HB_OK;
    }
    return hb_unit_checkpoint_restore_registers(x);
}

/* Stops are passed without a look where they follow one another within this time, in seconds: looking waits for the
 * engine. */
static const double soon = 0.05;

/* Stores a checkpoint where one is wanted; a step that cannot be stored is computed to its end. */
static hb_status store_or_go_on(hb_unit_evaluator *x, const hb_resume_point *point, bool halts)
{
    hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_unit_progress *progress = &x->progress;
    const hb_status st = hb_unit_checkpoint_store(x, point);
    bool failed;
    const hb_error why = *hb_last_error();
    HB_TRY(hb_divided_any(x->engine, st != HB_OK, &failed));
    progress->stored = hb_now();
    if (failed) {
        if (atomic_fetch_add(&checkpoints->unstored, 1) == 0 && st != HB_OK) {
            checkpoints->failure = why;
        }
        hb_clear_error();
        progress->store_failed = true;
        return HB_OK;
    }
    if (!halts) {
        return HB_OK;
    }
    atomic_fetch_add(&checkpoints->stopped, 1);
    const uint64_t behind = point->iterations > 0 ? point->iterations - point->iteration + 1 : 0;
    if (behind > atomic_load(&checkpoints->iterations_left)) {
        atomic_store(&checkpoints->iterations_left, behind);
        atomic_store(&checkpoints->iterations, point->iterations);
    }
    return HB_FAIL(HB_ESTOPPED, "stopped within a step");
}

/* Called at a resume point, as hb_runner_watch: checks now and then whether the step is to be interrupted, or a
 * checkpoint is due. HB_ESTOPPED: the step is stored and to be interrupted. Waits for the engine, exchanges. */
static hb_status unit_progress_look(void *evaluator, const hb_resume_point *point)
{
    hb_unit_evaluator *x = evaluator;
    hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_unit_progress *progress = &x->progress;
    if (checkpoints->folder == NULL || progress->passed++ < progress->skips) {
        return HB_OK;
    }
    bool halts = false, slow, due;
    HB_TRY(hb_finish(x->engine));
    hb_runner_worked(x->runner, x->pass, 0);
    const double now = hb_now();
    HB_TRY(checkpoints->look(checkpoints->context, x->worker, &halts));
    HB_TRY(hb_divided_any(x->engine, halts, &halts));
    HB_TRY(hb_divided_any(x->engine, now - progress->looked > soon, &slow));
    HB_TRY(
        hb_divided_any(x->engine, checkpoints->interval > 0 && now - progress->stored > checkpoints->interval, &due));
    progress->passed = 0;
    progress->skips = slow ? 0 : 2 * progress->skips + 1;
    progress->looked = now;
    return (halts || due) && !progress->store_failed ? store_or_go_on(x, point, halts) : HB_OK;
}

/* --- units */

uint64_t hb_unit_evaluator_bytes(const hb_params *params, const hb_program *program, const hb_eval_shape *shape,
                                 size_t batch, const uint8_t *own)
{
    /* Values and the codec. */
    uint64_t bytes = hb_runner_bytes(params, program, batch, own) + hb_codec_bytes(&params->spec, program->encoding) +
                     batch * hb_values_words(&params->spec) * sizeof(uint64_t);
    for (uint32_t i = 0; i < shape->output_count; i++) {
        bytes += hb_packed_totals_bytes(params, &program->outputs[i], 0);
        bytes += shape->sanitizing != NULL
                     ? hb_unit_sanitizer_bytes(params, shape->outputs[i]->encoding, &shape->sanitizing[i].plan, batch)
                     : 0;
        bytes += own == NULL ? hb_eval_shape_units(shape, i) * hb_unit_rows_bytes(params, shape->outputs[i]) : 0;
    }
    return own != NULL ? bytes : bytes + hb_runner_watch_bytes(params, program) + hb_step_inputs_bytes(params, shape);
}

/* Makes packed rows for the units of output o. */
static hb_status output_init(hb_unit_evaluator *x, uint32_t o)
{
    const hb_eval_shape *shape = &x->setting->shape;
    const size_t units = hb_eval_shape_units(shape, o);
    x->output[o] = calloc(units + 1, sizeof *x->output[o]);
    if (x->output[o] == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu units", units);
    }
    return hb_unit_rows_init(x->output[o], units, x->engine, x->setting->session->params, shape->outputs[o]);
}

/* Makes packed rows for the inputs of a step, and for every output. */
static hb_status rows_init(hb_unit_evaluator *x)
{
    const hb_eval_shape *shape = &x->setting->shape;
    const hb_params *params = x->setting->session->params;
    x->input = calloc((size_t)shape->input_count + 1, sizeof *x->input);
    x->output = calloc((size_t)shape->output_count + 1, sizeof *x->output);
    x->packed = calloc((size_t)shape->output_count + 1, sizeof *x->packed);
    if (x->input == NULL || x->output == NULL || x->packed == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u inputs", shape->input_count);
    }
    if (x->batch == 0) { /* totals are loaded from the rows of the first evaluator, and stored there */
        return HB_OK;
    }
    HB_TRY(hb_step_inputs_init(&x->own, x->engine, params, shape, NULL));
    for (uint32_t i = 0; i < shape->output_count; i++) {
        HB_TRY(output_init(x, i));
    }
    return HB_OK;
}

/* Makes sanitizers for what this evaluator stores: rows, or totals, which every one may have. */
static hb_status sanitizers_init(hb_unit_evaluator *x)
{
    const hb_eval_shape *shape = &x->setting->shape;
    if (shape->sanitizing == NULL) {
        return HB_OK;
    }
    x->sanitizer = calloc((size_t)shape->output_count + 1, sizeof *x->sanitizer);
    if (x->sanitizer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u outputs", shape->output_count);
    }
    for (uint32_t o = 0; o < shape->output_count; o++) {
        const bool total = shape->described[o].total;
        if (total || x->batch > 0) {
            HB_TRY(hb_unit_sanitizer_init(&x->sanitizer[o], x->engine, &x->setting->session->public_key,
                                          shape->outputs[o], &shape->sanitizing[o].plan, total ? 1 : x->batch));
        }
    }
    return HB_OK;
}

/* Adds operations to the trace that take long enough to be seen there, so that a long program does not make a large
 * trace. */
static void trace(hb_opcode op, double begun, double ended)
{
    static const double least = 50e-6; /* seconds */
    if (ended - begun >= least) {
        hb_trace_add((hb_trace_span){.name = hb_operations[op].name, .begun = begun, .ended = ended});
    }
}

hb_status hb_unit_evaluator_init(hb_unit_evaluator *x, const hb_eval_setting *setting, hb_engine *engine, size_t batch,
                                 const hb_unit_evaluator *of, uint32_t worker)
{
    const hb_params *params = setting->session->params;
    const uint64_t capacity = hb_codec_capacity(&params->spec, setting->program->encoding);
    const size_t count = batch > 0 ? batch : 1;
    *x = (hb_unit_evaluator){.setting = setting,
                             .of = of,
                             .engine = engine,
                             .worker = worker,
                             .batch = batch,
                             .capacity = (size_t)capacity,
                             .stride = hb_values_words(&params->spec)};
    const hb_runner_setting runner = {.params = params,
                                      .keys = setting->keys,
                                      .program = batch > 0 ? setting->program : &setting->division->of.alone,
                                      .count = count,
                                      .own = setting->division != NULL ? setting->division->own[worker] : NULL,
                                      .io = {hb_unit_eval_load, hb_unit_eval_load_plain, hb_unit_eval_store, x},
                                      .executed = hb_trace_is_on() ? trace : NULL,
                                      .meter = setting->meter,
                                      .shelf = setting->shelf};
    /* hb_unit_evaluator_clear frees everything after a failure. */
    HB_TRY(rows_init(x));
    HB_TRY(sanitizers_init(x));
    HB_TRY(hb_codec_open(engine, params, setting->program->encoding, &x->codec));
    HB_TRY(hb_values_alloc(&x->values, engine, params, count));
    x->repeated = calloc(x->stride, sizeof *x->repeated);
    x->seeds = malloc(count * sizeof *x->seeds);
    if (x->repeated == NULL || x->seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the seeds of %zu ciphertexts", count);
    }
    HB_TRY(hb_runner_open(engine, &runner, of != NULL ? of->runner : NULL, &x->runner));
    return setting->checkpoints != NULL && batch > 0
               ? hb_runner_watch_rows(x->runner, (hb_runner_watch){unit_progress_look, x})
               : HB_OK;
}

void hb_unit_evaluator_clear(hb_unit_evaluator *x)
{
    const hb_eval_shape *shape = x->setting != NULL ? &x->setting->shape : NULL;
    hb_runner_close(x->runner);
    unit_progress_clear(&x->progress);
    if (shape != NULL) {
        hb_step_inputs_clear(&x->own, shape);
    }
    for (uint32_t i = 0; x->output != NULL && i < shape->output_count; i++) {
        hb_unit_rows_clear(x->output[i], x->output[i] != NULL ? hb_eval_shape_units(shape, i) : 0);
        free(x->output[i]);
    }
    for (uint32_t i = 0; x->packed != NULL && i < shape->output_count; i++) {
        hb_packed_totals_close(&x->packed[i]);
    }
    for (uint32_t i = 0; x->sanitizer != NULL && i < shape->output_count; i++) {
        hb_unit_sanitizer_clear(&x->sanitizer[i]);
    }
    free(x->sanitizer);
    free(x->input);
    free(x->output);
    free(x->packed);
    hb_codec_close(x->codec);
    if (x->engine != NULL) {
        /* Values of a plain table may be private. */
        hb_batch_wipe(x->engine, x->values);
        hb_batch_free(x->engine, &x->values);
    }
    if (x->repeated != NULL) {
        hb_wipe(x->repeated, x->stride * sizeof *x->repeated);
    }
    free(x->repeated);
    free(x->seeds);
    memset(x, 0, sizeof *x);
}

/* Has the units of a dataset checked on the engine: of `set`, where the step's are there already, or else this worker's
 * own. */
static hb_status check_units(hb_unit_evaluator *x, hb_step_inputs *set, uint32_t i)
{
    hb_step_input *kept = set != NULL && set->input[i].rows != NULL ? &set->input[i] : NULL;
    x->input[i] = kept != NULL ? kept : &x->own.input[i];
    if (kept != NULL && kept->there) {
        for (size_t k = 0; k < kept->count; k++) {
            hb_unit_rows_move(&kept->rows[k], x->engine);
        }
        return HB_OK;
    }
    return hb_step_input_check(x->input[i], x->engine, &x->buffer->input[i], &x->setting->shape.inputs[i]);
}

/* Checks the step's inputs before anything is believed: datasets are compared with their sums, tables with those of the
 * other members. */
static hb_status check_inputs(hb_unit_evaluator *x, uint32_t pass)
{
    const hb_eval_shape *shape = &x->setting->shape;
    hb_step_inputs *set = hb_kept_inputs_of(x->setting->kept, x->step);
    for (uint32_t i = 0; i < shape->input_count; i++) {
        const hb_eval_input *input = &shape->inputs[i];
        if (!hb_eval_input_in_pass(input, x->setting->program, pass, i)) {
            continue;
        }
        if (input->dataset != NULL) {
            HB_TRY(check_units(x, set, i));
        } else if (hb_eval_input_has_cells(input)) {
            HB_TRY(hb_divided_same(x->engine, x->buffer->input[i].digest, input->path));
        }
    }
    return HB_OK;
}

/* Fetches rows and sums of the outputs that `stored` says yes to, for the row blocks of the step. */
static hb_status fetch_outputs(hb_unit_evaluator *x, const hb_pass *pass, bool (*stored)(const hb_pass *, uint32_t))
{
    const hb_eval_shape *shape = &x->setting->shape;
    for (uint32_t o = 0; o < shape->output_count; o++) {
        const size_t units = hb_eval_shape_units(shape, o);
        for (size_t k = 0; k < units && stored(pass, o) && hb_unit_part(x, k).count > 0; k++) {
            const hb_eval_output_buffer *out = &x->buffer->output[o];
            out->rows[k].count = hb_unit_part(x, k).count * hb_unit_across(x, o);
            HB_TRY(hb_unit_rows_download(&x->output[o][k], &out->rows[k]));
            HB_TRY(hb_unit_rows_sum(&x->output[o][k], x->step * units + k, &out->rows[k], out->sums[k]));
        }
    }
    return HB_OK;
}

/* Computes all row blocks of the step, as many at a time as the workspace was made for. */
static hb_status run_blocks(hb_unit_evaluator *x)
{
    const hb_unit_progress *progress = &x->progress;
    bool more;
    HB_TRY(unit_progress_begin(x));
    for (;;) {
        HB_TRY(unit_progress_next(x, &more));
        if (!more) {
            return HB_OK;
        }
        HB_TRY(hb_runner_rows_from(x->runner, x->pass, (uint32_t)progress->done[progress->first],
                                   x->first + progress->first, (size_t)progress->count));
    }
}

hb_status hb_unit_evaluate(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass, uint64_t step, uint64_t first,
                           uint64_t count)
{
    x->buffer = buffer;
    x->pass = pass;
    x->step = step;
    x->first = first;
    x->count = count;
    HB_TRY(check_inputs(x, pass));
    const hb_status ran = run_blocks(x);
    unit_progress_clear(&x->progress);
    if (ran != HB_OK && ran != HB_ESTOPPED) {
        return ran;
    }
    /* Sums count with the whole step, or not at all. */
    HB_TRY(hb_runner_settle(x->runner, pass, ran == HB_OK));
    if (ran == HB_ESTOPPED) {
        HB_TRY(hb_finish(x->engine));
        return HB_FAIL(HB_ESTOPPED, "stopped within a step");
    }
    HB_TRY(fetch_outputs(x, &x->setting->program->passes[pass], hb_pass_stores_rows));
    HB_TRY(hb_finish(x->engine));
    hb_runner_worked(x->runner, x->pass, 0);
    return HB_OK;
}

/* --- totals */

/* Makes the rows of an output zeros, so that rows of other ranks can be added. */
static hb_status clear_rows(hb_unit_evaluator *x, uint32_t output)
{
    hb_rows *rows = x->buffer->output[output].rows; /* of the only unit */
    rows->count = hb_unit_across(x, output);
    const size_t bytes = (size_t)rows->count * x->output[output]->component_bytes;
    memset(rows->c0, 0, bytes);
    memset(rows->c1, 0, bytes);
    return hb_unit_rows_upload(x->output[output], rows);
}

/* Begins the outputs of a pass that is divided: other workers add to them. */
static hb_status begin_outputs(hb_unit_evaluator *x)
{
    const hb_program *program = x->setting->program;
    for (uint32_t o = 0; o < program->output_count; o++) {
        if (!hb_pass_stores_totals(&program->passes[x->pass], o)) {
            continue;
        }
        if (program->outputs[o].packed) {
            HB_TRY(hb_unit_open_packed(x, o));
        } else {
            HB_TRY(clear_rows(x, o));
        }
    }
    return HB_OK;
}

/* Totals are a row block of their own, the only one. */
static void begin_block(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass)
{
    x->buffer = buffer;
    x->pass = pass;
    x->step = 0;
    x->first = 0;
    x->count = 1;
}

hb_status hb_unit_totals_begin(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass)
{
    begin_block(x, buffer, pass);
    for (uint32_t i = 0; i < x->setting->shape.input_count; i++) {
        if (x->setting->shape.inputs[i].dataset != NULL) {
            HB_TRY(check_units(x, NULL, i));
        }
    }
    if (hb_totals_division_of(&x->setting->division->of, pass) != NULL) {
        HB_TRY(begin_outputs(x));
    }
    return hb_runner_totals_begin(x->runner, pass);
}

hb_status hb_unit_totals_share(hb_unit_evaluator *x, uint32_t pass, uint32_t first, uint32_t count)
{
    if (x->of != NULL) {
        begin_block(x, x->of->buffer, pass);
    }
    x->totals = true;
    const hb_status ran = hb_runner_totals_some(x->runner, pass, first, count);
    x->totals = false;
    return ran;
}

hb_status hb_unit_totals_end(hb_unit_evaluator *x)
{
    const hb_program *program = x->setting->program;
    const hb_pass *pass = &program->passes[x->pass];
    const bool divided = hb_totals_division_of(&x->setting->division->of, x->pass) != NULL;
    for (uint32_t o = 0; o < program->output_count && divided; o++) {
        if (program->outputs[o].packed && hb_pass_stores_totals(pass, o)) {
            HB_TRY(hb_unit_store_packed(x, o));
        }
    }
    return fetch_outputs(x, pass, hb_pass_stores_totals);
}
