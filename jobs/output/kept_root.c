#include "kept_root.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "ranks/share_root.h"

static hb_status find(hb_kept_root *root)
{
    char *path;
    HB_TRY(hb_path_with(root->output, HB_HELD_KEY, &path));
    const hb_status st = hb_held_key_find(path, &root->seed, &root->found);
    free(path);
    return st;
}

/* On rank 0. */
static hb_status find_or_draw(hb_kept_root *root, bool continues)
{
    root->found = false;
    if (continues) {
        HB_TRY(find(root));
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
                             "%s" HB_HELD_KEY
                             ": is gone, so %s.partial cannot be continued; --force without --resume starts "
                             "again",
                             root->output, root->output)
                   : hb_kept_root_take(root, root->group, root->output, false);
}

/* Another job may have begun the output anew, with a root of its own, since this one found it. */
static hb_status take_again(hb_kept_root *root, const char *path)
{
    hb_seed there;
    bool found;
    hb_lock_short(&there, sizeof there);
    hb_status st = hb_held_key_take(&root->held, path, &there, &found);
    if (st == HB_OK && !(found && memcmp(&there, &root->seed, sizeof there) == 0)) {
        st = HB_FAIL(HB_ECREATE, "%s: another job has replaced it meanwhile; start again", path);
    }
    hb_wipe(&there, sizeof there);
    return st;
}

hb_status hb_kept_root_keep(hb_kept_root *root)
{
    char *path;
    if (root->given || root->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_path_with(root->output, HB_HELD_KEY, &path));
    const hb_status st = root->found ? take_again(root, path) : hb_held_key_make(&root->held, path, &root->seed);
    free(path);
    return st;
}

void hb_kept_root_remove(hb_kept_root *root)
{
    const hb_error before = *hb_last_error();
    char *path;
    if (root->held.held && hb_path_with(root->output, HB_HELD_KEY, &path) == HB_OK) {
        hb_held_key_remove(&root->held, path);
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

void hb_kept_root_clear(hb_kept_root *root)
{
    hb_held_key_release(&root->held);
    hb_wipe(root, sizeof *root);
}
