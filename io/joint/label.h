/* The facts that a file of owners of joint keys states about itself, before anything in it is checked. Host memory
 * only; HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_LABEL_H
#define HB_IO_JOINT_LABEL_H

#include "joint/party.h"

typedef struct hb_joint_label {
    char kind[16];                    /* "card", "party", "session", "more", "state", or of a message (message.h) */
    bool trial;                       /* it is a message of a trial of keys */
    char from[HB_OWNER_NAME_BYTES];   /* of a message: its owner; else "" */
    uint8_t session[HB_DIGEST_BYTES]; /* of a message or a file of a later round; else zeros */
} hb_joint_label;

/* Reads them. HB_EDATA where it is no such file, HB_ENOINPUT when it is missing; HB_EIO, HB_ENOMEM. */
hb_status hb_joint_label_read(const char *path, hb_joint_label *label);

#endif
