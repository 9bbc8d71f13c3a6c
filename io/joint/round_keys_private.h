/* The keys that a round of owners makes, as files of sessions and of later rounds have them, and the writing of such
 * files. */
#ifndef HB_IO_JOINT_ROUND_KEYS_PRIVATE_H
#define HB_IO_JOINT_ROUND_KEYS_PRIVATE_H

#include "io/h5/h5.h"
#include "joint/session.h"

enum { HB_ROUND_DATASETS = 2 }; /* at most */
/* Writes the keys of a session and its nonce: attributes "relin" and "nonce"; "elements" and "levels", where there are
 * rotations. */
hb_status hb_round_keys_put(hid_t file, const hb_joint_session *session);
/* Reads them; n: the ring degree; *rotations, which the session borrows, the caller frees also after a failure, NULL
 * where there are none. Counts are checked before memory is allocated by them; keys are not, as hb_joint_session_check
 * does that. HB_EDATA, HB_ENOMEM. */
hb_status hb_round_keys_get(hid_t file, const char *path, uint64_t known, hb_joint_session *session,
                            hb_joint_rotation **rotations, size_t n);
/* Writes a new file, which all may read, of all that `fill` puts in, as hb_h5_image_make. HB_ECREATE when the file
 * exists or the folder cannot be written; HB_EIO, HB_ENOMEM. */
hb_status hb_round_image_write(const char *path, uint32_t datasets, hb_status (*fill)(hid_t, void *), void *context);

/* Opens a file, looks into it as hb_h5_look_into does, and closes it. HB_ENOINPUT when it is missing; errors of that.
 * */
hb_status hb_round_file_look(const char *path, hb_status (*look)(hid_t, uint64_t, void *), void *context);

#endif
