#include "key_ring.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

hb_status hb_key_ring_share(hb_key_ring *ring, const hb_shared *shared, uint32_t ranks, uint32_t place)
{
    uint8_t *memory = shared->memory;
    const size_t first = hb_key_ring_first(ring);
    ring->shared = *shared;
    ring->ranks = ranks;
    ring->place = place;
    if (posix_fallocate(shared->fd, 0, (off_t)first) != 0) {
        return HB_FAIL(HB_ENOMEM, "/dev/shm has no %zu bytes for keys that ranks share", first);
    }
    ring->state = shared->memory;
    for (uint32_t s = 0; s < ring->slots; s++) {
        ring->memory[s] = memory + first + s * ring->bytes;
    }
    return HB_OK;
}

static void free_slot(hb_key_ring *ring, uint32_t s, hb_engine *engine)
{
    if (ring->locked[s]) {
        hb_host_free(engine, ring->memory[s]);
    } else {
        free(ring->memory[s]);
    }
    ring->memory[s] = NULL;
    ring->locked[s] = false;
}

void hb_key_ring_clear(hb_key_ring *ring, hb_engine *engine)
{
    if (ring->shared.memory != NULL) {
        hb_shared_close(&ring->shared);
        ring->slots = 0;
    }
    for (uint32_t s = 0; s < ring->slots; s++) {
        free_slot(ring, s, engine);
    }
    ring->slots = 0;
}

hb_status hb_key_ring_room(hb_key_ring *ring, uint32_t i, uint8_t **memory)
{
    const uint32_t s = i % ring->slots;
    const size_t first = hb_key_ring_first(ring);
    const size_t page = hb_key_ring_page(ring->bytes);
    /* A system without large pages takes small ones. */
    if (ring->memory[s] == NULL && ring->bytes > 0 && (ring->memory[s] = aligned_alloc(page, ring->bytes)) != NULL &&
        page == HB_KEY_LARGE_PAGE) {
        (void)madvise(ring->memory[s], ring->bytes, MADV_HUGEPAGE);
    }
    /* A write to shared memory that is not there would end the process. */
    if (ring->memory[s] == NULL ||
        (ring->shared.memory != NULL && i < ring->slots &&
         posix_fallocate(ring->shared.fd, (off_t)(first + s * ring->bytes), (off_t)ring->bytes) != 0)) {
        return HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", ring->bytes);
    }
    *memory = ring->memory[s];
    return HB_OK;
}

void hb_key_ring_lock(hb_key_ring *ring, uint32_t i, hb_engine *engine)
{
    const uint32_t s = i % ring->slots;
    const hb_error before = *hb_last_error();
    void *memory;
    if (ring->locked[s] || ring->shared.memory != NULL) {
        return;
    }
    if (hb_host_alloc(engine, ring->bytes, &memory) == HB_OK) {
        free_slot(ring, s, engine);
        ring->memory[s] = memory;
        ring->locked[s] = true;
    }
    hb_set_error(&before);
}
