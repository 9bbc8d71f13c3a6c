/* One unit of a dataset from stored rows to values of its scheme. */
#ifndef HB_BATCH_UNIT_DECRYPT_H
#define HB_BATCH_UNIT_DECRYPT_H

#include "buffers.h"
#include "ranks/session.h"
#include "scheme/cipher.h"
#include "unit_rows.h"

/* What was measured of the quality of ciphertexts so far: bits that each has left (scheme/cipher.h), or what the
 * decoded values tell of their precision (scheme/quality.h). */
typedef struct hb_quality_measured {
    uint64_t count, sum;
    uint32_t least; /* UINT32_MAX before the first */
    hb_precision precision;
} hb_quality_measured;

extern const hb_quality_measured hb_quality_measured_none;
void hb_quality_measured_add(hb_quality_measured *to, const hb_quality_measured *more);

typedef struct hb_unit_decryptor {
    hb_unit_rows rows;
    hb_codec *codec;
    hb_decryptor *decryptor;
    hb_batch c0, c1, phase, plain, values; /* [batch] */
    uint32_t *bits;                        /* [batch] */
    size_t batch;
    hb_quality_measured measured;
    /* Of results that are shown to others; else NULL, zero. */
    hb_flooder *flooder;
    hb_flood flood;
    const hb_seed *flood_root; /* borrowed */
} hb_unit_decryptor;

/* session: with the secret key; engine: the session's or a fork of it. With workspace for `batch` ciphertexts at a
 * time. Borrows session and header. The caller clears, also after a failure; a zeroed struct is allowed. */
hb_status hb_unit_decryptor_init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine,
                                 const hb_header *header, size_t batch);
/* Makes it hide the errors of what it decrypts, and round what is left of values; nothing is measured any more. The
 * root is borrowed; members that share limbs have the same. HB_ENOMEM. */
hb_status hb_unit_decryptor_flood(hb_unit_decryptor *x, const hb_flood *flood, const hb_seed *root);
/* Bytes of the engine's memory that this takes; on the member with most of them, where limbs are divided. */
uint64_t hb_unit_decryptor_bytes(const hb_params *params, const hb_header *header, size_t batch);
void hb_unit_decryptor_clear(hb_unit_decryptor *x);

/* buffer->rows: unit u, already uploaded to x->rows. Fills buffer->values. HB_EDATA naming the ciphertext
 * when none of its quality is left, 0 bits: its values cannot be trusted. Waits. */
hb_status hb_unit_decrypt(hb_unit_decryptor *x, hb_unit_buffer *buffer, uint64_t u);

#endif
