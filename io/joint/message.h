/* Signed files that owners of joint keys exchange (HDF5, layout in io/README.md, "Joint keys"): card-NAME.h5,
 * commit-NAME.h5, first-NAME.h5 and second-NAME.h5; of a later round more-K-KIND-NAME.h5, and of a trial of keys
 * trial-K-KIND-NAME.h5. Anybody can put files into the folder where they are, so nothing in one is used before all of
 * it was checked: its kind, session and owner, that its parts have exactly the shapes that the session asks for, and
 * the owner's signature of the digest of all bytes. Residues are looked at when they are loaded (rlwe/switch_key.h).
 * Host memory only; HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_MESSAGE_H
#define HB_IO_JOINT_MESSAGE_H

#include "joint/party.h"
#include "joint/trial_sets.h"

typedef enum hb_message_kind {
    HB_MESSAGE_CARD,
    HB_MESSAGE_COMMIT,
    HB_MESSAGE_FIRST,
    HB_MESSAGE_SECOND,
    HB_MESSAGE_INPUT_COMMIT, /* these and the next are of a trial */
    HB_MESSAGE_INPUT,
    HB_MESSAGE_OPENED,
    HB_MESSAGE_PART_COMMIT,
    HB_MESSAGE_PART,
    HB_MESSAGE_KINDS /* their number */
} hb_message_kind;
/* "card", "commit" and so on, as in attributes and at the begin of names of files. */
extern const char *const hb_message_words[HB_MESSAGE_KINDS];

/* A dataset of bytes. */
typedef struct hb_message_part {
    const char *group; /* NULL: the root */
    char name[HB_OWNER_NAME_BYTES];
    uint32_t rows; /* 1-D where there is one, else 2-D */
    size_t row_bytes;
} hb_message_part;

/* The parts of a message, in their order. Card: "sign", "box", "nonce". Commit: "commitment". First: "b"; "relin/h0"
 * and "relin/h1", if there is a relinearization key; "galois/G" for each element; "shares/NAME" for each other owner,
 * where not all decrypt. Second: "relin/h2" likewise, "inputs", "blinded" where not all decrypt. Rows of keys are the
 * digits, of the packed bytes of the level's limbs and the special ones. A row of shares is a box (joint/sealing.h) of
 * 1 + checks packed polynomials; rows of "blinded" are those of the first check, [threshold], and so on
 * (joint/sharing.h). First and second of a later round have keys alone, and "inputs": no "b", no shares.
 *
 * Messages of a trial: commits have "commitment". Input: "c0" and "c1", whose rows are the packed inputs of all sets.
 * Opened: "seed", of the owner's input, and "inputs", the digest of the inputs of all (hb_joint_bodies_digest). Part:
 * "parts/R" for each result R, from 0, of a set that the owner is in, packed. */
typedef struct hb_message_parts {
    hb_message_part *part; /* [count] */
    uint32_t count;
} hb_message_parts;

/* Returns the place of a part in the list; HB_ASSERT: it is there. group: NULL for those of the root. */
uint32_t hb_message_find(const hb_message_parts *parts, const char *group, const char *name);

/* The session and the owner of a message. All is borrowed, also the struct itself, until the writer or the message is
 * closed. */
typedef struct hb_message_subject {
    hb_message_kind kind;
    const hb_joint_session *session; /* checked (hb_joint_session_check); NULL: a card */
    uint32_t round;                  /* 0: of the session itself; else of this later round, whose keys `session` has */
    const uint8_t *id;               /* [HB_DIGEST_BYTES], of the session, or of the round; of a card: zeros */
    const hb_trial_shape *trial;     /* of a trial of the keys up to that round; NULL: keys are made */
    const hb_params *params;         /* NULL: a card */
    const hb_owner_card *from;       /* its owner, one of the session's */
} hb_message_subject;

/* Writes a message row by row, under a temporary name. */
typedef struct hb_message_writer hb_message_writer;

/* Opens a writer. path NULL: nothing is written, for the digest
 * alone. HB_ECREATE when the file exists, another process is making it, or the folder cannot be written; HB_ENOMEM. */
hb_status hb_message_writer_open(const char *path, const hb_message_subject *subject, hb_message_writer **out);
const hb_message_parts *hb_message_writer_parts(const hb_message_writer *writer);
/* Writes a row of a part, each once, in any order. HB_EIO. */
hb_status hb_message_put(hb_message_writer *writer, uint32_t part, uint32_t row, const uint8_t *data);
/* Signs with the root, which is that of the subject's card, syncs the file and gives it its name. body: the digest of
 * all parts, H("hebatch body"; number of parts, of each the rows, row bytes, and the row digests). Every row was
 * written (HB_ASSERT). HB_ECREATE where the name is taken by now; HB_EIO. */
hb_status hb_message_finish(hb_message_writer *writer, const hb_seed *root, uint8_t body[HB_DIGEST_BYTES]);
/* Closes the writer, and removes the file unless it was finished; NULL is allowed. */
void hb_message_writer_close(hb_message_writer *writer);

/* A message that was checked. */
typedef struct hb_message hb_message;

/* Opens the message at `path`, and checks all of it by reading it once. HB_EDATA: it is of another kind, session,
 * owner or parameters, its parts have other shapes, or it is not signed by the owner's card; HB_ENOINPUT when it is
 * missing, HB_EIO, HB_ENOMEM. For a card subject->from is not looked at. */
hb_status hb_message_open(const char *path, const hb_message_subject *subject, hb_message **out);
const hb_message_parts *hb_message_parts_in(const hb_message *message);
/* Returns the digest of all parts, [HB_DIGEST_BYTES], which is signed. */
const uint8_t *hb_message_body(const hb_message *message);
/* Reads a row of a part. HB_EDATA where it is not what was checked, as the file has changed meanwhile; HB_EIO. */
hb_status hb_message_get(const hb_message *message, uint32_t part, uint32_t row, uint8_t *data);
void hb_message_close(hb_message *message);

/* Write and read a card: card-NAME.h5, signed by itself. Errors as above; HB_EDATA too where the card has no name of an
 * owner. */
hb_status hb_card_write(const char *path, const hb_owner_card *card, const hb_seed *root);
hb_status hb_card_read(const char *path, hb_owner_card *card);

#endif
