/* Files that the program keeps for itself between runs, in $XDG_CACHE_HOME/hebatch or ~/.cache/hebatch; and which build
 * of the program they are of. */
#ifndef HB_DEVICE_CACHE_FILE_H
#define HB_DEVICE_CACHE_FILE_H

#include "base/status.h"

/* *path: of the file of this name there, allocated; NULL where there is no such folder (neither variable names one by
 * an absolute path). HB_ENOMEM. */
hb_status hb_cache_path(const char *name, char **path);
/* Writes it for its owner alone, in one step, and makes its folders. HB_ECREATE, HB_EIO. */
hb_status hb_cache_write(const char *path, const char *text);

enum { HB_BUILD_ID_TEXT = 2 * 32 + 1 };

/* The identity that the linker gave to the running program's code, in hexadecimal digits: another one after every
 * change of it. "" where it gave none. */
void hb_build_id(char text[HB_BUILD_ID_TEXT]);

#endif
