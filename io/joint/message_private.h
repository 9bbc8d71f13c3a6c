/* The digests of the rows of a message, which its writer and its reader share. */
#ifndef HB_IO_JOINT_MESSAGE_PRIVATE_H
#define HB_IO_JOINT_MESSAGE_PRIVATE_H

#include "io/h5/h5.h"
#include "message.h"

/* Places and digests of all parts. */
typedef struct hb_message_rows {
    hb_message_parts parts;
    uint64_t *offset;  /* [parts], of each in the file; owned */
    size_t *first;     /* [parts], the number of its first row among those of all; owned */
    uint8_t *digests;  /* [rows][HB_DIGEST_BYTES]; owned */
    size_t rows;       /* of all parts */
    size_t most_bytes; /* of a row */
} hb_message_rows;

/* Makes them, with nothing digested yet. HB_ENOMEM. Clear takes a zeroed one. */
hb_status hb_message_rows_init(hb_message_rows *rows, const hb_message_subject *subject);
void hb_message_rows_clear(hb_message_rows *rows);
/* Returns the place of the digest of a row. */
uint8_t *hb_message_row_digest(const hb_message_rows *rows, uint32_t part, uint32_t row);
/* Digests the digests of all rows. */
void hb_message_rows_digest(const hb_message_rows *rows, uint8_t body[HB_DIGEST_BYTES]);
/* Returns the shape of a part in the file. */
hb_h5_shape hb_message_shape(const hb_message_part *part);

/* Returns the facts that are signed; body is borrowed. */
hb_signed_facts hb_message_facts(const hb_message_subject *subject, const uint8_t body[HB_DIGEST_BYTES]);

#endif
