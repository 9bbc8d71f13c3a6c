/* Base conversion from many sources (ring/basis.h, convert_mma.cuh): the constants of its kernel, and how it is
 * launched. */
#include "convert_many.cuh"
#include "convert_many.h"

#define ARGUMENT_BYTES 32764 /* that a kernel can have */
static_assert(2 * sizeof(hb_cuda_scattered) + sizeof(hb_convert_many) <= ARGUMENT_BYTES, "fewer HB_CONVERT_MANY_BYTES");

/* The most thread blocks of a multiprocessor over a whole launch. Each block makes the weights, so a large batch gives
 * a block several slices rather than have more blocks. */
#define BLOCKS_OF_A_MULTIPROCESSOR 16

/* Fills in the constants of the sources: primes, scale, the weights of the overflow, and the size of the matrix. */
static void fill_sources(hb_convert_many *k, const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    for (uint32_t i = 0; i < conversion->from_limbs; i++) {
        const uint64_t q = ring->moduli[conversion->from_ids[i]].value;
        const uint64_t scale = conversion->scale != NULL ? conversion->scale[i] : 1;
        k->from[i] = {q, scale, hb_shoup_quotient(scale, q)};
        k->scaled = k->scaled || scale != 1;
        if (overflow != NULL && overflow->kind == HB_OVERFLOW_NEAREST) {
            k->inverses[i] = overflow->inverses[i];
        } else if (overflow != NULL && overflow->kind == HB_OVERFLOW_BINARY) {
            k->binary[i] = (uint32_t)overflow->weights[i];
        } else if (overflow != NULL && overflow->kind == HB_OVERFLOW_ROUNDED) {
            k->fixed[i] = overflow->weights[i];
        }
    }
    k->kept = conversion->keep != NULL;
    /* The overflow is one more source. Products take four sources each: the rest of the last step has weights of 0. */
    k->columns = conversion->from_limbs + (overflow != NULL ? 1 : 0);
    k->steps = (k->columns + HB_CONVERT_STEP - 1) / HB_CONVERT_STEP;
    if (overflow != NULL) {
        k->kind = overflow->kind;
        k->half = overflow->kind == HB_OVERFLOW_CENTRED ? HB_OVERFLOW_WORD / 2 : overflow->half;
        k->overflow_row = overflow->kind == HB_OVERFLOW_MODULAR ? 1 : 0;
    }
}

/* Fills in target o of the conversion as number `at` of the launch, with its row of the matrix. */
static void fill_target(hb_convert_many *k, const hb_ring *ring, const hb_base_conversion *conversion, uint32_t o,
                        uint32_t at)
{
    const hb_overflow *overflow = conversion->overflow;
    const hb_modulus &p = ring->moduli[conversion->to_ids[o]];
    const uint32_t sources = conversion->from_limbs;
    hb_convert_target *to = &k->targets[at];
    uint64_t *row = k->matrix + at * k->columns;
    hb_convert_set_modulus(to, p);
    std::copy_n(conversion->matrix + (size_t)o * sources, sources, row);
    if (conversion->keep != NULL) {
        to->keep = conversion->keep[o];
        to->keep_quotient = hb_shoup_quotient(to->keep, p.value);
    }
    if (overflow != NULL) {
        /* The overflow's column; it is used once the overflow word stands among the sources. */
        row[sources] = overflow->factors[o];
        const bool binary = overflow->kind == HB_OVERFLOW_BINARY;
        const uint64_t m = binary ? HB_OVERFLOW_WORD : ring->moduli[overflow->id].value;
        const bool modular = hb_overflow_is_modular(overflow);
        to->start = modular ? hb_overflow_start(overflow->half, m, overflow->factors[o], &p) : 0;
    }
}

/* Fills in the row that makes a modular overflow, behind the rows of `targets` targets. */
static void fill_overflow(hb_convert_many *k, const hb_ring *ring, const hb_base_conversion *conversion,
                          uint32_t targets)
{
    uint64_t *row = k->matrix + targets * k->columns;
    hb_convert_set_modulus(&k->targets[targets], ring->moduli[conversion->overflow->id]);
    std::copy_n(conversion->overflow->weights, conversion->from_limbs, row);
    row[conversion->from_limbs] = 0;
}

/* Divides shared memory between the weights of a group and the words of the warps: the words of as many warps as may be
 * come first; then two thread blocks on a multiprocessor, if they fit; then as many groups as fit. Sets k->chunk to the
 * groups, and *warps and *bytes for the launch. */
static hb_status divide_shared(hb_convert_many *k, uint32_t groups, uint32_t *warps, size_t *bytes)
{
    int device, most, reserved;
    HB_CUDA(cudaGetDevice(&device));
    HB_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    HB_CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
    HB_CUDA(cudaFuncSetAttribute(hb_convert_many_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    HB_CUDA(cudaFuncSetAttribute(hb_convert_many_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxShared));
    const size_t weights = k->steps * HB_CONVERT_STEP_WEIGHTS * sizeof(uint4);
    const size_t words = k->steps * HB_CONVERT_STEP * HB_CONVERT_PAIRS * sizeof(uint4);
    /* Memory that the system reserves for each block counts too. */
    const size_t half = (size_t)(most - reserved) / 2;
    const size_t capacity = HB_CONVERT_MANY_WARPS * words + weights <= half ? half : (size_t)most;
    *warps = (uint32_t)std::min<size_t>(HB_CONVERT_MANY_WARPS, (capacity - weights) / words);
    k->chunk = (uint32_t)std::min<size_t>(groups, (capacity - *warps * words) / weights);
    *bytes = k->chunk * weights + *warps * words;
    return HB_OK;
}

static hb_status start(hb_cuda_engine *e, const hb_cuda_scattered &r, const hb_cuda_scattered &a, hb_convert_many *k)
{
    const uint32_t groups = hb_convert_groups_of(r.limbs),
                   most = BLOCKS_OF_A_MULTIPROCESSOR * e->gpu->device.multiprocessors;
    uint32_t warps = 0;
    size_t bytes = 0;
    HB_TRY(divide_shared(k, groups + k->overflow_row, &warps, &bytes));
    /* A warp has a slice of 64 coefficients at a time. */
    const uint32_t blocks = (hb_cuda_slices(r, HB_CONVERT_MANY_WORDS) + warps - 1) / warps;
    /* Where a batch is small, several rows of the grid share the targets; each then takes the sources again. */
    const uint32_t shares = hb_cuda_share_limbs(e, 2 * blocks, groups).y; /* these blocks are large */
    return hb_cuda_start(e, hb_convert_many_kernel, dim3(std::min(blocks, most), shares), 32 * warps, bytes, r, a, *k);
}

hb_status hb_cuda_convert_many(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    hb_convert_many k = {};
    fill_sources(&k, e->ring, conversion);
    const uint32_t rows = HB_CONVERT_MANY_BYTES / sizeof(uint64_t) / k.columns - k.overflow_row;
    const uint32_t groups = hb_convert_groups_of(r.limbs), capacity = rows / HB_CONVERT_GROUP;
    /* The matrix that fits the arguments bounds a launch; targets are divided evenly between as few launches as that
     * takes. */
    const uint32_t launches = (groups + capacity - 1) / capacity;
    const uint32_t most = (groups + launches - 1) / launches * HB_CONVERT_GROUP;
    for (uint32_t first = 0; first < r.limbs; first += most) {
        const uint32_t count = std::min(r.limbs - first, most);
        for (uint32_t at = 0; at < count; at++) {
            fill_target(&k, e->ring, conversion, first + at, at);
        }
        if (k.overflow_row != 0) {
            fill_overflow(&k, e->ring, conversion, count);
        }
        HB_TRY(start(hb_cuda(e), hb_cuda_scattered_of(e, hb_batch_limbs(e, r, first, count)),
                     hb_cuda_scattered_of(e, a), &k));
    }
    return HB_OK;
}
