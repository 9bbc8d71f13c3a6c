#include "switch_keys.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_switch_keys_add(hb_switch_keys *ring, hb_switch_key *key)
{
    hb_switch_key *longer = realloc(ring->key, ((size_t)ring->count + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", ring->count + 1);
    }
    ring->key = longer;
    HB_TRY(hb_switch_key_prepare(key));
    ring->key[ring->count++] = *key;
    memset(key, 0, sizeof *key);
    return HB_OK;
}

const hb_switch_key *hb_switch_keys_find(const hb_switch_keys *ring, uint32_t element)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        if (ring->key[i].element == element) {
            return &ring->key[i];
        }
    }
    return NULL;
}

void hb_switch_keys_clear(hb_switch_keys *ring)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        hb_switch_key_clear(&ring->key[i]);
    }
    free(ring->key);
    memset(ring, 0, sizeof *ring);
}
