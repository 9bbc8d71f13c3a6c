/* Encrypts one unit of a dataset: from values of its scheme to stored rows. */
#ifndef HB_BATCH_UNIT_UNIT_ENCRYPT_H
#define HB_BATCH_UNIT_UNIT_ENCRYPT_H

#include "buffers.h"
#include "ranks/session.h"
#include "scheme/cipher.h"
#include "unit_rows.h"

/* The old ciphertexts of a unit that is made anew because its dataset grows, on an engine: ciphertexts that stay, and
 * those of the last row block, to which rows are added. Zeroed: the dataset does not grow. Everything but memory is
 * borrowed. */
typedef struct hb_unit_older {
    hb_dataset *dataset;
    hb_growth growth;
    hb_unit_rows rows;
    hb_rows host;
    hb_batch c;     /* [1] */
    uint64_t first; /* first ciphertext of the loaded unit, in the dataset */
    bool loaded;
} hb_unit_older;

/* Returns the bytes of the engine's memory that it takes, on the member with most limbs. */
uint64_t hb_unit_older_bytes(const hb_params *params, const hb_header *header);

typedef struct hb_unit_encryptor {
    hb_unit_rows rows;
    hb_codec *codec;
    hb_encryptor *encryptor;
    hb_batch values, plain, c0, c1; /* [batch] */
    size_t batch;
    hb_unit_older older; /* for a dataset that grows */
} hb_unit_encryptor;

/* engine: the session's or a fork of it. Allocates workspace for `batch` ciphertexts at a time. Borrows session and
 * header. The caller clears, also after a failure; a zeroed struct is allowed. HB_ENOMEM; errors of hb_codec_open and
 * hb_encryptor_open. */
hb_status hb_unit_encryptor_init(hb_unit_encryptor *x, const hb_session *session, hb_engine *engine,
                                 const hb_header *header, size_t batch, hb_distribution errors);
/* For a dataset that grows to that header, after init: joins the ciphertexts that the dataset has of a unit with the
 * new ones. Borrows the dataset. HB_ENOMEM. */
hb_status hb_unit_encryptor_grow(hb_unit_encryptor *x, hb_dataset *dataset, const hb_growth *growth);
/* Returns the bytes of the engine's memory that an encryptor takes; where limbs are divided, on the member with
 * most. */
uint64_t hb_unit_encryptor_bytes(const hb_params *params, const hb_header *header, size_t batch);
void hb_unit_encryptor_clear(hb_unit_encryptor *x);

/* Encrypts buffer->values, the scheme's values of unit u (scheme/codec.h), into buffer->rows and buffer->sum. Waits.
 * Errors of the engine, and where the dataset grows, HB_EDATA and HB_EIO of its old part. */
hb_status hb_unit_encrypt(hb_unit_encryptor *x, hb_unit_buffer *buffer, uint64_t u, const hb_seed *root);

#endif
