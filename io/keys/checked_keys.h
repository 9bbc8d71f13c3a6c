/* Which files of joint keys an owner compared with the contributions of all owners: a list of checksums (keyfile.h,
 * switch_key_file.h). Readers of a key compare it with the checksum that its file states, so a key whose checksum is in
 * the list is one that was compared, whatever its file is called and wherever it lies. */
#ifndef HB_IO_KEYS_CHECKED_KEYS_H
#define HB_IO_KEYS_CHECKED_KEYS_H

#include "base/digest.h"
#include "base/status.h"

enum { HB_MOST_CHECKED_KEYS = 1 << 16 };

/* Zeroed: none. */
typedef struct hb_checked_keys {
    uint8_t (*sum)[HB_DIGEST_BYTES]; /* [count]; owned */
    uint32_t count;                  /* at most HB_MOST_CHECKED_KEYS */
} hb_checked_keys;

/* Adds a checksum. HB_EDATA where the list is full; HB_ENOMEM. */
hb_status hb_checked_keys_add(hb_checked_keys *keys, const uint8_t sum[HB_DIGEST_BYTES]);
/* Returns HB_EDATA, naming the file at `path` and what to do, unless its checksum is in the list. */
hb_status hb_checked_keys_require(const hb_checked_keys *keys, const char *path, const uint8_t sum[HB_DIGEST_BYTES]);
void hb_checked_keys_clear(hb_checked_keys *keys);

#endif
