#include "switch_keys.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_switch_keys_add(hb_switch_keys *keys, hb_switch_key *key)
{
    hb_switch_key *longer = realloc(keys->key, ((size_t)keys->count + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", keys->count + 1);
    }
    keys->key = longer;
    HB_TRY(hb_switch_key_to_integers(key));
    keys->key[keys->count++] = *key;
    memset(key, 0, sizeof *key);
    return HB_OK;
}

const hb_switch_key *hb_switch_keys_find_at(const hb_switch_keys *keys, hb_key_source source, uint32_t element,
                                            uint32_t limbs)
{
    const hb_switch_key *found = NULL;
    for (uint32_t i = 0; i < keys->count; i++) {
        const hb_switch_key *key = &keys->key[i];
        const bool serves = key->source == source && key->element == element && key->limbs >= limbs;
        if (serves && (found == NULL || key->limbs < found->limbs)) {
            found = key;
        }
    }
    return found;
}

const hb_switch_key *hb_switch_keys_find(const hb_switch_keys *keys, uint32_t element)
{
    const hb_switch_key *found = NULL;
    for (uint32_t i = 0; i < keys->count; i++) {
        const hb_switch_key *key = &keys->key[i];
        const bool own = key->source == hb_key_purpose_of(&key->params->spec, element).source;
        if (own && key->element == element && (found == NULL || key->limbs > found->limbs)) {
            found = key;
        }
    }
    return found;
}

void hb_switch_keys_filter(hb_switch_keys *keys, bool (*keeps)(const void *context, const hb_switch_key *key),
                           const void *context)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keeps(context, &keys->key[i])) {
            keys->key[kept++] = keys->key[i];
        } else {
            hb_switch_key_clear(&keys->key[i]);
        }
    }
    keys->count = kept;
}

hb_status hb_switch_keys_move(hb_switch_keys *to, hb_switch_keys *from,
                              bool (*moves)(const void *context, const hb_switch_key *key), const void *context)
{
    const size_t most = (size_t)to->count + from->count;
    uint32_t left = 0;
    if (from->count == 0) {
        return HB_OK;
    }
    hb_switch_key *longer = realloc(to->key, most * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %zu keys", most);
    }
    to->key = longer;
    for (uint32_t i = 0; i < from->count; i++) {
        if (moves(context, &from->key[i])) {
            longer[to->count++] = from->key[i];
        } else {
            from->key[left++] = from->key[i];
        }
    }
    from->count = left;
    return HB_OK;
}

static uint64_t bytes_of(const hb_switch_key *key)
{
    const hb_key_purpose purpose = {
        .gadget = key->gadget, .limbs = key->limbs, .source = key->source, .element = key->element};
    return hb_key_purpose_bytes(key->params, &purpose);
}

uint64_t hb_switch_keys_bytes(const hb_switch_keys *keys)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        bytes += bytes_of(&keys->key[i]);
    }
    return bytes;
}

void hb_switch_keys_trim(hb_switch_keys *keys, uint64_t bytes)
{
    uint64_t held = 0;
    uint32_t first = keys->count;
    while (first > 0) {
        held += bytes_of(&keys->key[first - 1]);
        if (held > bytes) {
            break;
        }
        first--;
    }
    for (uint32_t i = 0; i < first; i++) {
        hb_switch_key_clear(&keys->key[i]);
    }
    for (uint32_t i = first; i < keys->count; i++) {
        keys->key[i - first] = keys->key[i];
    }
    keys->count -= first;
}

void hb_switch_keys_use(hb_switch_keys *keys, const hb_params *params)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        hb_switch_key_use(&keys->key[i], params);
    }
}

void hb_switch_keys_clear(hb_switch_keys *keys)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        hb_switch_key_clear(&keys->key[i]);
    }
    free(keys->key);
    memset(keys, 0, sizeof *keys);
}
