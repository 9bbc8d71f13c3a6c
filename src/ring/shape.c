#include "shape.h"

#include <string.h>

void hb_require_slices(const hb_engine *e, hb_batch a)
{
    /* Zeros in a batch stand for the ring's own sizes (batch.h). */
    const size_t whole = e->ring->n, n = a.n != 0 ? a.n : whole,
                 limb_stride = a.limb_stride != 0 ? a.limb_stride : whole;
    HB_ASSERT(a.limbs >= 1 && a.limbs <= HB_MAX_LIMBS && a.ids != NULL);
    for (uint32_t l = 0; l < a.limbs; l++) {
        HB_ASSERT(a.ids[l] < e->ring->count);
    }
    /* Only limbs that are here have memory. */
    const uint32_t here = hb_limbs_here(e, a.ids, a.limbs);
    /* Slices keep rows of a GPU aligned and in whole thread blocks. */
    HB_ASSERT(n <= whole && (n == whole || n % HB_SLICE_WORDS == 0));
    if (a.limb_addresses != NULL) {
        for (uint32_t l = 0; l < here; l++) {
            HB_ASSERT(a.limb_addresses[l].data != NULL || a.count == 0);
            HB_ASSERT(a.limb_addresses[l].stride % 2 == 0 && (a.limb_addresses[l].stride >= n || a.count <= 1));
        }
        /* A scattered batch has addresses only; its data and strides are not looked at. */
        return;
    }
    HB_ASSERT(a.data != NULL || a.count == 0 || here == 0);
    HB_ASSERT(limb_stride >= n && limb_stride % 2 == 0 && (here == 0 || a.stride >= (here - 1) * limb_stride + n));
}

void hb_require_shape(const hb_engine *e, hb_batch a)
{
    /* Regular: whole polynomials, limb after limb. */
    HB_ASSERT(a.limb_stride == 0 && a.n == 0 && a.limb_addresses == NULL);
    hb_require_slices(e, a);
}

void hb_require_apart(const hb_engine *e, hb_batch a, hb_batch b)
{
    /* Only the first limb is compared: batches are contiguous or come from one operand. */
    const bool empty = a.count == 0 || hb_limbs_here(e, a.ids, a.limbs) == 0 || hb_limbs_here(e, b.ids, b.limbs) == 0;
    HB_ASSERT(empty || hb_batch_limb_address(e, a, 0).data != hb_batch_limb_address(e, b, 0).data);
}

void hb_require_ids(const uint16_t *ids, const uint16_t *expected, uint32_t limbs)
{
    HB_ASSERT(memcmp(ids, expected, limbs * sizeof *ids) == 0);
}

void hb_require_same_limbs(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
}

void hb_require_same_slices(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_slices(e, r);
    hb_require_slices(e, a);
    const size_t whole = e->ring->n;
    HB_ASSERT(r.count == a.count && (r.n != 0 ? r.n : whole) == (a.n != 0 ? a.n : whole));
}

void hb_require_digits(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_shape(e, r);
    hb_require_slices(e, a);
    /* Whole polynomials, regular or scattered. */
    HB_ASSERT(a.n == 0 && (a.limb_stride == 0 || a.limb_addresses != NULL) && r.count == a.count * a.limbs);
    hb_require_apart(e, r, a);
}
