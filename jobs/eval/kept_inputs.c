#include "kept_inputs.h"

#include <stdlib.h>

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
        bytes += in_several(setting, i) ? hb_step_input_bytes(setting->params, &setting->shape->inputs[i]) : 0;
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
