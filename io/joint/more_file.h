/* The file of a later round of a session, more-K.h5 beside session.h5 (HDF5, layout in io/README.md, "Joint keys"): the
 * keys that all owners make in it. Like session.h5 it is not signed: its id is a digest of all of it, and every owner
 * signs that. Host memory only; HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_MORE_FILE_H
#define HB_IO_JOINT_MORE_FILE_H

#include "session_file.h"

/* A later round that was read. */
typedef struct hb_more_file {
    hb_joint_round round;         /* its session borrows the cards of the session that it belongs to */
    hb_joint_rotation *rotations; /* the round's; owned */
} hb_more_file;

/* Writes the file of a round of a session. The round was checked (hb_joint_session_check), and has its id. HB_ECREATE
 * when the file exists or the folder cannot be written; HB_EIO, HB_ENOMEM. */
hb_status hb_more_file_write(const char *path, const hb_session_file *of, const hb_joint_round *round);
/* Reads the file of the round of this number of a session, whose parameters these are; it borrows of the session.
 * Checks format, counts before it allocates by them, the session, the number, that a key is to be made, all that
 * hb_joint_session_check does, and the id: HB_EDATA. HB_ENOINPUT when it is missing; HB_EIO, HB_ENOMEM. The caller
 * clears *file, which is zeroed after a failure. */
hb_status hb_more_file_read(const char *path, uint32_t number, const hb_session_file *of, const hb_params *params,
                            hb_more_file *file);
void hb_more_file_clear(hb_more_file *file);

#endif
