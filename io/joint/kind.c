#include <string.h>

#include "io/h5/format.h"
#include "kind_private.h"

hb_status hb_joint_kind_put(hid_t file, const char *kind)
{
    HB_TRY(hb_h5_put_text(file, "format", HB_JOINT_FORMAT));
    HB_TRY(hb_h5_put_u64(file, "version", HB_JOINT_VERSION));
    HB_TRY(hb_h5_put_text(file, "tool", "hebatch " HEBATCH_VERSION));
    return hb_h5_put_text(file, "kind", kind);
}

hb_status hb_joint_kind_get(hid_t file, const char *path, char kind[HB_JOINT_KIND])
{
    uint32_t version;
    HB_TRY(hb_h5_get_format(file, path, HB_JOINT_FORMAT, HB_JOINT_VERSION, HB_JOINT_VERSION, &version));
    return hb_h5_get_text(file, "kind", path, kind, HB_JOINT_KIND);
}

hb_status hb_joint_kind_check(hid_t file, const char *path, const char *kind)
{
    char is[HB_JOINT_KIND];
    HB_TRY(hb_joint_kind_get(file, path, is));
    return strcmp(is, kind) == 0 ? HB_OK
                                 : HB_FAIL(HB_EDATA, "%s: is of kind '%s', where '%s' is needed", path, is, kind);
}
