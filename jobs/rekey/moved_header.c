#include "moved_header.h"

#include <math.h>
#include <string.h>

#include "batch/unit/predicted.h"
#include "output/change_job.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* Values of columns whose range is known have room beside the error. */
static bool has_room(const hb_params *params, const hb_header *header)
{
    const double room = hb_quality_room(params, header->limbs, header->quality);
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        const hb_column *column = &header->schema.column[c];
        const double most = fmax(fabs(hb_real_of(column->least)), fabs(hb_real_of(column->most)));
        if (header->cells == HB_CELL_REAL && column->ranged && log2(most) > room) {
            return false;
        }
    }
    return header->cells == HB_CELL_REAL || hb_predicted_budget(params, header).worst >= 1;
}

static hb_status begin(hb_header *header, const hb_moving_key *key, hb_moved_data data)
{
    HB_TRY(hb_change_header_begin(header, data.header));
    memcpy(header->key_id, key->source.label.key_id, sizeof header->key_id);
    hb_history_add(&header->past, HB_HISTORY_REKEY, data.header->key_id, data.sum);
    return HB_OK;
}

static hb_status keep(hb_header *header, const hb_params *params, hb_moved_data data)
{
    /* As keys with both secrets have it. */
    hb_header_quality(header, hb_quality_switch(params, data.header->limbs, hb_predicted_quality(params, data.header),
                                                HB_SWITCH_GALOIS));
    return has_room(params, header) ? HB_OK
                                    : HB_FAIL(HB_EDATA,
                                              "%s: under another key it may not be decryptable, as the change adds "
                                              "noise, and too little budget is left",
                                              data.name);
}

/* Bounds of data go by its owners, and parameters by those of the new key. */
static hb_status quality_of(const hb_header *header, hb_quality *quality, double *budget)
{
    hb_params *own;
    HB_TRY(hb_params_open(&header->spec, &own));
    *quality = hb_predicted_quality(own, header);
    *budget = hb_predicted_budget(own, header).worst;
    hb_params_close(own);
    return HB_OK;
}

static hb_status require_integers(hb_moved_data data)
{
    return data.header->cells != HB_CELL_REAL
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s has reals: another person could find the old secret key in their errors, which nothing "
                         "takes out of the values; decrypt --share them, and encrypt them under the other key",
                         data.name);
}

hb_status hb_moved_header_make(hb_header *header, const hb_params *params, const hb_moving_key *key, hb_moved_data data,
                               uint32_t bits, hb_sanitize_plan *plan, double *before)
{
    *plan = (hb_sanitize_plan){.from = 0};
    *before = 0;
    HB_TRY(begin(header, key, data));
    if (!hb_moving_key_to_another(key)) {
        return keep(header, params, data);
    }
    hb_quality quality;
    HB_TRY(require_integers(data));
    HB_TRY(quality_of(data.header, &quality, before));
    header->spec.joint = params->spec.joint;
    quality = hb_quality_switch(params, data.header->limbs, quality, HB_SWITCH_REKEY);
    return hb_header_sanitize(header, params, quality, bits, data.name, plan);
}
