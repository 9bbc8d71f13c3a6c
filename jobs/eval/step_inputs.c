#include "step_inputs.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const hb_eval_shape *shape, const bool *wanted, uint32_t i)
{
    return shape->inputs[i].dataset != NULL && (wanted == NULL || wanted[i]);
}

uint64_t hb_step_input_bytes(const hb_params *params, const hb_eval_input *input)
{
    return input->dataset != NULL ? input->most_units * hb_unit_rows_bytes(params, input->header) : 0;
}

uint64_t hb_step_inputs_bytes(const hb_params *params, const hb_eval_shape *shape)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < shape->input_count; i++) {
        bytes += hb_step_input_bytes(params, &shape->inputs[i]);
    }
    return bytes;
}

/* Makes packed rows for every unit that a step may touch: each is checked and unpacked by itself. */
static hb_status input_init(hb_step_input *own, hb_engine *engine, const hb_params *params, const hb_eval_input *input)
{
    const hb_header *header = input->header;
    own->rows = calloc(input->most_units + 1, sizeof *own->rows);
    own->units = calloc(input->most_units + 1, sizeof *own->units);
    own->seeds = calloc(input->most_units + 1, sizeof *own->seeds);
    if (own->rows == NULL || own->units == NULL || own->seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu units", input->most_units);
    }
    HB_TRY(hb_unit_rows_init(own->rows, input->most_units, engine, params, header));
    for (size_t k = 0; k < input->most_units; k++) {
        own->seeds[k] = header->seeded ? calloc((size_t)header->unit, sizeof **own->seeds) : NULL;
        if (header->seeded && own->seeds[k] == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the seeds of a unit");
        }
    }
    return HB_OK;
}

hb_status hb_step_inputs_init(hb_step_inputs *inputs, hb_engine *engine, const hb_params *params,
                              const hb_eval_shape *shape, const bool *wanted)
{
    *inputs = (hb_step_inputs){.step = HB_NO_STEP};
    inputs->input = calloc((size_t)shape->input_count + 1, sizeof *inputs->input);
    if (inputs->input == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u inputs", shape->input_count);
    }
    for (uint32_t i = 0; i < shape->input_count; i++) {
        if (is_wanted(shape, wanted, i)) {
            HB_TRY(input_init(&inputs->input[i], engine, params, &shape->inputs[i]));
        }
    }
    return HB_OK;
}

void hb_step_inputs_clear(hb_step_inputs *inputs, const hb_eval_shape *shape)
{
    for (uint32_t i = 0; inputs->input != NULL && i < shape->input_count; i++) {
        hb_step_input *own = &inputs->input[i];
        for (size_t k = 0; own->seeds != NULL && k < shape->inputs[i].most_units; k++) {
            free(own->seeds[k]);
        }
        hb_unit_rows_clear(own->rows, own->rows != NULL ? shape->inputs[i].most_units : 0);
        free(own->rows);
        free(own->units);
        free(own->seeds);
    }
    free(inputs->input);
    *inputs = (hb_step_inputs){.input = NULL};
}

/* Brings unit k of `from` to the engine, and checks it. */
static hb_status check_unit(hb_step_input *input, const hb_eval_input_buffer *from, size_t k, const hb_eval_input *of)
{
    const uint64_t u = from->units[k];
    hb_resident_unit *room = hb_resident_claim(of->resident, u);
    hb_unit_rows_lend(&input->rows[k], room != NULL ? room->packed : NULL);
    if (input->seeds[k] != NULL) {
        const size_t bytes = (size_t)from->rows[k].count * sizeof **input->seeds;
        memcpy(input->seeds[k], from->rows[k].seeds, bytes);
        if (room != NULL) {
            memcpy(room->seeds, from->rows[k].seeds, bytes);
        }
    }
    return of->switched != NULL ? hb_unit_rows_upload(&input->rows[k], &from->rows[k])
                                : hb_unit_rows_check(&input->rows[k], u, &from->rows[k], of->dataset);
}

/* Goes on with a unit that an earlier job left. */
static void take_resident(hb_step_input *input, size_t k, uint64_t u, const hb_resident_unit *unit,
                          const hb_eval_input *of)
{
    hb_unit_rows_lend(&input->rows[k], unit->packed);
    hb_unit_rows_know(&input->rows[k], u, of->dataset);
    if (input->seeds[k] != NULL) {
        memcpy(input->seeds[k], unit->seeds, (size_t)of->header->unit * sizeof **input->seeds);
    }
}

hb_status hb_step_input_check(hb_step_input *input, hb_engine *engine, const hb_eval_input_buffer *from,
                              const hb_eval_input *of)
{
    input->count = from->count;
    for (size_t k = 0; k < from->count; k++) {
        const hb_resident_unit *resident = hb_resident_there(of->resident, from->units[k]);
        hb_unit_rows_move(&input->rows[k], engine);
        input->units[k] = from->units[k];
        if (resident != NULL) {
            take_resident(input, k, from->units[k], resident, of);
        } else {
            HB_TRY(check_unit(input, from, k, of));
        }
    }
    input->there = true;
    return HB_OK;
}
