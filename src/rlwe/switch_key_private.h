/* Declarations shared by the files of switching keys. */
#ifndef HB_RLWE_SWITCH_KEY_PRIVATE_H
#define HB_RLWE_SWITCH_KEY_PRIVATE_H

#include "switch_key.h"

/* Returns component c of all parts: every second polynomial. */
static inline hb_batch hb_switch_key_component(const hb_switch_key *key, size_t c)
{
    return hb_batch_of_groups(key->parts, 2, c);
}

/* Returns the highest level that the key serves. */
static inline const hb_gadget_level *hb_switch_key_level(const hb_switch_key *key)
{
    return &key->gadget->levels[key->limbs];
}

#endif
