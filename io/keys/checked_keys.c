#include "checked_keys.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_checked_keys_add(hb_checked_keys *keys, const uint8_t sum[HB_DIGEST_BYTES])
{
    if (keys->count == HB_MOST_CHECKED_KEYS) {
        return HB_FAIL(HB_EDATA, "more than %d keys of one session", HB_MOST_CHECKED_KEYS);
    }
    uint8_t(*longer)[HB_DIGEST_BYTES] = realloc(keys->sum, ((size_t)keys->count + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    keys->sum = longer;
    memcpy(longer[keys->count++], sum, sizeof *longer);
    return HB_OK;
}

hb_status hb_checked_keys_require(const hb_checked_keys *keys, const char *path, const uint8_t sum[HB_DIGEST_BYTES])
{
    for (uint32_t i = 0; i < keys->count; i++) {
        if (memcmp(keys->sum[i], sum, sizeof keys->sum[i]) == 0) {
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EDATA,
                   "%s: is none of the keys that you compared, and a part of what a made-up key computes tells your "
                   "secret: hebatch keygen --join FOLDER --key PARTY.h5 --check KEYS",
                   path);
}

void hb_checked_keys_clear(hb_checked_keys *keys)
{
    free(keys->sum);
    memset(keys, 0, sizeof *keys);
}
