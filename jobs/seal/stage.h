/* What a dataset's ciphertexts pass through on their way to files of Microsoft SEAL and back: rows of a unit, two
 * polynomials of one ciphertext on the engine, and its words. */
#ifndef HB_SEAL_STAGE_H
#define HB_SEAL_STAGE_H

#include "batch/buffers.h"
#include "batch/unit_rows.h"
#include "folder.h"

/* Polynomials of a ciphertext, at most. */
#define HB_SEAL_STAGE_SIZE 3

typedef struct hb_seal_stage {
    hb_seal_setup setup; /* to be opened before the rest is made */
    hb_unit_buffers buffers;
    hb_unit_rows rows;
    hb_batch c0, c1; /* one polynomial each */
    uint64_t *words; /* [HB_SEAL_STAGE_SIZE][limbs][n] */
} hb_seal_stage;

/* For units of the header, which is borrowed, with the setup's parameters. HB_ENOMEM. Clear closes the setup as well; a
 * zeroed struct is allowed. */
hb_status hb_seal_stage_init(hb_seal_stage *stage, const hb_header *header);
void hb_seal_stage_clear(hb_seal_stage *stage);

#endif
