/* The key that parts are for, where they are not in the clear (joint/receiver.h). Rank-local. */
#ifndef HB_PARTS_PART_RECEIVER_H
#define HB_PARTS_PART_RECEIVER_H

#include "io/dataset/dataset.h"
#include "ranks/session.h"

/* Zeroed: there is none. */
typedef struct hb_part_receiver {
    hb_keyfile file;      /* until the key is on the engine */
    hb_public_key key;    /* loaded, where the rank makes parts */
    hb_joint_spec owners; /* of the key; zeroed: one */
} hb_part_receiver;

/* Reads the public key for parts of the dataset with this header. HB_EUSAGE: it is a secret key, or the key that the
 * dataset is under; HB_ECONFIG: it has other parameters; errors of hb_keyfile_read. The caller closes, also after a
 * failure, before the engine closes. */
hb_status hb_part_receiver_open(hb_part_receiver *receiver, const char *path, const hb_header *dataset,
                                const char *dataset_path);
/* Puts the key on the session's engine, of this member's limbs. HB_EDATA, HB_ENOMEM. */
hb_status hb_part_receiver_load(hb_part_receiver *receiver, const hb_session *session);
void hb_part_receiver_close(hb_part_receiver *receiver);
/* Says in the facts of a part that it is for this key; in the clear, where there is none. */
void hb_part_receiver_say(const hb_part_receiver *receiver, hb_part_facts *facts);

#endif
