/* Sums of products and multiples of ciphertexts: every word of an operand is read once, and the sums stay in
 * registers. */
#include "tensor_sum.h"

#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"
#include "term_sums.cuh"

namespace
{
/* Ciphertexts of two components, or a component: polynomials `stride` apart. */
struct sum_operand {
    const uint64_t *data;
    size_t stride;
};

/* The arguments of a launch. */
struct sum_args {
    sum_operand a[HB_SUM_PRODUCTS], b[HB_SUM_PRODUCTS], c[HB_SUM_MULTIPLES];
    uint32_t products, multiples, count; /* count: ciphertexts */
    bool twice;
    hb_cuda_words weights[HB_SUM_MULTIPLES], number;
};
} /* namespace */

__device__ static __forceinline__ hb_pair load_summand(const sum_operand &a, size_t polynomial, size_t place)
{
    return hb_pair_load_shared(a.data + polynomial * a.stride + place);
}

/* Sums of a pair of words of COMPONENTS components, and the number of products below 2^99 added to each since the last
 * reduction. */
template <class A, uint32_t COMPONENTS> struct pair_sums {
    typename A::sum of[COMPONENTS][2];
    uint32_t used;

    /* Makes room for `more` products. A fold leaves as much as two products. */
    __device__ __forceinline__ void make_room(uint32_t more, const typename A::prime &p)
    {
        used += more;
        if (used <= A::most) { /* the same for all threads */
            return;
        }
        used = more + 2;
#pragma unroll
        for (uint32_t i = 0; i < COMPONENTS * 2; i++) {
            A::fold(of[i / 2][i % 2], p);
        }
    }
};

/* Adds a product of ciphertexts. */
template <class A>
__device__ static __forceinline__ void add_product(pair_sums<A, 3> &sums, const sum_args &x, uint32_t t, uint32_t c,
                                                   size_t place, const typename A::prime &p)
{
    const hb_pair a[2] = {load_summand(x.a[t], c, place), load_summand(x.a[t], x.count + c, place)};
    const hb_pair b[2] = {load_summand(x.b[t], c, place), load_summand(x.b[t], x.count + c, place)};
    sums.make_room(x.twice ? 4 : 2, p);
#pragma unroll
    for (uint32_t w = 0; w < 2; w++) {
        const typename A::word u[2] = {A::balanced(a[0].of[w], p), A::balanced(a[1].of[w], p)};
        typename A::word v[2] = {A::canonical(b[0].of[w]), A::canonical(b[1].of[w])};
        if (x.twice) {
            v[0] += v[0];
            v[1] += v[1];
        }
        A::add(sums.of[0][w], u[0], v[0]);
        A::add(sums.of[1][w], u[0], v[1]);
        A::add(sums.of[1][w], u[1], v[0]);
        A::add(sums.of[2][w], u[1], v[1]);
    }
}

/* A tile of limb blockIdx.y of all components of a ciphertext. */
template <class A, uint32_t COMPONENTS>
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    tensor_sum_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ sum_args x,
                      const hb_modulus *moduli)
{
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n);
    const typename A::prime p = A::prime_of(moduli[r.ids[l]]);
    hb_cuda_begin();
#pragma unroll 1
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const size_t j = hb_pair_place(r.log_n, v), place = ((size_t)l << r.log_n) + j;
        pair_sums<A, COMPONENTS> sums = {};
#pragma unroll
        for (uint32_t i = 0; i < COMPONENTS * 2; i++) {
            sums.of[i / 2][i % 2] = A::zero();
        }
        if constexpr (COMPONENTS == 3) {
            for (uint32_t t = 0; t < x.products; t++) {
                add_product<A>(sums, x, t, c, place, p);
            }
        }
        for (uint32_t t = 0; t < x.multiples; t++) {
            const hb_pair y[2] = {load_summand(x.c[t], c, place), load_summand(x.c[t], x.count + c, place)};
            const typename A::word weight = A::canonical(x.weights[t].of[l]);
            sums.make_room(1, p);
#pragma unroll
            for (uint32_t i = 0; i < 4; i++) {
                A::add(sums.of[i / 2][i % 2], A::balanced(y[i / 2].of[i % 2], p), weight);
            }
        }
#pragma unroll
        for (uint32_t k = 0; k < COMPONENTS; k++) {
            hb_pair z;
#pragma unroll
            for (uint32_t w = 0; w < 2; w++) {
                z.of[w] = A::residue(sums.of[k][w], p);
                z.of[w] = k == 0 ? hb_mod_add(z.of[w], x.number.of[l], &p.m) : z.of[w];
            }
            hb_pair_store(hb_cuda_row(r, k * x.count + c, l) + j, z);
        }
    }
}

static sum_operand operand_of(const hb_engine *e, hb_batch a)
{
    const hb_cuda_view view = hb_cuda_view_of(e, a);
    return {view.data, view.stride};
}

hb_status hb_cuda_tensor_sum(hb_engine *engine, hb_batch r, const hb_tensor_sum_operands *x)
{
    const hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_view to = hb_cuda_view_of(engine, r);
    sum_args args = {};
    bool exact = e->gpu->device.fast_f64;
    for (uint32_t l = 0; l < r.limbs; l++) {
        exact = exact && e->base.ring->moduli[r.ids[l]].f64;
    }
    args.products = x->products;
    args.multiples = x->multiples;
    args.twice = x->twice;
    args.count = to.count / (x->products > 0 ? 3 : 2);
    for (uint32_t t = 0; t < x->products; t++) {
        args.a[t] = operand_of(engine, x->a[t]);
        args.b[t] = operand_of(engine, x->b[t]);
    }
    for (uint32_t t = 0; t < x->multiples; t++) {
        args.c[t] = operand_of(engine, x->c[t]);
        args.weights[t] = hb_cuda_words_of(x->weights[t], r.limbs);
    }
    if (x->number != NULL) {
        args.number = hb_cuda_words_of(x->number, r.limbs);
    }
    const auto kernel = x->products > 0
                            ? (exact ? tensor_sum_kernel<hb_exact_terms, 3> : tensor_sum_kernel<hb_integer_terms, 3>)
                            : (exact ? tensor_sum_kernel<hb_exact_terms, 2> : tensor_sum_kernel<hb_integer_terms, 2>);
    const dim3 tiles(args.count << (to.log_n - HB_TILE_LOG_WORDS), to.limbs);
    return hb_cuda_start(e, kernel, tiles, HB_PAIR_THREADS, 0, to, args, e->gpu->moduli);
}
