#include "cuda/ceilings/ceilings.cuh"

#include <vector>

extern "C" {
#include "native_modulo.h"
}
#include "words.h"

#define THREADS 128
#define PRIME 984481793u
#define MARGIN 2 /* bits between the prime and a word: 2^32 / (2^MARGIN + 1) < PRIME < 2^(32 - MARGIN) */

const char *hb_modulo_name(hb_modulo_way way)
{
    static const char *const names[HB_MODULO_WAYS] = {"%", "NFLlib", "Barrett"};
    return names[way];
}

/* x < 2^32 m to [0, m). Let 2^64 / m = 2^(32 + MARGIN) + v + f, v a word, f < 1, and x1, x0 the words of x. With q = v
 * x1 + 2^MARGIN x, x / m - q / 2^32 = (v x0 + f x) / 2^64 is in [0, (v + m) / 2^32), below 0.6 for this prime: q fits
 * two words, its upper one is at most 1 below floor(x / m), and the remainder is below 1.6 m, a word. */
__device__ static uint32_t nfllib(uint64_t x, uint32_t v, uint32_t m)
{
    const uint64_t q = (uint64_t)v * (uint32_t)(x >> 32) + (x << MARGIN);
    uint32_t r = (uint32_t)x - (uint32_t)(q >> 32) * m;
    if (r >= m) {
        r -= m;
    }
    return r;
}

template <hb_modulo_way WAY>
static __global__ void __launch_bounds__(THREADS)
    reduce(uint32_t *to, const uint64_t *from, size_t count, const __grid_constant__ hb_modulus m, uint32_t v)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    if constexpr (WAY == HB_MODULO_NATIVE) {
        to[i] = (uint32_t)(from[i] % (uint32_t)m.value);
    } else if constexpr (WAY == HB_MODULO_NFLLIB) {
        to[i] = nfllib(from[i], v, (uint32_t)m.value);
    } else {
        to[i] = (uint32_t)hb_mod_reduce(from[i], &m);
    }
}

struct modulo_work {
    hb_modulo_way way;
    size_t count;
    hb_modulus m;
    uint32_t v;
    hb_probe_memory from, to;

    hb_status launch(cudaStream_t stream) const
    {
        const auto kernel = way == HB_MODULO_NATIVE   ? reduce<HB_MODULO_NATIVE>
                            : way == HB_MODULO_NFLLIB ? reduce<HB_MODULO_NFLLIB>
                                                      : reduce<HB_MODULO_BARRETT>;
        kernel<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
            static_cast<uint32_t *>(to.memory), static_cast<const uint64_t *>(from.memory), count, m, v);
        HB_CUDA_LAUNCHED();
        return HB_OK;
    }
};

static hb_status once(void *argument, void *stream)
{
    return static_cast<const modulo_work *>(argument)->launch(static_cast<cudaStream_t>(stream));
}

/* The largest integer, multiples of the prime and their neighbours, then any. */
static uint64_t integer(size_t i)
{
    const uint64_t below = (uint64_t)PRIME << 32;
    const uint64_t edges[] = {below - 1, 0, PRIME - 1, PRIME, below - PRIME, below - PRIME - 1};
    return i < sizeof edges / sizeof *edges ? edges[i] : hb_words_at(0, i, below);
}

static hb_status check(const modulo_work *work, const std::vector<uint64_t> &integers)
{
    std::vector<uint32_t> residues(work->count);
    HB_TRY(work->launch(NULL));
    HB_CUDA(cudaMemcpy(residues.data(), work->to.memory, work->count * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < work->count; i++) {
        if (residues[i] != integers[i] % PRIME) {
            return HB_FAIL(HB_EINTERNAL, "%s: integer %zu has another residue", hb_modulo_name(work->way), i);
        }
    }
    return HB_OK;
}

hb_status hb_modulo_time(hb_figure_run *run, hb_modulo_way way, size_t count, double *seconds)
{
    modulo_work work = {};
    work.way = way;
    work.count = count;
    work.v = (uint32_t)(((hb_u128)1 << 64) / PRIME - ((uint64_t)1 << (32 + MARGIN)));
    HB_TRY(hb_modulus_init(&work.m, PRIME));
    HB_TRY(work.from.open(count * sizeof(uint64_t), false));
    HB_TRY(work.to.open(count * sizeof(uint32_t), false));
    std::vector<uint64_t> integers(count);
    for (size_t i = 0; i < count; i++) {
        integers[i] = integer(i);
    }
    HB_CUDA(cudaMemcpy(work.from.memory, integers.data(), count * sizeof(uint64_t), cudaMemcpyHostToDevice));
    HB_TRY(check(&work, integers));
    return hb_figure_time(run, once, &work, seconds);
}
