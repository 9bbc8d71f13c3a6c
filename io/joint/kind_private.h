/* The first facts of every file of owners: format, version, tool and kind. */
#ifndef HB_IO_JOINT_KIND_PRIVATE_H
#define HB_IO_JOINT_KIND_PRIVATE_H

#include "io/h5/h5.h"

enum { HB_JOINT_KIND = 16 }; /* bytes of the longest kind and a 0 */

/* Writes them. Errors of hb_h5_put_text. */
hb_status hb_joint_kind_put(hid_t file, const char *kind);
/* Reads the kind. HB_EDATA where it is no file of owners, or of another version. */
hb_status hb_joint_kind_get(hid_t file, const char *path, char kind[HB_JOINT_KIND]);
/* Returns HB_EDATA unless it is a file of owners of that kind. */
hb_status hb_joint_kind_check(hid_t file, const char *path, const char *kind);

#endif
