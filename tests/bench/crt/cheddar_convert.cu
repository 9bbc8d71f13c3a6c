/* Cheddar's base conversion (algorithm 3), for figure 4. */
#include <stdlib.h>

#include "montgomery32.cuh"
#include "tables.cuh"
#include "words.h"

extern "C" {
#include "cheddar.h"
#include "gpu_words.h"
}

namespace
{
constexpr uint32_t block_threads = 256, most_from = 16;

struct arguments {
    const int32_t *a;              /* [from][n] */
    int32_t *to;                   /* [limbs][n] */
    const int32_t *matrix;         /* [limbs][from]: factors of montgomery32.cuh, within q / 2 of 0 */
    const hb_montgomery32 *moduli; /* [limbs] */
    uint32_t from, limbs, log_n;
};

/* NT words, 16 bytes at a time where there are as many. */
template <int NT> struct alignas(NT < 4 ? 4 * NT : 16) words {
    int32_t of[NT];
};

/* Products are below 2^31 times half of q, and `from` times that fits what the reduction takes where primes are below
 * 2^32 / from: sums of products are reduced once. */
template <int LB, int LT, int NT> __global__ __launch_bounds__(block_threads) void convert(const arguments args)
{
    constexpr uint32_t nb = block_threads / LB;
    __shared__ int32_t matrix[LB * LT][most_from];
    __shared__ words<NT> block_a[LB > 1 ? most_from : 1][LB > 1 ? nb : 1];
    const uint32_t it = threadIdx.x / nb, jt = threadIdx.x % nb, from = args.from;
    const uint32_t limb = blockIdx.y * LB * LT;
    const size_t column = ((size_t)blockIdx.x * nb + jt) * NT;
    for (uint32_t e = threadIdx.x; e < LB * LT * from; e += block_threads) {
        const uint32_t i = e / from, k = e % from;
        matrix[i][k] = limb + i < args.limbs ? args.matrix[(limb + i) * from + k] : 0;
    }
    for (uint32_t k = it; LB > 1 && k < from; k += LB) {
        block_a[k][jt] = *reinterpret_cast<const words<NT> *>(args.a + ((size_t)k << args.log_n) + column);
    }
    __syncthreads();

    int64_t sum[LT][NT] = {};
    for (uint32_t k = 0; k < from; k++) {
        const words<NT> a = LB > 1 ? block_a[LB > 1 ? k : 0][LB > 1 ? jt : 0]
                                   : *reinterpret_cast<const words<NT> *>(args.a + ((size_t)k << args.log_n) + column);
#pragma unroll
        for (int i = 0; i < LT; i++) {
#pragma unroll
            for (int j = 0; j < NT; j++) {
                sum[i][j] += (int64_t)matrix[LT * it + i][k] * a.of[j];
            }
        }
    }
#pragma unroll
    for (uint32_t i = 0; i < LT; i++) {
        const uint32_t row = limb + LT * it + i;
        if (row < args.limbs) {
            const hb_montgomery32 m = args.moduli[row];
            words<NT> r;
#pragma unroll
            for (int j = 0; j < NT; j++) {
                r.of[j] = hb_montgomery32_canonical(hb_montgomery32_reduce(sum[i][j], m), m);
            }
            *reinterpret_cast<words<NT> *>(args.to + ((size_t)row << args.log_n) + column) = r;
        }
    }
}

struct instance {
    hb_cheddar_blocking blocking;
    void (*kernel)(arguments);
};

template <int LB, int LT, int NT> constexpr instance instance_of = {{LB, LT, NT}, convert<LB, LT, NT>};

#define ALL_LT(lb, nt)                                                                              \
    instance_of<lb, 1, nt>, instance_of<lb, 2, nt>, instance_of<lb, 3, nt>, instance_of<lb, 4, nt>, \
        instance_of<lb, 6, nt>, instance_of<lb, 8, nt>
const instance instances[] = {ALL_LT(1, 1), ALL_LT(1, 2), ALL_LT(1, 4), ALL_LT(1, 8), ALL_LT(2, 4), ALL_LT(4, 4)};

const instance *find(hb_cheddar_blocking b)
{
    for (const instance &i : instances) {
        if (i.blocking.lb == b.lb && i.blocking.lt == b.lt && i.blocking.nt == b.nt) {
            return &i;
        }
    }
    return NULL;
}

struct work {
    const instance *kernel;
    arguments args;
    uint64_t constants[HB_RING_MAX_MODULI][most_from]; /* P / P_j mod Q_i */
    void *a, *to, *matrix, *moduli;
};

void fill_constants(work *w, const hb_design_case *c)
{
    for (uint32_t i = 0; i < w->args.limbs; i++) {
        const uint64_t q = c->primes[w->args.from + i];
        for (uint32_t j = 0; j < w->args.from; j++) {
            uint64_t product = 1;
            for (uint32_t k = 0; k < w->args.from; k++) {
                product = k == j ? product : product * (c->primes[k] % q) % q;
            }
            w->constants[i][j] = product;
        }
    }
}

/* matrix: room for [limbs][from]. */
hb_status upload(work *w, const hb_design_case *c, int32_t *matrix)
{
    hb_montgomery32 moduli[HB_RING_MAX_MODULI];
    for (uint32_t i = 0; i < w->args.limbs; i++) {
        const uint64_t q = c->primes[w->args.from + i];
        moduli[i] = hb_montgomery32_make(q);
        for (uint32_t j = 0; j < w->args.from; j++) {
            matrix[i * w->args.from + j] = hb_montgomery32_factor(w->constants[i][j], q);
        }
    }
    HB_TRY(hb_table_upload(moduli, w->args.limbs * sizeof *moduli, &w->moduli));
    HB_TRY(hb_table_upload(matrix, w->args.limbs * w->args.from * sizeof *matrix, &w->matrix));
    w->args.moduli = static_cast<const hb_montgomery32 *>(w->moduli);
    w->args.matrix = static_cast<const int32_t *>(w->matrix);
    return HB_OK;
}

hb_status prepare(work *w, const hb_design_case *c, void *stream)
{
    int32_t matrix[HB_RING_MAX_MODULI * most_from];
    hb_design_case source = *c;
    source.moduli = w->args.from;
    source.count = 1;
    HB_TRY(upload(w, c, matrix));
    HB_TRY(hb_gpu_alloc((size_t)w->args.from << (c->log_n + 2), &w->a));
    HB_TRY(hb_gpu_alloc((size_t)w->args.limbs << (c->log_n + 2), &w->to));
    w->args.a = static_cast<const int32_t *>(w->a);
    w->args.to = static_cast<int32_t *>(w->to);
    return hb_gpu_fill(w->a, sizeof(int32_t), &source, 0, stream);
}

hb_status once(void *argument, void *stream)
{
    work *w = static_cast<work *>(argument);
    const hb_cheddar_blocking b = w->kernel->blocking;
    const uint32_t columns = block_threads / b.lb * b.nt, rows = b.lb * b.lt;
    void *parameters[] = {&w->args};
    const dim3 blocks((1u << w->args.log_n) / columns, (w->args.limbs + rows - 1) / rows);
    HB_CUDA(cudaLaunchKernel(reinterpret_cast<const void *>(w->kernel->kernel), blocks, dim3(block_threads), parameters,
                             0, static_cast<cudaStream_t>(stream)));
    return HB_OK;
}

/* Every limb, at coefficients that are in all places of a block. */
hb_status compare(const work *w, const hb_design_case *c, const int32_t *to)
{
    const size_t n = (size_t)1 << c->log_n, step = 61;
    for (uint32_t i = 0; i < w->args.limbs; i++) {
        const uint64_t q = c->primes[w->args.from + i];
        for (size_t x = 0; x < n; x += step) {
            uint64_t sum = 0;
            for (uint32_t j = 0; j < w->args.from; j++) {
                sum += hb_words_at(0, j * n + x, c->primes[j]) * w->constants[i][j] % q;
            }
            if ((uint64_t)to[i * n + x] != sum % q) {
                return HB_FAIL(HB_EINTERNAL,
                               "Cheddar's base conversion differs from the host's at coefficient %zu of limb %u", x, i);
            }
        }
    }
    return HB_OK;
}

void clear(work *w)
{
    hb_gpu_free(w->a);
    hb_gpu_free(w->to);
    (void)cudaFree(w->matrix);
    (void)cudaFree(w->moduli);
}

hb_status check(work *w, const hb_design_case *c)
{
    const size_t bytes = (size_t)w->args.limbs << (c->log_n + 2);
    int32_t *to = static_cast<int32_t *>(malloc(bytes));
    hb_status st = HB_OK;
    HB_GOTO(to != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to compare a base conversion with the host"));
    HB_GOTO(once(w, NULL));
    HB_GOTO(hb_gpu_fetch(to, w->to, bytes, NULL));
    HB_GOTO(compare(w, c, to));
done:
    free(to);
    return st;
}
} /* namespace */

hb_status hb_cheddar_convert_time(hb_figure_run *run, const hb_design_case *c, uint32_t from,
                                  hb_cheddar_blocking blocking, double *seconds)
{
    work w = {};
    hb_status st = HB_OK;
    w.kernel = find(blocking);
    HB_ASSERT(w.kernel != NULL && from <= most_from && c->bits + 4 <= 32 && c->log_n >= 11);
    w.args.from = from;
    w.args.limbs = c->moduli - from;
    w.args.log_n = c->log_n;
    fill_constants(&w, c);
    HB_GOTO(prepare(&w, c, NULL));
    HB_GOTO(check(&w, c));
    HB_GOTO(hb_figure_time(run, once, &w, seconds));
done:
    clear(&w);
    return st;
}
