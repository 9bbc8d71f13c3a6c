/* Declarations shared by key_store.c, which finds and loads keys, and the code that only inspects them. */
#ifndef HB_KEYS_KEY_STORE_PRIVATE_H
#define HB_KEYS_KEY_STORE_PRIVATE_H

#include "key_store.h"

/* Returns the purpose that a key is loaded for. */
hb_key_purpose hb_key_choice_purpose(const hb_params_spec *spec, hb_key_choice choice);

#endif
