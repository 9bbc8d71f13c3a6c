/* The switching keys of a job, on one engine: a growing list. */
#ifndef HB_BFV_KEY_RING_H
#define HB_BFV_KEY_RING_H

#include "switch_key.h"

typedef struct hb_key_ring {
    hb_switch_key *key; /* [count], owned */
    uint32_t count;
} hb_key_ring;

/* Takes the key over and zeroes *key. HB_ENOMEM: then it is still the caller's. */
hb_status hb_key_ring_add(hb_key_ring *ring, hb_switch_key *key);
/* NULL: it is not there. */
const hb_switch_key *hb_key_ring_find(const hb_key_ring *ring, uint32_t element);
/* A zeroed ring is allowed. */
void hb_key_ring_clear(hb_key_ring *ring);

#endif
