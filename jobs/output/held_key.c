#include "held_key.h"

#include <unistd.h>

#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "row_key.h"

hb_status hb_held_key_find(const char *path, hb_seed *secret, bool *found)
{
    HB_TRY(hb_path_is_there(path, found));
    return *found ? hb_row_key_read(path, secret, found) : HB_OK;
}

hb_status hb_held_key_take(hb_held_key *key, const char *path, hb_seed *secret, bool *found)
{
    HB_TRY(hb_path_is_there(path, found));
    if (!*found) {
        return HB_OK;
    }
    const hb_status locked = hb_file_lock_take(path, &key->file);
    /* The job before has removed it in the meantime. */
    if (locked == HB_ENOINPUT) {
        hb_clear_error();
        *found = false;
        return HB_OK;
    }
    HB_TRY(locked);
    key->held = true;
    const hb_status st = hb_row_key_read(path, secret, found);
    if (st != HB_OK || !*found) {
        hb_held_key_release(key);
    }
    return st;
}

hb_status hb_held_key_make(hb_held_key *key, const char *path, const hb_seed *secret)
{
    HB_TRY(hb_file_lock_new_file(path, 0600, true, &key->file));
    key->held = true;
    HB_TRY(hb_write_at(key->file, secret->bytes, sizeof secret->bytes, 0, path));
    HB_TRY(hb_sync(key->file, path));
    return hb_sync_folder_of(path);
}

/* A file system may keep the old bytes elsewhere; where it does not, they are gone. */
static void overwrite(int file, const char *path)
{
    const uint8_t zeros[HB_SEED_BYTES] = {0};
    if (hb_write_at(file, zeros, sizeof zeros, 0, path) == HB_OK) {
        (void)hb_sync(file, path);
    }
}

void hb_held_key_remove(hb_held_key *key, const char *path)
{
    if (!key->held) {
        return;
    }
    /* Without its name first: zeros under the name would be a secret for who finds them. Somebody may have put another
     * file there by hand. */
    if (hb_path_means(path, key->file)) {
        (void)unlink(path);
    }
    overwrite(key->file, path);
    hb_held_key_release(key);
}

void hb_held_key_release(hb_held_key *key)
{
    if (key->held) {
        close(key->file);
    }
    *key = (hb_held_key){.held = false};
}
