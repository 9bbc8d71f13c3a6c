/* A ring of memory for packed keys on their way from files to engines: of this rank, or of all ranks of its host. Key
 * i goes through slot i mod `slots`: one rank fills it, each loads it, and then the slot is free for key i + slots.
 * States are atomic, as ranks that share a ring share nothing else; who fills and loads a key is the caller's matter,
 * and both are begun in order of the keys. */
#ifndef HB_KEYS_KEY_RING_H
#define HB_KEYS_KEY_RING_H

#include <stdatomic.h>
#include <string.h>

#include "mpi/group/group.h"
#include "ring/engine.h"

#define HB_KEY_LARGE_PAGE ((size_t)1 << 21) /* bytes, of x86-64 and others */
#define HB_KEY_SMALL_PAGE ((size_t)1 << 12)
enum { HB_KEY_MOST_SLOTS = 24 };

typedef struct hb_key_slot {
    atomic_uint filled;           /* the number of the key in it, plus 1; 0: none yet */
    atomic_uint taken;            /* by how many ranks */
    uint8_t sum[HB_DIGEST_BYTES]; /* of its file: ranks that want another key at this place would not notice */
} hb_key_slot;

typedef struct hb_key_slots {
    atomic_bool failed; /* on a rank: all end */
    hb_key_slot slot[HB_KEY_MOST_SLOTS];
} hb_key_slots;

/* A ring. Zeroed: it has no slots. */
typedef struct hb_key_ring {
    hb_key_slots own, *state;           /* state: own, or in shared memory */
    uint8_t *memory[HB_KEY_MOST_SLOTS]; /* [bytes]; NULL: not allocated yet */
    bool locked[HB_KEY_MOST_SLOTS];     /* it is page-locked, from hb_host_alloc */
    uint32_t slots;
    uint32_t ranks, place; /* that share it, and this one's number */
    size_t bytes;          /* of a slot: whole pages, large ones where it fills one */
    hb_shared shared;
} hb_key_ring;

/* Returns the page by which a slot of so many bytes is aligned. */
static inline size_t hb_key_ring_page(size_t bytes)
{
    return bytes < HB_KEY_LARGE_PAGE ? HB_KEY_SMALL_PAGE : HB_KEY_LARGE_PAGE;
}
/* Rounds up to whole pages, one at least; 0 where that is too large. */
static inline size_t hb_key_ring_round(size_t bytes)
{
    const size_t page = hb_key_ring_page(bytes), pages = bytes > 0 ? (bytes - 1) / page + 1 : 1;
    return bytes <= SIZE_MAX / 64 ? pages * page : 0;
}

/* Makes a ring of that many slots for this rank. The struct must not move. */
static inline void hb_key_ring_init(hb_key_ring *ring, uint32_t slots, size_t bytes)
{
    HB_ASSERT(slots <= HB_KEY_MOST_SLOTS);
    memset(ring, 0, sizeof *ring);
    ring->state = &ring->own;
    ring->slots = slots;
    ring->ranks = 1;
    ring->bytes = hb_key_ring_round(bytes);
}

/* Returns where the first slot stands in shared memory, behind the states. */
static inline size_t hb_key_ring_first(const hb_key_ring *ring)
{
    const size_t page = hb_key_ring_page(ring->bytes);
    return (sizeof *ring->state + page - 1) / page * page;
}

/* Returns the bytes that a shared ring of as many slots takes. */
static inline size_t hb_key_ring_shared_bytes(const hb_key_ring *ring)
{
    return hb_key_ring_first(ring) + ring->slots * ring->bytes;
}

/* Takes shared memory of that size over, for ranks that all make the same ring. HB_ENOMEM where it is not there. */
hb_status hb_key_ring_share(hb_key_ring *ring, const hb_shared *shared, uint32_t ranks, uint32_t place);
/* Gives the memory back; the caller closes the descriptor of shared memory. `engine` is the one of hb_key_ring_lock,
 * NULL where that was never called. */
void hb_key_ring_clear(hb_key_ring *ring, hb_engine *engine);

/* Return whether the slot of key i is free for it, and whether key i is there. */
static inline bool hb_key_ring_is_free(const hb_key_ring *ring, uint32_t i)
{
    hb_key_slot *slot = &ring->state->slot[i % ring->slots];
    const unsigned before = i < ring->slots ? 0 : i - ring->slots + 1;
    return atomic_load(&slot->filled) == before && (before == 0 || atomic_load(&slot->taken) == ring->ranks);
}
static inline bool hb_key_ring_is_filled(const hb_key_ring *ring, uint32_t i)
{
    return atomic_load(&ring->state->slot[i % ring->slots].filled) == i + 1;
}

/* Returns the memory of key i, whose slot is free, for this rank to fill. HB_ENOMEM. */
hb_status hb_key_ring_room(hb_key_ring *ring, uint32_t i, uint8_t **memory);

/* Says that key i, of a file with this sum, is there, and that this rank has taken it. */
static inline void hb_key_ring_fill(hb_key_ring *ring, uint32_t i, const uint8_t sum[HB_DIGEST_BYTES])
{
    hb_key_slot *slot = &ring->state->slot[i % ring->slots];
    memcpy(slot->sum, sum, sizeof slot->sum);
    atomic_store(&slot->taken, 0);
    atomic_store(&slot->filled, i + 1);
}
static inline void hb_key_ring_take(hb_key_ring *ring, uint32_t i)
{
    atomic_fetch_add(&ring->state->slot[i % ring->slots].taken, 1);
}

/* Returns the memory of key i, which is there; NULL where another key is at its place than the one with this sum. */
static inline const uint8_t *hb_key_ring_key(const hb_key_ring *ring, uint32_t i, const uint8_t sum[HB_DIGEST_BYTES])
{
    const hb_key_slot *slot = &ring->state->slot[i % ring->slots];
    return memcmp(slot->sum, sum, sizeof slot->sum) == 0 ? ring->memory[i % ring->slots] : NULL;
}

/* Replaces the memory of key i, which was read for the last time and is not yet taken, by page-locked memory, from
 * which copies to a GPU are faster; where there is none, and where ranks share it, it stays. */
void hb_key_ring_lock(hb_key_ring *ring, uint32_t i, hb_engine *engine);

#endif
