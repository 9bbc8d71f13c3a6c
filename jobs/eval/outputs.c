#include "outputs.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_eval_outputs_begin(hb_eval_outputs *outputs)
{
    hb_status st = HB_OK;
    for (uint32_t o = 0; o < outputs->count && st == HB_OK; o++) {
        st = hb_output_dataset_begin(&outputs->output[o].dataset);
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

hb_status hb_eval_outputs_expect(hb_eval_outputs *outputs, const hb_pass *pass, hb_units *units, uint32_t files)
{
    bool interleaved = false; /* one order suits all: the outputs have nearly the same shards */
    for (uint32_t o = 0; o < outputs->count; o++) {
        hb_output_dataset *out = &outputs->output[o].dataset;
        if (!hb_pass_stores_rows(pass, o)) {
            continue;
        }
        HB_TRY(hb_output_dataset_expect(out, units));
        if (!interleaved) {
            HB_TRY(hb_output_dataset_interleave(out, units, files));
        }
        interleaved = true;
    }
    return HB_OK;
}

bool hb_eval_outputs_lack(const hb_eval_outputs *outputs, const hb_pass *pass, uint64_t u)
{
    bool lacks = false;
    for (uint32_t o = 0; o < outputs->count && !lacks; o++) {
        lacks = hb_pass_stores_rows(pass, o) && !hb_unit_map_has(&outputs->output[o].dataset.finished, u);
    }
    return lacks;
}

hb_status hb_eval_outputs_write(hb_eval_outputs *outputs, const hb_pass *pass, const hb_eval_buffer *buffer, uint64_t u)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        hb_output_dataset *out = &outputs->output[o].dataset;
        const hb_eval_output_buffer *from = &buffer->output[o];
        if (hb_pass_stores_rows(pass, o) && !hb_unit_map_has(&out->finished, u)) {
            HB_TRY(hb_output_dataset_write(out, u, &from->rows, from->sum));
        }
    }
    return HB_OK;
}

void hb_eval_outputs_discard(hb_eval_outputs *outputs)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        outputs->output[o].dataset.discard = true;
    }
}

void hb_eval_outputs_end(hb_eval_outputs *outputs)
{
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
    free(outputs->output);
    free(outputs->names);
    free(outputs->headers);
    memset(outputs, 0, sizeof *outputs);
}
