#include "outputs.h"

#include <stdlib.h>
#include <string.h>

#include "machine/background.h"

hb_status hb_eval_outputs_begin(hb_eval_outputs *outputs)
{
    hb_status st = HB_OK;
    for (uint32_t o = 0; o < outputs->count && st == HB_OK; o++) {
        st = hb_output_dataset_begin(&outputs->output[o].dataset);
    }
    if (st == HB_OK && outputs->sanitizing != NULL) {
        st = hb_agree(outputs->root.group, hb_kept_root_keep(&outputs->root));
    }
    /* One output that cannot be begun fails the job: the others were begun for nothing. */
    for (uint32_t o = 0; o < outputs->count && st != HB_OK; o++) {
        hb_output_dataset *out = &outputs->output[o].dataset;
        out->discard |= out->begun && !out->resumed;
    }
    return st;
}

hb_status hb_eval_outputs_check(hb_eval_outputs *outputs, const hb_session *session, const hb_workers *workers,
                                bool *resumed)
{
    *resumed = false;
    for (uint32_t o = 0; o < outputs->count; o++) {
        HB_TRY(hb_output_dataset_check(&outputs->output[o].dataset, session, workers, NULL));
        *resumed |= outputs->output[o].dataset.resumed;
    }
    return HB_OK;
}

hb_status hb_eval_outputs_sync_rows(hb_eval_outputs *outputs, const hb_pass *pass)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        if (hb_pass_stores_rows(pass, o)) {
            HB_TRY(hb_output_dataset_sync(&outputs->output[o].dataset));
        }
    }
    return HB_OK;
}

/* Syncs all before any gets its name, also the totals that the first group of members has stored. */
hb_status hb_eval_outputs_commit(hb_eval_outputs *outputs)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        HB_TRY(hb_output_dataset_sync(&outputs->output[o].dataset));
    }
    for (uint32_t o = 0; o < outputs->count; o++) {
        HB_TRY(hb_output_dataset_commit(&outputs->output[o].dataset));
    }
    return HB_OK;
}

/* Returns the units of output o that belong to a step. */
static hb_share units_of(const hb_eval_outputs *outputs, uint32_t o, uint64_t step)
{
    const uint64_t first = step * outputs->step_units, left = hb_header_units(&outputs->output[o].header) - first;
    return (hb_share){first, left < outputs->step_units ? left : outputs->step_units};
}

/* Expects the units of output o that belong to these steps. */
static hb_status expect(hb_eval_outputs *outputs, uint32_t o, const hb_units *steps)
{
    hb_units units = {.list = calloc((size_t)(steps->mine.count * outputs->step_units) + 1, sizeof *units.list)};
    if (units.list == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of units");
    }
    for (uint64_t i = 0; i < steps->mine.count; i++) {
        const hb_share share = units_of(outputs, o, steps->list[i]);
        for (uint64_t u = share.first; u < share.first + share.count; u++) {
            units.list[units.mine.count++] = u;
        }
    }
    const hb_status st = hb_output_dataset_expect(&outputs->output[o].dataset, &units);
    free(units.list);
    return st;
}

hb_status hb_eval_outputs_expect(hb_eval_outputs *outputs, const hb_pass *pass, hb_units *steps, uint32_t files)
{
    bool interleaved = false; /* one order suits all: the outputs have nearly the same shards */
    for (uint32_t o = 0; o < outputs->count; o++) {
        if (!hb_pass_stores_rows(pass, o)) {
            continue;
        }
        HB_TRY(expect(outputs, o, steps));
        if (!interleaved) {
            HB_TRY(hb_output_dataset_interleave(&outputs->output[o].dataset, steps, outputs->step_units, files));
        }
        interleaved = true;
    }
    return HB_OK;
}

bool hb_eval_outputs_lack(const hb_eval_outputs *outputs, const hb_pass *pass, uint64_t step)
{
    bool lacks = false;
    for (uint32_t o = 0; o < outputs->count && !lacks; o++) {
        const hb_share share = hb_pass_stores_rows(pass, o) ? units_of(outputs, o, step) : (hb_share){0, 0};
        for (uint64_t u = share.first; u < share.first + share.count; u++) {
            lacks = lacks || !hb_unit_map_has(&outputs->output[o].dataset.finished, u);
        }
    }
    return lacks;
}

/* A step that is being written, by one thread or by several. */
typedef struct step_writing {
    hb_eval_outputs *outputs;
    const hb_pass *pass;
    const hb_eval_buffer *buffer;
    uint64_t step;
} step_writing;

/* Writes unit `number` of the step, counted through the outputs, each of which has as many places. */
static hb_status write_unit(void *context, uint32_t number)
{
    const step_writing *x = context;
    const uint32_t o = (uint32_t)(number / x->outputs->step_units);
    const uint64_t k = number % x->outputs->step_units;
    hb_output_dataset *out = &x->outputs->output[o].dataset;
    if (!hb_pass_stores_rows(x->pass, o)) {
        return HB_OK;
    }
    const hb_share share = units_of(x->outputs, o, x->step);
    if (k >= share.count || hb_unit_map_has(&out->finished, share.first + k)) {
        return HB_OK;
    }
    const hb_eval_output_buffer *from = &x->buffer->output[o];
    return hb_output_dataset_write(out, share.first + k, &from->rows[k], from->sums[k]);
}

hb_status hb_eval_outputs_write(hb_eval_outputs *outputs, const hb_pass *pass, const hb_eval_buffer *buffer,
                                uint64_t step, bool together)
{
    step_writing x = {outputs, pass, buffer, step};
    const uint32_t places = (uint32_t)(outputs->count * outputs->step_units);
    if (together) {
        return hb_background_each(write_unit, &x, places);
    }
    for (uint32_t i = 0; i < places; i++) {
        HB_TRY(write_unit(&x, i));
    }
    return HB_OK;
}

void hb_eval_outputs_discard(hb_eval_outputs *outputs)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        outputs->output[o].dataset.discard = true;
    }
}

/* Removes the root when no output needs it any more: all have their names, or are useless. */
static void end_root(hb_eval_outputs *outputs)
{
    bool over = outputs->sanitizing != NULL && outputs->root.group != NULL;
    for (uint32_t o = 0; o < outputs->count; o++) {
        over = over && hb_output_dataset_is_over(&outputs->output[o].dataset);
    }
    if (over) {
        hb_kept_root_remove(&outputs->root);
    }
}

void hb_eval_outputs_end(hb_eval_outputs *outputs)
{
    end_root(outputs); /* before it is forgotten which are unfinished */
    for (uint32_t o = 0; o < outputs->count; o++) {
        hb_output_dataset_end(&outputs->output[o].dataset);
    }
}

void hb_eval_outputs_close(hb_eval_outputs *outputs)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        hb_output_dataset_close(&outputs->output[o].dataset);
        hb_header_clear(&outputs->output[o].header);
    }
    if (outputs->sanitizing != NULL) {
        hb_wipe(outputs->sanitizing, outputs->count * sizeof *outputs->sanitizing);
    }
    free(outputs->sanitizing);
    hb_kept_root_clear(&outputs->root);
    free(outputs->output);
    free(outputs->names);
    free(outputs->headers);
    memset(outputs, 0, sizeof *outputs);
}
