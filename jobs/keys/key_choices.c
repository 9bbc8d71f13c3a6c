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
