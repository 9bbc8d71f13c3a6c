#include "row_key.h"

#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"

hb_status hb_row_key_read(const char *path, hb_seed *key, bool *whole)
{
    uint8_t *data;
    size_t bytes;
    mode_t mode;
    HB_TRY(hb_read_file(path, HB_LOCK_SHORT, &data, &bytes, &mode));
    *whole = bytes == sizeof key->bytes;
    if (*whole) {
        memcpy(key->bytes, data, sizeof key->bytes);
    }
    hb_wipe(data, bytes);
    free(data);
    return HB_OK;
}

hb_status hb_row_key_write(const char *path, const hb_seed *key)
{
    return hb_write_file(path, key->bytes, sizeof key->bytes, 0600, true);
}
