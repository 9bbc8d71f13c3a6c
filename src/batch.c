/* Batches as memory: allocation, views and sizes (engine.h). */
#include "engine.h"

hb_status hb_batch_alloc(hb_engine *e, hb_batch *r, size_t count, uint32_t limbs, const uint16_t *ids)
{
    const size_t n = e->ring->n;
    *r = (hb_batch){.ids = ids, .limbs = limbs, .count = count, .stride = limbs * n};
    size_t words, bytes;
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

void hb_batch_wipe(hb_engine *e, hb_batch r)
{
    if (r.data != NULL) {
        /* x - x is 0 for every word, canonical or not, and no compiler sees through the table of operations. A device
         * that fails here fails at the next hb_finish too. */
        hb_status ignored = hb_sub(e, r, r, r);
        (void)ignored;
    }
}

hb_batch hb_batch_slice(hb_batch a, size_t first, size_t count)
{
    HB_ASSERT(first <= a.count && count <= a.count - first);
    a.data = a.data == NULL ? NULL : a.data + first * a.stride;
    a.count = count;
    return a;
}

hb_batch hb_batch_limbs(hb_batch a, const hb_ring *ring, uint32_t first, uint32_t limbs)
{
    HB_ASSERT(limbs >= 1 && first <= a.limbs && limbs <= a.limbs - first);
    a.data = a.data == NULL ? NULL : a.data + first * ring->n;
    a.ids += first;
    a.limbs = limbs;
    return a;
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
