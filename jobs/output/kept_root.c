#include "kept_root.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "ranks/share_root.h"
#include "row_key.h"

#define KEY ".partial.key"

/* Sets *whole where the file is there and holds a seed. */
static hb_status find(const char *output, hb_seed *root, bool *whole)
{
    char *path;
    HB_TRY(hb_path_with(output, KEY, &path));
    hb_status st = hb_path_is_there(path, whole);
    if (st == HB_OK && *whole) {
        st = hb_row_key_read(path, root, whole);
    }
    free(path);
    return st;
}

/* On rank 0. */
static hb_status find_or_draw(hb_kept_root *root, bool continues)
{
    root->found = false;
    if (continues) {
        HB_TRY(find(root->output, &root->seed, &root->found));
    }
    if (!root->found) {
        hb_seed_random(&root->seed);
    }
    return HB_OK;
}

hb_status hb_kept_root_take(hb_kept_root *root, hb_group *group, const char *output, bool continues)
{
    hb_lock(&root->seed, sizeof root->seed);
    root->group = group;
    root->output = output;
    if (root->given) {
        return HB_OK;
    }
    HB_TRY(hb_agree(group, group->rank == 0 ? find_or_draw(root, continues) : HB_OK));
    uint64_t there = root->found;
    HB_TRY(hb_agree(group, hb_group_broadcast(group, &there, sizeof there, 0)));
    root->found = there != 0;
    return group->size > 1 ? hb_share_seed(group, &root->seed) : HB_OK;
}

hb_status hb_kept_root_settle(hb_kept_root *root, bool resumed)
{
    if (root->given || resumed == root->found) {
        return HB_OK;
    }
    return resumed ? HB_FAIL(HB_EDATA,
                             "%s" KEY ": is gone, so %s.partial cannot be continued; --force without --resume starts "
                             "again",
                             root->output, root->output)
                   : hb_kept_root_take(root, root->group, root->output, false);
}

hb_status hb_kept_root_keep(const hb_kept_root *root)
{
    char *path;
    if (root->given || root->found || root->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_path_with(root->output, KEY, &path));
    const hb_status st = hb_row_key_write(path, &root->seed);
    free(path);
    return st;
}

/* A file system may keep the old bytes elsewhere; where it does not, they are gone. */
static void overwrite(const char *path)
{
    const uint8_t zeros[HB_SEED_BYTES] = {0};
    int fd;
    if (hb_open_to_write(path, &fd) == HB_OK) {
        if (hb_write_at(fd, zeros, sizeof zeros, 0, path) == HB_OK) {
            (void)hb_sync(fd, path);
        }
        close(fd);
    }
}

void hb_kept_root_remove(const hb_kept_root *root)
{
    const hb_error before = *hb_last_error();
    char *path;
    if (root->given || root->group->rank != 0) {
        return;
    }
    if (hb_path_with(root->output, KEY, &path) == HB_OK) {
        overwrite(path);
        (void)unlink(path);
        free(path);
    }
    hb_set_error(&before);
}

void hb_kept_root_of_residue(const hb_kept_root *root, uint32_t residue, hb_seed *own)
{
    char label[32];
    snprintf(label, sizeof label, "residue %" PRIu32, residue);
    hb_lock(own, sizeof *own);
    hb_seed_derive(own, &root->seed, label);
}
