/* Batches as memory: allocation, views and sizes. */
#include "batch.h"

#include "base/seed.h"
#include "engine.h"

#define NOWHERE_WORDS 8 /* 64 bytes: later memory stays aligned */

bool hb_limb_here(const hb_engine *e, uint16_t id)
{
    return e->map == NULL || hb_limb_map_has(e->map, id, e->member);
}

uint32_t hb_limbs_here(const hb_engine *e, const uint16_t *ids, uint32_t limbs)
{
    return e->map == NULL ? limbs : hb_limb_map_count(e->map, ids, limbs, e->member);
}

hb_batch hb_batch_on(const hb_engine *e, uint64_t *memory, size_t count, uint32_t limbs, const uint16_t *ids)
{
    /* Where nothing of it is here it takes a little room even so: operands are told apart by where they begin, and all
     * members must come to the same answer. */
    const uint32_t here = hb_limbs_here(e, ids, limbs);
    const size_t stride = here > 0 ? here * e->ring->n : NOWHERE_WORDS;
    return (hb_batch){.data = memory, .ids = ids, .limbs = limbs, .count = count, .stride = stride};
}

hb_status hb_batch_alloc(hb_engine *e, hb_batch *r, size_t count, uint32_t limbs, const uint16_t *ids)
{
    *r = hb_batch_on(e, NULL, count, limbs, ids);
    size_t words, bytes;
    /* Counts come from files and options: their product may not fit. */
    if (__builtin_mul_overflow(r->stride, count, &words) || __builtin_mul_overflow(words, sizeof *r->data, &bytes)) {
        return HB_FAIL(HB_ENOMEM, "%zu polynomials of %zu words do not fit into the address space", count, r->stride);
    }
    void *memory = NULL;
    HB_TRY(hb_alloc(e, bytes, &memory));
    r->data = memory;
    return HB_OK;
}

void hb_batch_free(hb_engine *e, hb_batch *r)
{
    hb_free(e, r->data);
    r->data = NULL;
}

hb_status hb_batch_alloc_locked(hb_engine *e, hb_batch *r, size_t count, uint32_t limbs, const uint16_t *ids)
{
    HB_TRY(hb_batch_alloc(e, r, count, limbs, ids));
    /* Memory of a GPU is not swapped. */
    if (e->on_host) {
        hb_lock(r->data, count * hb_limbs_here(e, ids, limbs) * e->ring->n * sizeof *r->data);
    }
    return HB_OK;
}

hb_batch hb_batch_slice(hb_batch a, size_t first, size_t count)
{
    HB_ASSERT(first <= a.count && count <= a.count - first);
    /* A slice of a scattered batch would need addresses of its own. */
    HB_ASSERT(a.limb_addresses == NULL || count == a.count);
    a.data = a.data == NULL ? NULL : a.data + first * a.stride;
    a.count = count;
    return a;
}

hb_batch hb_batch_of_groups(hb_batch a, size_t group, size_t which)
{
    hb_batch view = hb_batch_slice(a, which, a.count / group);
    view.stride *= group;
    return view;
}

hb_batch hb_batch_limbs(const hb_engine *e, hb_batch a, uint32_t first, uint32_t limbs)
{
    HB_ASSERT(limbs >= 1 && first <= a.limbs && limbs <= a.limbs - first);
    /* Limbs before the first that are not here take no memory. */
    const size_t limb_stride = a.limb_stride != 0 ? a.limb_stride : e->ring->n, before = hb_limbs_here(e, a.ids, first);
    a.data = a.data == NULL ? NULL : a.data + before * limb_stride;
    a.limb_addresses = a.limb_addresses == NULL ? NULL : a.limb_addresses + before;
    a.ids += first;
    a.limbs = limbs;
    return a;
}

hb_limb_address hb_batch_limb_address(const hb_engine *e, hb_batch a, uint32_t l)
{
    return a.limb_addresses != NULL
               ? a.limb_addresses[l]
               : (hb_limb_address){a.data + l * (a.limb_stride != 0 ? a.limb_stride : e->ring->n), a.stride};
}

uint32_t hb_residue_bits(const hb_modulus *m)
{
    return m->bits - ((m->value & (m->value - 1)) == 0); /* one bit fewer for a power of two */
}

size_t hb_packed_row_bytes(size_t n, const hb_modulus *m)
{
    return n * hb_residue_bits(m) / 8;
}

size_t hb_packed_bytes(const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        bytes += hb_packed_row_bytes(ring->n, &ring->moduli[ids[l]]);
    }
    return bytes;
}

size_t hb_packed_bytes_here(const hb_engine *e, const uint16_t *ids, uint32_t limbs)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        bytes += hb_limb_here(e, ids[l]) ? hb_packed_row_bytes(e->ring->n, &e->ring->moduli[ids[l]]) : 0;
    }
    return bytes;
}
