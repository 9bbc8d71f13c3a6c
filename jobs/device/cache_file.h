/* Files that the program keeps between runs, in $XDG_CACHE_HOME/hebatch or ~/.cache/hebatch; and the identity of the
 * running build. Rank-local. */
#ifndef HB_DEVICE_CACHE_FILE_H
#define HB_DEVICE_CACHE_FILE_H

#include "base/status.h"

/* Returns in *path the place of the file of this name, whether it exists or not; the caller frees it. NULL where there
 * is no cache folder, because neither variable has an absolute path. HB_ENOMEM. */
hb_status hb_cache_path(const char *name, char **path);
/* Writes the file for its owner alone, replacing an older one, whole or not at all; makes its folder and the folder
 * above. HB_ECREATE, HB_EIO. */
hb_status hb_cache_write(const char *path, const char *text);

enum { HB_BUILD_ID_TEXT = 2 * 32 + 1 };

/* Writes the identity that the linker gave to the running program's code, in hexadecimal digits; any change of the code
 * changes it. "" where the linker gave none. */
void hb_build_id(char text[HB_BUILD_ID_TEXT]);

#endif
