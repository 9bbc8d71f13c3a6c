/* The state of a file, by which it is seen whether anybody has changed it since: its device, inode, size, and times of
 * change to the nanosecond. Writing the same bytes again changes it, too; nobody can set the time of the last change
 * of an inode back. */
#ifndef HB_IO_FILES_FILE_STATE_H
#define HB_IO_FILES_FILE_STATE_H

#include <sys/stat.h>

#include "base/digest.h"

/* Adds the state that fstat or stat has told. */
void hb_file_state_add(hb_digest_state *state, const struct stat *info);

#endif
