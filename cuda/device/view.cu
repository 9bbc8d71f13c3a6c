/* Batches as kernels take them. */
#include "tile.cuh"

/* Fills the members that both kinds of views have. The number of tiles of the batch must fit blockIdx.x, which has 31
 * bits. */
template <class view> static view view_of(const hb_engine *e, hb_batch a)
{
    view v = {};
    HB_ASSERT(a.count <= (size_t)INT32_MAX >> (e->ring->log_n - HB_TILE_LOG_WORDS)); /* tiles: blockIdx.x */
    v.limbs = a.limbs;
    v.count = static_cast<uint32_t>(a.count);
    v.log_n = e->ring->log_n;
    memcpy(v.ids, a.ids, a.limbs * sizeof *a.ids);
    return v;
}

/* Kernels move pairs of words, 16 bytes: rows must start on such a pair, in every polynomial. */
static bool aligned(hb_limb_address rows)
{
    return rows.stride % 2 == 0 && reinterpret_cast<uintptr_t>(rows.data) % 16 == 0;
}

hb_cuda_view hb_cuda_view_of(const hb_engine *e, hb_batch a)
{
    hb_cuda_view view = view_of<hb_cuda_view>(e, a);
    HB_ASSERT(a.limb_stride == 0 && a.n == 0 && a.limb_addresses == NULL && aligned({a.data, a.stride}));
    view.data = a.data;
    view.stride = a.stride;
    return view;
}

/* Kernels of operations by coefficient do not ask which kind of batch they have: regular ones get an address a limb,
 * too. */
hb_cuda_scattered hb_cuda_scattered_of(const hb_engine *e, hb_batch a)
{
    hb_cuda_scattered view = view_of<hb_cuda_scattered>(e, a);
    for (uint32_t l = 0; l < a.limbs; l++) {
        view.limb_addresses[l] = hb_batch_limb_address(e, a, l);
        HB_ASSERT(aligned(view.limb_addresses[l]));
    }
    view.n = static_cast<uint32_t>(a.n != 0 ? a.n : e->ring->n);
    return view;
}

hb_cuda_view hb_cuda_view_for_all(const hb_engine *e, hb_batch a)
{
    hb_cuda_view view = hb_cuda_view_of(e, a);
    /* Every polynomial of the other operand then finds the same row. */
    view.stride = a.count == 1 ? 0 : view.stride;
    return view;
}

hb_cuda_words hb_cuda_words_of(const uint64_t *words, uint32_t limbs)
{
    hb_cuda_words copy = {};
    memcpy(copy.of, words, limbs * sizeof *words);
    return copy;
}

hb_cuda_words hb_cuda_quotients_of(const hb_engine *e, hb_batch r, const uint64_t *factors)
{
    hb_cuda_words quotients = {};
    for (uint32_t l = 0; l < r.limbs; l++) {
        quotients.of[l] = hb_shoup_quotient(factors[l], e->ring->moduli[r.ids[l]].value);
    }
    return quotients;
}
