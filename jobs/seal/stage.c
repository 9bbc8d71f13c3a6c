#include "stage.h"

#include <stdlib.h>

hb_status hb_seal_stage_init(hb_seal_stage *stage, const hb_header *header)
{
    const hb_params *params = stage->setup.params;
    const uint32_t limbs = header->limbs;
    hb_engine *engine = stage->setup.engine;
    HB_TRY(hb_unit_buffers_init(&stage->buffers, engine, header, 1, false, false));
    HB_TRY(hb_unit_rows_init(&stage->rows, engine, params, header));
    HB_TRY(hb_batch_alloc(engine, &stage->c0, 1, limbs, params->ids));
    HB_TRY(hb_batch_alloc(engine, &stage->c1, 1, limbs, params->ids));
    stage->words = malloc(HB_SEAL_STAGE_SIZE * limbs * params->spec.n * sizeof *stage->words);
    return stage->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a ciphertext");
}

void hb_seal_stage_clear(hb_seal_stage *stage)
{
    free(stage->words);
    stage->words = NULL;
    if (stage->setup.engine != NULL) {
        hb_batch_free(stage->setup.engine, &stage->c0);
        hb_batch_free(stage->setup.engine, &stage->c1);
    }
    hb_unit_rows_clear(&stage->rows);
    hb_unit_buffers_clear(&stage->buffers);
    hb_seal_setup_close(&stage->setup);
}
