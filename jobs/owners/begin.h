/* The begin of a session of joint keys, which anybody makes of the cards of all owners: session.h5 in a folder of its
 * own. One process, no engine. */
#ifndef HB_OWNERS_BEGIN_H
#define HB_OWNERS_BEGIN_H

#include "io/joint/session_file.h"
#include "keys/keygen_request.h"

/* Texts are borrowed. */
typedef struct hb_joint_request {
    const char *folder;
    const char *const *cards; /* [card_count], files or patterns of them */
    size_t card_count;
    const hb_params_spec *spec; /* of one owner */
    hb_keygen_request keys;
    uint64_t threshold; /* 0: all owners */
    uint64_t results;   /* ciphertexts that will ever be decrypted */
} hb_joint_request;

/* A session that is to begin. Zeroed: nothing. */
typedef struct hb_joint_begin {
    hb_params *params; /* of so many owners */
    hb_owner_card *cards;
    hb_joint_rotation *rotations;
    hb_joint_session session; /* of these */
    char *path;               /* of session.h5 */
} hb_joint_begin;

/* Reads and checks the cards, chooses the keys, and draws a nonce. Writes nothing. HB_ECREATE when there is a session
 * in the folder; HB_EUSAGE, HB_EDATA, HB_ECONFIG as hb_joint_session_check, and where parts of a fresh ciphertext would
 * not fit, under any of several plain moduli, or fewer results are promised than there are plain moduli; HB_ENOINPUT
 * where a pattern has no card. The caller closes *begin, also after a failure. */
hb_status hb_joint_begin_open(hb_joint_begin *begin, const hb_joint_request *request);
/* Makes the folder and the file. HB_ECREATE, HB_EIO, HB_ENOMEM. */
hb_status hb_joint_begin_write(const hb_joint_begin *begin, const char *folder);
void hb_joint_begin_close(hb_joint_begin *begin);

#endif
