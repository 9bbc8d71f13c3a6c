/* Decrypts one unit of a dataset: from stored rows to values of its scheme. */
#ifndef HB_BATCH_UNIT_UNIT_DECRYPT_H
#define HB_BATCH_UNIT_UNIT_DECRYPT_H

#include "buffers.h"
#include "joint/combine.h"
#include "ranks/session.h"
#include "scheme/cipher.h"
#include "unit_order.h"
#include "unit_rows.h"

/* The measured quality of ciphertexts so far: the bits that each has left (scheme/cipher.h), or the precision of the
 * decoded values (scheme/quality.h). */
typedef struct hb_quality_measured {
    uint64_t count, sum;
    uint32_t least; /* UINT32_MAX before the first */
    hb_precision precision;
} hb_quality_measured;

extern const hb_quality_measured hb_quality_measured_none;
void hb_quality_measured_add(hb_quality_measured *to, const hb_quality_measured *more);

typedef struct hb_unit_decryptor {
    hb_unit_rows rows;
    hb_unit_order order; /* of packed totals that have one; else not open */
    hb_codec *codec;
    hb_decryptor *decryptor;
    hb_batch c0, c1, phase, plain, values; /* [batch] */
    uint32_t *bits;                        /* [batch] */
    size_t batch;
    hb_quality_measured measured;
    /* Set where the parts of owners are combined; else NULL, zero. */
    const hb_part_plan *plan; /* borrowed */
    hb_batch parts;           /* [unit] the sums of the parts of the next unit, a view; set before each */
    /* Set for results that are shown to others; else NULL, zero. */
    hb_flooder *flooder;
    hb_flood flood;
    const hb_seed *flood_root; /* borrowed */
} hb_unit_decryptor;

/* session: has the secret key; engine: the session's or a fork of it. Allocates workspace for `batch` ciphertexts at a
 * time. Borrows session and header. The caller clears, also after a failure; a zeroed struct is allowed. HB_ENOMEM;
 * errors of hb_codec_open and hb_decryptor_open. */
hb_status hb_unit_decryptor_init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine,
                                 const hb_header *header, size_t batch);
/* Does the same for a dataset under joint keys: no secret is needed, and hb_unit_decrypt adds x->parts to component 0.
 * plan: of the parts, borrowed; HB_EDATA, of hb_unit_decrypt, where a part is wrong (joint/combine.h). */
hb_status hb_unit_combiner_init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine,
                                const hb_header *header, size_t batch, const hb_part_plan *plan);
/* Makes the decryptor hide the errors of its results, and round the values; nothing is measured any more. The root is
 * borrowed; members that share limbs have the same. HB_ENOMEM. */
hb_status hb_unit_decryptor_flood(hb_unit_decryptor *x, const hb_flood *flood, const hb_seed *root);
/* Returns the bytes of the engine's memory that a decryptor takes; where limbs are divided, on the member with most. */
uint64_t hb_unit_decryptor_bytes(const hb_params *params, const hb_header *header, size_t batch);
void hb_unit_decryptor_clear(hb_unit_decryptor *x);

/* Decrypts unit u, whose rows are uploaded to x->rows, into buffer->values. HB_EDATA naming a ciphertext with 0 bits of
 * quality left: its values cannot be trusted. Waits. */
hb_status hb_unit_decrypt(hb_unit_decryptor *x, hb_unit_buffer *buffer, uint64_t u);

#endif
