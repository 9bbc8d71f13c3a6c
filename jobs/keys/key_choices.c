/* Names and bytes of the chosen keys, without loading them. */
#include <stdlib.h>
#include <string.h>

#include "key_store_private.h"
#include "scheme/params.h"

uint64_t hb_key_choices_bytes(const hb_params *params, hb_key_choices choices)
{
    uint64_t bytes = choices.count > 0 ? hb_switch_key_preparing_bytes(params) : 0;
    for (uint32_t i = 0; i < choices.count; i++) {
        const hb_key_purpose purpose = hb_key_choice_purpose(&params->spec, choices.key[i]);
        bytes += hb_key_purpose_bytes(params, &purpose);
    }
    return bytes;
}

/* The question about a key. */
typedef struct all_choices {
    const hb_params *params;
    hb_key_choices choices;
} all_choices;

static bool is_choice(const hb_switch_key *key, const hb_params *params, hb_key_choice choice)
{
    const hb_key_purpose purpose = hb_key_choice_purpose(&params->spec, choice);
    return key->source == purpose.source && key->element == purpose.element &&
           key->limbs == hb_key_purpose_limbs(params, &purpose);
}

static bool is_wanted(const void *context, const hb_switch_key *key)
{
    const all_choices *w = context;
    bool found = false;
    for (uint32_t i = 0; i < w->choices.count; i++) {
        found = found || is_choice(key, w->params, w->choices.key[i]);
    }
    return found;
}

static bool is_held(const hb_switch_keys *held, const hb_params *params, hb_key_choice choice)
{
    bool found = false;
    for (uint32_t i = 0; held != NULL && i < held->count; i++) {
        found = found || is_choice(&held->key[i], params, choice);
    }
    return found;
}

hb_status hb_key_choices_missing(hb_key_choices *missing, const hb_params *params, hb_key_choices choices,
                                 const hb_switch_keys *held)
{
    *missing = (hb_key_choices){.key = calloc((size_t)choices.count + 1, sizeof *missing->key)};
    if (missing->key == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < choices.count; i++) {
        if (!is_held(held, params, choices.key[i])) {
            missing->key[missing->count++] = choices.key[i];
        }
    }
    return HB_OK;
}

void hb_key_choices_keep(const hb_params *params, hb_key_choices choices, hb_switch_keys *held)
{
    const all_choices all = {params, choices};
    hb_switch_keys_filter(held, is_wanted, &all);
}
