/* How far a dataset is that a job makes, or left unfinished: looked at from outside, also while it is written. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "io/files/durable.h"

static uint64_t stored_units(const hb_shard *shard)
{
    static const uint8_t none[HB_DIGEST_BYTES];
    uint64_t stored = 0;
    for (uint64_t u = 0; u < shard->units; u++) {
        stored += memcmp(shard->sums[u], none, sizeof none) != 0;
    }
    return stored;
}

/* A shard that cannot be read is made anew by who continues. */
static hb_status look_at_part(const char *folder, const char *entry, hb_dataset_state *state)
{
    hb_header header;
    hb_shard shard;
    uint8_t digest[HB_DIGEST_BYTES];
    char *path, name[300];
    if (strlen(entry) + 2 > sizeof name) {
        return HB_OK;
    }
    name[0] = '/';
    memcpy(name + 1, entry, strlen(entry) + 1);
    HB_TRY(hb_path_with(folder, name, &path));
    hb_status st = hb_shard_inspect(path, &header, digest, &shard);
    if (st == HB_OK) {
        /* A dataset that grows makes its last units. */
        const uint64_t before = header.version >= HB_FORMAT_GROWN ? shard.first_unit : 0;
        const uint64_t units = (hb_header_units(&header) - before) * hb_spec_residues(&header.spec);
        state->units = units > state->units ? units : state->units;
        state->stored += stored_units(&shard);
        state->parts++;
    } else if (st != HB_ENOMEM) {
        state->unreadable++;
        hb_clear_error();
        st = HB_OK;
    }
    hb_header_clear(&header);
    hb_shard_clear(&shard);
    free(path);
    return st;
}

static hb_status look(const char *partial, hb_dataset_state *state)
{
    DIR *folder = opendir(partial);
    if (folder == NULL) {
        return HB_FAIL(errno == ENOENT ? HB_ENOINPUT : HB_EIO, "%s: cannot be opened: %s", partial, strerror(errno));
    }
    hb_status st = HB_OK;
    const struct dirent *entry;
    while (st == HB_OK && (entry = readdir(folder)) != NULL) {
        st = strncmp(entry->d_name, "part-", 5) == 0 ? look_at_part(partial, entry->d_name, state) : HB_OK;
    }
    closedir(folder);
    return st;
}

hb_status hb_dataset_look(const char *name, hb_dataset_state *state)
{
    char *partial;
    *state = (hb_dataset_state){.units = 0};
    HB_TRY(hb_path_with(name, ".partial", &partial));
    const hb_status st = look(partial, state);
    free(partial);
    return st;
}
