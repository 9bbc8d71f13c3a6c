/* Declarations shared by key_share.c, which knows what a rank reads, and key_reader.c, which reads it. */
#ifndef HB_KEYS_KEY_SHARE_PRIVATE_H
#define HB_KEYS_KEY_SHARE_PRIVATE_H

#include "key_files.h"

/* Lists the keys of a share with their files, and closes the other files; the caller frees *list. HB_ENOMEM. */
hb_status hb_key_share_list(hb_key_files *files, hb_key_share share, hb_key_wanted **list, uint32_t *count);
/* Refuses (HB_EDATA) where ranks do not hold the same keys: they would wait for one another for ever. A file may have
 * been changed between the looks of two ranks that hold its key. Collective. HB_ECOMM. */
hb_status hb_key_share_same(const hb_key_files *files, hb_group *group, hb_key_share share);
/* Makes *keys those of the choices that are there already, there or among *resting (NULL: none rest); others rest, as
 * far as session->resting_most goes, or are freed. HB_ENOMEM. */
hb_status hb_key_share_take(const hb_key_files *files, hb_switch_keys *keys, hb_switch_keys *resting,
                            const hb_session *session);

#endif
