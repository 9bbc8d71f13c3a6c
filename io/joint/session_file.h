/* The file of a session of owners of joint keys, session.h5 (HDF5, layout in io/README.md, "Joint keys"). It is not
 * signed: its id is a digest of all of it, and every owner signs that with everything that he sends. Host memory only;
 * HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_SESSION_FILE_H
#define HB_IO_JOINT_SESSION_FILE_H

#include "joint/session.h"

#define HB_SESSION_FILE "session.h5"

/* A session that was read. */
typedef struct hb_session_file {
    hb_params_spec spec; /* as keys of the session have it, with `joint` */
    hb_joint_session session;
    hb_owner_card *cards;         /* the session's; owned */
    hb_joint_rotation *rotations; /* likewise */
    uint8_t id[HB_DIGEST_BYTES];
} hb_session_file;

/* Writes the file. The session was checked (hb_joint_session_check) for parameters of this spec. HB_ECREATE when the
 * file exists or the folder cannot be written; HB_EIO, HB_ENOMEM. */
hb_status hb_session_file_write(const char *path, const hb_params_spec *spec, const hb_joint_session *session);
/* Reads the file. Checks format, counts before it allocates by them, all that hb_joint_session_check does, and the id:
 * HB_EDATA. HB_ENOINPUT when it is missing; HB_EIO, HB_ENOMEM. The caller clears *file, which is zeroed after a
 * failure. */
hb_status hb_session_file_read(const char *path, hb_session_file *file);
void hb_session_file_clear(hb_session_file *file);

#endif
