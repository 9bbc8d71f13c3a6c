/* Declarations shared by switch_key_file.c, which holds keys in memory and writes them, and switch_key_source.c, which
 * reads them. */
#ifndef HB_IO_KEYS_SWITCH_KEY_PRIVATE_H
#define HB_IO_KEYS_SWITCH_KEY_PRIVATE_H

#include "key_content_private.h"
#include "switch_key_file.h"

/* Return the digits of a key's level, and the packed bytes of a part: the primes of its level and all special ones; of
 * HB_KEY_TO_SPARSE the first special one alone. */
uint32_t hb_switch_key_parts(const hb_params_spec *spec, hb_key_name name);
size_t hb_switch_key_part_bytes(const hb_params_spec *spec, hb_key_name name);
/* Returns the attributes and bodies of a key; the bodies of one that is only looked at have no data. `bytes` is HDF5's
 * type of a byte, or 0 where HDF5 is not called. */
hb_key_content hb_switch_key_content(const hb_switch_key_file *key, bool seeded, hid_t bytes);
/* Reads seeds or component 1, and component 0, to bodies[0] and [1], and checks them against the checksum. */
hb_status hb_switch_key_source_bodies(const hb_switch_key_source *source, const char *path, uint8_t *const bodies[2]);

#endif
