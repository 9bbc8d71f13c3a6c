#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"
#include "divided/engine.h"
#include "unit_private.h"

uint64_t hb_unit_evaluator_bytes(const hb_params *params, const hb_program *program, const hb_eval_shape *shape,
                                 size_t batch)
{
    /* Values and the codec. */
    uint64_t bytes = hb_runner_bytes(params, program, batch) + hb_runner_watch_bytes(params, program) +
                     hb_codec_bytes(&params->spec, program->encoding) +
                     batch * hb_values_words(&params->spec) * sizeof(uint64_t);
    bytes += hb_step_inputs_bytes(params, shape);
    for (uint32_t i = 0; i < shape->output_count; i++) {
        bytes += hb_unit_rows_bytes(params, shape->outputs[i]);
    }
    return bytes;
}

/* Makes packed rows for the inputs of a step, and for every output. */
static hb_status rows_init(hb_unit_evaluator *x)
{
    const hb_eval_shape *shape = &x->setting->shape;
    const hb_params *params = x->setting->session->params;
    x->input = calloc((size_t)shape->input_count + 1, sizeof *x->input);
    x->output = calloc((size_t)shape->output_count + 1, sizeof *x->output);
    if (x->input == NULL || x->output == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u inputs", shape->input_count);
    }
    HB_TRY(hb_step_inputs_init(&x->own, x->engine, params, shape, NULL));
    for (uint32_t i = 0; i < shape->output_count; i++) {
        HB_TRY(hb_unit_rows_init(&x->output[i], x->engine, params, shape->outputs[i]));
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
                                 const hb_unit_evaluator *of)
{
    const hb_params *params = setting->session->params;
    const uint64_t capacity = hb_codec_capacity(&params->spec, setting->program->encoding);
    *x = (hb_unit_evaluator){.setting = setting,
                             .engine = engine,
                             .batch = batch,
                             .capacity = (size_t)capacity,
                             .stride = hb_values_words(&params->spec)};
    const hb_runner_setting runner = {.params = params,
                                      .keys = setting->keys,
                                      .program = setting->program,
                                      .count = batch,
                                      .io = {hb_unit_eval_load, hb_unit_eval_load_plain, hb_unit_eval_store, x},
                                      .executed = hb_trace_is_on() ? trace : NULL};
    /* hb_unit_evaluator_clear frees what a failure leaves. */
    HB_TRY(rows_init(x));
    HB_TRY(hb_codec_open(engine, params, setting->program->encoding, &x->codec));
    HB_TRY(hb_values_alloc(&x->values, engine, params, batch));
    x->repeated = calloc(x->stride, sizeof *x->repeated);
    x->seeds = malloc(batch * sizeof *x->seeds);
    if (x->repeated == NULL || x->seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the seeds of %zu ciphertexts", batch);
    }
    HB_TRY(hb_runner_open(engine, &runner, of != NULL ? of->runner : NULL, &x->runner));
    return setting->checkpoints != NULL ? hb_runner_watch_rows(x->runner, (hb_runner_watch){hb_unit_progress_look, x})
                                        : HB_OK;
}

void hb_unit_evaluator_clear(hb_unit_evaluator *x)
{
    const hb_eval_shape *shape = x->setting != NULL ? &x->setting->shape : NULL;
    hb_runner_close(x->runner);
    hb_unit_progress_clear(&x->progress);
    if (shape != NULL) {
        hb_step_inputs_clear(&x->own, shape);
    }
    for (uint32_t i = 0; x->output != NULL && i < shape->output_count; i++) {
        hb_unit_rows_clear(&x->output[i]);
    }
    free(x->input);
    free(x->output);
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
    return hb_step_input_check(x->input[i], x->engine, &x->buffer->input[i], x->setting->shape.inputs[i].dataset);
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

/* Fetches rows and sums of the outputs that `stored` says yes to, as unit `unit` of `blocks` row blocks. */
static hb_status fetch_outputs(hb_unit_evaluator *x, const hb_pass *pass, bool (*stored)(const hb_pass *, uint32_t),
                               uint64_t unit, uint64_t blocks)
{
    const hb_eval_shape *shape = &x->setting->shape;
    for (uint32_t o = 0; o < shape->output_count; o++) {
        if (stored(pass, o)) {
            hb_eval_output_buffer *out = &x->buffer->output[o];
            const hb_packing packing = hb_header_packing(shape->outputs[o]);
            out->rows.count = blocks * hb_packing_across(&packing);
            HB_TRY(hb_unit_rows_download(&x->output[o], &out->rows));
            HB_TRY(hb_unit_rows_sum(&x->output[o], unit, &out->rows, out->sum));
        }
    }
    return HB_OK;
}

/* Computes all row blocks of the step, as many at a time as the workspace was made for. */
static hb_status run_blocks(hb_unit_evaluator *x)
{
    const hb_unit_progress *progress = &x->progress;
    bool more;
    HB_TRY(hb_unit_progress_begin(x));
    for (;;) {
        HB_TRY(hb_unit_progress_next(x, &more));
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
    hb_unit_progress_clear(&x->progress);
    if (ran != HB_OK && ran != HB_ESTOPPED) {
        return ran;
    }
    /* Sums count with the whole step, or not at all. */
    HB_TRY(hb_runner_settle(x->runner, pass, ran == HB_OK));
    if (ran == HB_ESTOPPED) {
        HB_TRY(hb_finish(x->engine));
        return HB_FAIL(HB_ESTOPPED, "stopped within a step");
    }
    HB_TRY(fetch_outputs(x, &x->setting->program->passes[pass], hb_pass_stores_rows, step, count));
    return hb_finish(x->engine);
}

hb_status hb_unit_evaluate_totals(hb_unit_evaluator *x, hb_eval_buffer *buffer, uint32_t pass)
{
    x->buffer = buffer;
    /* A row block of its own, the only one. */
    x->first = 0;
    x->count = 1;
    for (uint32_t i = 0; i < x->setting->shape.input_count; i++) {
        if (x->setting->shape.inputs[i].dataset != NULL) {
            HB_TRY(check_units(x, NULL, i));
        }
    }
    x->totals = true;
    const hb_status ran = hb_runner_totals(x->runner, pass);
    x->totals = false;
    HB_TRY(ran);
    return fetch_outputs(x, &x->setting->program->passes[pass], hb_pass_stores_totals, 0, 1);
}
