/* The switching keys of a job, on one engine: a growing list. */
#ifndef HB_RLWE_SWITCH_KEYS_H
#define HB_RLWE_SWITCH_KEYS_H

#include "switch_key.h"

typedef struct hb_switch_keys {
    hb_switch_key *key; /* [count], owned */
    uint32_t count;
} hb_switch_keys;

/* Takes the key over, as integers where that makes switching faster (hb_switch_key_to_integers), and zeroes *key.
 * HB_ENOMEM: then the caller keeps it. Exchanges. */
hb_status hb_switch_keys_add(hb_switch_keys *keys, hb_switch_key *key);
/* Returns the key of the parameters' own purpose for an element (hb_key_purpose_of), for the highest level. NULL: there
 * is none. */
const hb_switch_key *hb_switch_keys_find(const hb_switch_keys *keys, uint32_t element);
/* Returns the first key that serves the level of `limbs` limbs and no higher one than necessary. NULL: none does. */
const hb_switch_key *hb_switch_keys_find_at(const hb_switch_keys *keys, hb_key_source source, uint32_t element,
                                            uint32_t limbs);
/* Frees the keys for which `keeps` returns false; the others stay in their order. */
void hb_switch_keys_filter(hb_switch_keys *keys, bool (*keeps)(const void *context, const hb_switch_key *key),
                           const void *context);
/* Moves the keys of *from for which `moves` returns true behind those of *to, in their order; keys come as they were
 * added. HB_ENOMEM: then none is moved. */
hb_status hb_switch_keys_move(hb_switch_keys *to, hb_switch_keys *from,
                              bool (*moves)(const void *context, const hb_switch_key *key), const void *context);
/* Returns the bytes that the keys take on their engine. Where members share limbs, a key counts as it takes where most
 * of its limbs are (hb_key_purpose_bytes). */
uint64_t hb_switch_keys_bytes(const hb_switch_keys *keys);
/* Frees the first keys, until the others take at most so many bytes of their engine, counted in the same way, so that
 * members that share limbs keep the same ones. */
void hb_switch_keys_trim(hb_switch_keys *keys, uint64_t bytes);
/* Gives all of them to other parameters (hb_switch_key_use). */
void hb_switch_keys_use(hb_switch_keys *keys, const hb_params *params);
/* A zeroed list is allowed. */
void hb_switch_keys_clear(hb_switch_keys *keys);

#endif
