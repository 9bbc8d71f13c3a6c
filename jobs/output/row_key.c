#include "row_key.h"

#include <unistd.h>

#include "io/files/durable.h"

hb_status hb_row_key_read(const char *path, hb_seed *key, bool *whole)
{
    int fd;
    uint64_t bytes;
    mode_t mode;
    HB_TRY(hb_open_file(path, false, &fd, &bytes, &mode));
    *whole = bytes == sizeof key->bytes;
    const hb_status st = *whole ? hb_read_at(fd, key->bytes, sizeof key->bytes, 0, path) : HB_OK;
    close(fd);
    return st;
}
