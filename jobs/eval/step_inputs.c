#include "step_inputs.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const hb_eval_shape *shape, const bool *wanted, uint32_t i)
{
    return shape->inputs[i].dataset != NULL && (wanted == NULL || wanted[i]);
}

static uint64_t input_bytes(const hb_params *params, const hb_eval_input *input)
{
    return input->dataset != NULL ? input->most_units * hb_unit_rows_bytes(params, input->header) : 0;
}

uint64_t hb_step_inputs_bytes(const hb_params *params, const hb_eval_shape *shape)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < shape->input_count; i++) {
        bytes += input_bytes(params, &shape->inputs[i]);
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
    for (size_t k = 0; k < input->most_units; k++) {
        HB_TRY(hb_unit_rows_init(&own->rows[k], engine, params, header));
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
        for (size_t k = 0; k < shape->inputs[i].most_units; k++) {
            if (own->rows != NULL) {
                hb_unit_rows_clear(&own->rows[k]);
            }
            if (own->seeds != NULL) {
                free(own->seeds[k]);
            }
        }
        free(own->rows);
        free(own->units);
        free(own->seeds);
    }
    free(inputs->input);
    *inputs = (hb_step_inputs){.input = NULL};
}

hb_status hb_step_input_check(hb_step_input *input, hb_engine *engine, const hb_eval_input_buffer *from,
                              const hb_dataset *dataset)
{
    input->count = from->count;
    for (size_t k = 0; k < from->count; k++) {
        hb_unit_rows_move(&input->rows[k], engine);
        input->units[k] = from->units[k];
        if (input->seeds[k] != NULL) {
            memcpy(input->seeds[k], from->rows[k].seeds, (size_t)from->rows[k].count * sizeof **input->seeds);
        }
        HB_TRY(hb_unit_rows_check(&input->rows[k], from->units[k], &from->rows[k], dataset));
    }
    input->there = true;
    return HB_OK;
}

/* --- kept from pass to pass */

static bool in_several(const hb_kept_setting *setting, uint32_t i)
{
    const hb_eval_input *input = &setting->shape->inputs[i];
    uint32_t passes = 0;
    for (uint32_t p = 0; p < setting->program->pass_count && passes < 2; p++) {
        passes += hb_eval_input_in_pass(input, setting->program, p, i);
    }
    return input->dataset != NULL && passes > 1;
}

static uint64_t kept_step_bytes(const hb_kept_setting *setting)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < setting->shape->input_count; i++) {
        bytes += in_several(setting, i) ? input_bytes(setting->params, &setting->shape->inputs[i]) : 0;
    }
    return bytes;
}

/* Returns how many steps are kept. */
static uint64_t kept_steps(const hb_kept_setting *setting)
{
    const uint64_t each = kept_step_bytes(setting), fit = each > 0 ? setting->bytes / each : 0;
    const uint64_t most = fit < setting->steps ? fit : setting->steps;
    return setting->all_or_none && most < setting->steps ? 0 : most;
}

uint64_t hb_kept_inputs_bytes(const hb_kept_setting *setting)
{
    return kept_steps(setting) * kept_step_bytes(setting);
}

hb_status hb_kept_inputs_init(hb_kept_inputs *kept, const hb_kept_setting *setting)
{
    const hb_eval_shape *shape = setting->shape;
    *kept = (hb_kept_inputs){.wanted = calloc((size_t)shape->input_count + 1, sizeof *kept->wanted)};
    if (kept->wanted == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u inputs", shape->input_count);
    }
    for (uint32_t i = 0; i < shape->input_count; i++) {
        kept->wanted[i] = in_several(setting, i);
    }
    const uint64_t most = kept_steps(setting);
    if (most == 0) {
        return HB_OK;
    }
    kept->set = calloc((size_t)most, sizeof *kept->set);
    kept->locks = kept->set != NULL && pthread_mutex_init(&kept->lock, NULL) == 0;
    if (!kept->locks) {
        return HB_FAIL(HB_ENOMEM, "no memory for the inputs of %zu steps", (size_t)most);
    }
    while (kept->count < most) {
        /* Counted before it is whole, so that it is cleared. */
        hb_step_inputs *next = &kept->set[kept->count++];
        const hb_status st = hb_step_inputs_init(next, setting->engine, setting->params, shape, kept->wanted);
        if (st == HB_ENOMEM && !setting->all_or_none) { /* others have taken memory meanwhile: fewer are kept */
            hb_step_inputs_clear(next, shape);
            kept->count--;
            hb_clear_error();
            break;
        }
        HB_TRY(st);
    }
    return HB_OK;
}

void hb_kept_inputs_clear(hb_kept_inputs *kept, const hb_eval_shape *shape)
{
    for (size_t i = 0; i < kept->count; i++) {
        hb_step_inputs_clear(&kept->set[i], shape);
    }
    if (kept->locks) {
        pthread_mutex_destroy(&kept->lock);
    }
    free(kept->set);
    free(kept->wanted);
    *kept = (hb_kept_inputs){.set = NULL};
}

/* Returns the first set of this step, or NULL. */
static hb_step_inputs *find(const hb_kept_inputs *kept, uint64_t step)
{
    size_t i = 0;
    while (i < kept->count && kept->set[i].step != step) {
        i++;
    }
    return i < kept->count ? &kept->set[i] : NULL;
}

hb_step_inputs *hb_kept_inputs_of(hb_kept_inputs *kept, uint64_t step)
{
    if (kept->count == 0) {
        return NULL;
    }
    pthread_mutex_lock(&kept->lock);
    hb_step_inputs *set = find(kept, step);
    if (set == NULL && (set = find(kept, HB_NO_STEP)) != NULL) {
        set->step = step;
    }
    pthread_mutex_unlock(&kept->lock);
    return set;
}

bool hb_kept_inputs_have(hb_kept_inputs *kept, uint64_t step, uint32_t i)
{
    if (kept->count == 0) {
        return false;
    }
    pthread_mutex_lock(&kept->lock);
    const hb_step_inputs *set = find(kept, step);
    const bool there = set != NULL && set->input[i].there;
    pthread_mutex_unlock(&kept->lock);
    return there;
}
