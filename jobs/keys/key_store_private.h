/* Declarations shared by key_store.c, which finds and loads keys, and the code that only inspects them. */
#ifndef HB_KEYS_KEY_STORE_PRIVATE_H
#define HB_KEYS_KEY_STORE_PRIVATE_H

#include "key_store.h"

/* Returns HB_EDATA unless a file belongs to the pair and the parameters, and holds the key that its name says. */
hb_status hb_key_label_check(const char *path, const hb_switch_key_label *file, const hb_params *params,
                             const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_name name);
/* Returns the purpose that a key is loaded for. */
hb_key_purpose hb_key_choice_purpose(const hb_params_spec *spec, hb_key_choice choice);

#endif
