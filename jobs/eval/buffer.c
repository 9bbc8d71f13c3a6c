#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "batch/cells/values_digest.h"
#include "batch/pipeline/stage_times.h"
#include "batch/unit/buffers.h"
#include "machine/background.h"

/* Allocates for one input: residues of a table, or rows of as many units as a step may touch. */
static hb_status input_alloc(hb_eval_input_buffer *buffer, hb_engine *engine, const hb_eval_input *input, uint64_t size)
{
    /* No more than a step of this size can touch: the pipeline reads any step into any buffer. */
    const size_t most = input->most_units;
    if (hb_eval_input_has_cells(input)) {
        void *memory = NULL;
        HB_TRY(hb_host_alloc(engine, (size_t)(size * hb_eval_step_cell_bytes(input)), &memory));
        buffer->values = memory;
        return HB_OK;
    }
    buffer->units = calloc(most + 1, sizeof *buffer->units);
    buffer->rows = calloc(most + 1, sizeof *buffer->rows);
    if (buffer->units == NULL || buffer->rows == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the list of %zu units", input->path, most);
    }
    return hb_rows_alloc(buffer->rows, most, engine, input->header);
}

/* Allocates for the units of output o. */
static hb_status output_alloc(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape, uint32_t o)
{
    const size_t units = hb_eval_shape_units(shape, o);
    hb_eval_output_buffer *output = &buffer->output[o];
    output->rows = calloc(units + 1, sizeof *output->rows);
    output->sums = calloc(units + 1, sizeof *output->sums);
    if (output->rows == NULL || output->sums == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the list of %zu units", units);
    }
    return hb_rows_alloc(output->rows, units, engine, shape->outputs[o]);
}

/* The context of allocating inputs, shared by the threads that do it. */
typedef struct allocation {
    hb_eval_buffer *buffer;
    hb_engine *engine;
    const hb_eval_shape *shape;
} allocation;

static hb_status alloc_one(void *context, uint32_t i)
{
    const allocation *x = context;
    return input_alloc(&x->buffer->input[i], x->engine, &x->shape->inputs[i], x->shape->size);
}

hb_status hb_eval_buffer_init(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape)
{
    buffer->input = calloc((size_t)shape->input_count + 1, sizeof *buffer->input);
    buffer->output = calloc((size_t)shape->output_count + 1, sizeof *buffer->output);
    if (buffer->input == NULL || buffer->output == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the buffers of a step");
    }
    /* By several threads, as a job may have one buffer and hundreds of inputs, whose memory is cleared and, with a GPU,
     * locked. */
    allocation all = {buffer, engine, shape};
    HB_TRY(hb_background_each(alloc_one, &all, shape->input_count));
    for (uint32_t i = 0; i < shape->output_count; i++) {
        HB_TRY(output_alloc(buffer, engine, shape, i));
    }
    return HB_OK;
}

static void input_free(hb_eval_input_buffer *buffer, hb_engine *engine, const hb_eval_input *input, uint64_t size)
{
    if (buffer->rows != NULL) {
        hb_rows_free(buffer->rows, engine);
    }
    if (buffer->values != NULL) {
        /* Residues of a plain table. */
        hb_wipe(buffer->values, (size_t)(size * hb_eval_step_cell_bytes(input)));
        hb_host_free(engine, buffer->values);
    }
    free(buffer->units);
    free(buffer->rows);
}

void hb_eval_buffer_clear(hb_eval_buffer *buffer, hb_engine *engine, const hb_eval_shape *shape)
{
    for (uint32_t i = 0; buffer->input != NULL && i < shape->input_count; i++) {
        input_free(&buffer->input[i], engine, &shape->inputs[i], shape->size);
    }
    for (uint32_t i = 0; buffer->output != NULL && i < shape->output_count; i++) {
        if (buffer->output[i].rows != NULL) {
            hb_rows_free(buffer->output[i].rows, engine);
        }
        free(buffer->output[i].rows);
        free(buffer->output[i].sums);
    }
    free(buffer->input);
    free(buffer->output);
    memset(buffer, 0, sizeof *buffer);
}

uint64_t hb_eval_buffer_bytes(const hb_params *params, const hb_eval_shape *shape)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < shape->input_count; i++) {
        const hb_eval_input *input = &shape->inputs[i];
        bytes += hb_eval_input_has_cells(input) ? shape->size * hb_eval_step_cell_bytes(input)
                                                : input->most_units * hb_rows_bytes(params, input->header);
    }
    for (uint32_t i = 0; i < shape->output_count; i++) {
        bytes += hb_eval_shape_units(shape, i) * hb_rows_bytes(params, shape->outputs[i]);
    }
    return bytes;
}

/* Lists the units that the step touches, each once. */
static void list_units(hb_eval_input_buffer *buffer, const hb_eval_input *input, uint64_t first, uint64_t count)
{
    buffer->count = hb_eval_step_units(input, first, count, buffer->units, input->most_units);
}

/* Reads cells of a table as residues, and digests them where members compare their cells. */
static hb_status read_cells(hb_eval_input_buffer *buffer, hb_eval_input *input, uint32_t thread, uint64_t first,
                            uint64_t count, const hb_seed *root)
{
    HB_TRY(hb_eval_input_read_cells(input, thread, first, (size_t)count, buffer->values));
    if (root != NULL) {
        const uint64_t bytes = count * hb_eval_step_cell_bytes(input);
        hb_values_digest_of(buffer->digest, root, buffer->values, (size_t)(bytes / sizeof *buffer->values));
    }
    hb_stage_times_note(HB_TIME_ARRANGE);
    return HB_OK;
}

hb_status hb_eval_buffer_read_totals(hb_eval_buffer *buffer, const hb_eval_reading *reading)
{
    const hb_eval_shape *shape = reading->shape;
    for (uint32_t i = 0; i < shape->input_count; i++) {
        const hb_eval_input *input = &shape->inputs[i];
        buffer->input[i].count = 0;
        /* Plain tables of one row are there. */
        if (input->dataset != NULL && hb_eval_input_in_totals(input, reading->program, reading->pass, i)) {
            list_units(&buffer->input[i], input, 0, 1);
        }
        for (size_t k = 0; k < buffer->input[i].count; k++) {
            HB_TRY(hb_eval_input_read(input, buffer->input[i].units[k], &buffer->input[i].rows[k]));
        }
    }
    hb_stage_times_note(HB_TIME_READ);
    return HB_OK;
}

/* A step that is being read, by one thread or by several. */
typedef struct step_reading {
    hb_eval_buffer *buffer;
    const hb_eval_reading *reading;
    uint64_t step, first, count;
} step_reading;

/* Whether the step needs rows of input i: of a dataset that the pass loads and that is not kept. */
static bool is_read(const step_reading *x, uint32_t i)
{
    const hb_eval_reading *reading = x->reading;
    const hb_eval_input *input = &reading->shape->inputs[i];
    return input->dataset != NULL && hb_eval_input_in_pass(input, reading->program, reading->pass, i) &&
           !(reading->kept != NULL && reading->kept(reading->context, x->step, i));
}

/* Reads unit `number` of all that the step touches, counted through its inputs. */
static hb_status read_unit(void *context, uint32_t number)
{
    const step_reading *x = context;
    uint32_t i = 0;
    size_t k = number;
    while (k >= x->buffer->input[i].count) {
        k -= x->buffer->input[i++].count;
    }
    const hb_eval_input_buffer *from = &x->buffer->input[i];
    const hb_eval_input *input = &x->reading->shape->inputs[i];
    return hb_resident_there(input->resident, from->units[k]) != NULL
               ? HB_OK
               : hb_eval_input_read(input, from->units[k], &from->rows[k]);
}

static hb_status read_datasets(step_reading *x)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < x->reading->shape->input_count; i++) {
        if (is_read(x, i)) {
            list_units(&x->buffer->input[i], &x->reading->shape->inputs[i], x->first, x->count);
            units += (uint32_t)x->buffer->input[i].count;
        }
    }
    if (x->reading->together) {
        HB_TRY(hb_background_each(read_unit, x, units));
    }
    for (uint32_t u = 0; !x->reading->together && u < units; u++) {
        HB_TRY(read_unit(x, u));
    }
    hb_stage_times_note(HB_TIME_READ);
    return HB_OK;
}

hb_status hb_eval_buffer_read(hb_eval_buffer *buffer, const hb_eval_reading *reading, uint32_t thread, uint64_t step,
                              uint64_t first, uint64_t count)
{
    const hb_eval_shape *shape = reading->shape;
    step_reading all = {buffer, reading, step, first, count};
    for (uint32_t i = 0; i < shape->input_count; i++) {
        /* Also where nothing is read: the buffer may have had a step of another pass. */
        buffer->input[i].count = 0;
    }
    HB_TRY(read_datasets(&all));
    for (uint32_t i = 0; i < shape->input_count; i++) {
        hb_eval_input *input = &shape->inputs[i];
        /* Inputs that only another pass loads are not read. */
        if (hb_eval_input_has_cells(input) && hb_eval_input_in_pass(input, reading->program, reading->pass, i)) {
            HB_TRY(read_cells(&buffer->input[i], input, thread, first, count, reading->root));
        }
    }
    return HB_OK;
}
