#include "place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"

hb_short_id hb_short_of(const uint8_t *id)
{
    hb_short_id r;
    snprintf(r.text, sizeof r.text, "%02" PRIx8 "%02" PRIx8 "%02" PRIx8 "%02" PRIx8, id[0], id[1], id[2], id[3]);
    return r;
}

hb_status hb_joint_place(char **path, const char *party, const uint8_t id[HB_DIGEST_BYTES], const char *ending)
{
    char name[64], *folder;
    snprintf(name, sizeof name, "/joint-%s%s", hb_short_of(id).text, ending);
    HB_TRY(hb_folder_of(party, &folder));
    const hb_status st = hb_path_with(folder, name, path);
    free(folder);
    return st;
}

hb_status hb_joint_place_beside(char **path, const char *state, const uint8_t *later, const char *ending)
{
    char name[64];
    const size_t length = strlen(state), behind = strlen(HB_STATE_ENDING);
    const bool ends = length > behind && strcmp(state + length - behind, HB_STATE_ENDING) == 0;
    char *bare = strndup(state, ends ? length - behind : length);
    if (bare == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    snprintf(name, sizeof name, "%s%s%s", later != NULL ? "-" : "", later != NULL ? hb_short_of(later).text : "",
             ending);
    const hb_status st = hb_path_with(bare, name, path);
    free(bare);
    return st;
}
