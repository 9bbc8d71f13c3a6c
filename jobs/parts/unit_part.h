/* Makes the parts of one unit of a dataset: from its stored rows to those of the part. */
#ifndef HB_PARTS_UNIT_PART_H
#define HB_PARTS_UNIT_PART_H

#include "batch/unit/buffers.h"
#include "batch/unit/unit_order.h"
#include "batch/unit/unit_rows.h"
#include "joint/bfv_pads.h"
#include "joint/masks.h"
#include "joint/part.h"
#include "joint/receiver.h"
#include "part_owner.h"
#include "tables/part_cells.h"

/* The facts that all units of a job have in common; all is borrowed. */
typedef struct hb_unit_part_setting {
    hb_dataset *dataset;
    const hb_header *part; /* of the part that is made */
    hb_part_request request;
    const hb_part_cells *cells;
    hb_part_owner *owner; /* with his ledger */
    bool masked;          /* not all owners decrypt: with these masks */
    hb_mask_owners masks;
    const hb_secret_key *secret;
    const hb_public_key *receiver; /* of who parts are for; NULL: they are in the clear */
} hb_unit_part_setting;

/* One on each queue. Zeroed: nothing is open. */
typedef struct hb_unit_part {
    const hb_unit_part_setting *setting;
    hb_unit_rows from, to; /* of the dataset; of the part */
    hb_unit_order order;   /* of packed totals that have one; else not open */
    hb_masks *masks;       /* NULL: all owners decrypt */
    hb_pads *pads;
    hb_receiver *receiver;           /* NULL: parts are in the clear */
    hb_batch c1, h1, stray, ordered; /* [batch]; h1: component 1 of the part, for a receiver; `ordered`: pads in the
                                        order of the file, if it is another one */
    uint64_t *stray_words;           /* host, [batch][N] */
    hb_seed *seeds;                  /* [unit], secret */
    hb_ledger_record *records;       /* [unit] */
    size_t batch;
} hb_unit_part;

/* Allocates for `batch` ciphertexts at a time on a queue; borrows the setting. The caller clears, also after a failure.
 * HB_ENOMEM; errors of hb_pads_open and hb_receiver_open. */
hb_status hb_unit_part_init(hb_unit_part *x, const hb_unit_part_setting *setting, hb_engine *engine, size_t batch);
/* Wipes and frees. */
void hb_unit_part_clear(hb_unit_part *x);
/* Returns the bytes of the engine's memory that one takes, for parts with this header; where limbs are divided, on the
 * member with most. */
uint64_t hb_unit_part_bytes(const hb_params *params, const hb_header *part, size_t batch);

/* Makes the records of parts of a unit of `count` ciphertexts, [count], whose sum was just checked: rows have its
 * digests on the host. */
void hb_part_records(hb_ledger_record *records, const hb_unit_rows *rows, size_t count, const hb_part_request *request);

/* Makes the parts of unit u, whose rows are in the buffer: checks their sum, leaves rows and sum of the part in the
 * buffer, and records the parts in the ledger. The caller writes them nowhere before hb_ledger_sync. HB_EDATA for
 * damage, and where the ledger refuses: then nothing of the unit is recorded. Waits; exchanges. */
hb_status hb_unit_part_make(hb_unit_part *x, hb_unit_buffer *buffer, uint64_t u);

#endif
