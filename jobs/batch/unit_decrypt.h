/* One unit of a dataset from stored rows to values of its scheme. */
#ifndef HB_BATCH_UNIT_DECRYPT_H
#define HB_BATCH_UNIT_DECRYPT_H

#include "buffers.h"
#include "ranks/session.h"
#include "scheme/cipher.h"
#include "unit_rows.h"

/* Noise budgets met so far. */
typedef struct hb_budgets {
    uint64_t count, sum;
    uint32_t least; /* UINT32_MAX before the first */
} hb_budgets;

extern const hb_budgets hb_no_budgets;
void hb_budgets_add(hb_budgets *to, const hb_budgets *more);

typedef struct hb_unit_decryptor {
    hb_unit_rows rows;
    hb_codec *codec;
    hb_decryptor *decryptor;
    hb_batch c0, c1, phase, plain, values; /* [batch] */
    uint32_t *bits;                        /* [batch] */
    size_t batch;
    hb_budgets budgets;
} hb_unit_decryptor;

/* session: with the secret key; engine: the session's or a fork of it. With workspace for `batch` ciphertexts at a
 * time. Borrows session and header. The caller clears, also after a failure; a zeroed struct is allowed. */
hb_status hb_unit_decryptor_init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine,
                                 const hb_header *header, size_t batch);
/* Bytes of the engine's memory that this takes; on the member with most of them, where limbs are divided. */
uint64_t hb_unit_decryptor_bytes(const hb_params *params, const hb_header *header, size_t batch);
void hb_unit_decryptor_clear(hb_unit_decryptor *x);

/* buffer->rows: unit u, already uploaded to x->rows. Fills buffer->values. HB_EDATA naming the ciphertext
 * when its noise budget is 0: its values cannot be trusted. Waits. */
hb_status hb_unit_decrypt(hb_unit_decryptor *x, hb_unit_buffer *buffer, uint64_t u);

#endif
