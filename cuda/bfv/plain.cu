/* Conversions between plaintext and ciphertext moduli (ring/plain_arith.h). A thread keeps its message words in
 * registers while it goes through the limbs, so that each word is read once. */
#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"

extern "C" {
#include "ring/bfv_ops.h"
}
#include "ring/plain_arith.h"

/* Constants of scaling a message up (ring/bfv_ops.h), with Shoup's quotient of the remainder. */
struct scaling {
    uint64_t remainder, remainder_quotient, half;
    bool minus;
    hb_cuda_words delta;
};

/* r += or -= the scaled message: delta x + fix modulo each limb (semantics.md 4.4). r is read and written in place. The
 * bound asks for four blocks of a multiprocessor at once: without it the two arithmetics take registers for three. */
__global__ void __launch_bounds__(HB_PAIR_THREADS, 4)
    add_scaled_kernel(hb_cuda_view r, hb_cuda_view plain, scaling k, const hb_modulus *moduli, bool fast_f64)
{
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n);
    const hb_modulus t = moduli[plain.ids[0]];
    const bool t_f64 = fast_f64 && t.f64;
    hb_pair x[HB_PAIRS], fix[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        /* fix depends on the message only: it is computed once for all limbs. */
        x[v] = hb_pair_load(hb_cuda_row(plain, c, 0) + hb_pair_place(r.log_n, v));
        for (uint32_t i = 0; i < 2; i++) {
            fix[v].of[i] = t_f64 ? hb_plain_fix_f64(x[v].of[i], k.remainder, k.half, &t)
                                 : hb_plain_fix(x[v].of[i], k.remainder, k.remainder_quotient, k.half, t.value);
        }
    }
    /* Limbs one after the other, with the message and its fix in registers. */
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const hb_modulus q = moduli[r.ids[l]];
        const bool f64 = t_f64 && q.f64;
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            uint64_t *to = hb_cuda_row(r, c, l) + hb_pair_place(r.log_n, v);
            hb_pair y = hb_pair_load(to);
            for (uint32_t i = 0; i < 2; i++) {
                y.of[i] = k.minus ? hb_mod_negate(y.of[i], &q) : y.of[i]; /* y - v = -(-y + v) */
                y.of[i] = f64 ? hb_plain_add_scaled_f64(y.of[i], x[v].of[i], fix[v].of[i], k.delta.of[l], &q)
                              : hb_plain_add_scaled(y.of[i], x[v].of[i], fix[v].of[i], k.delta.of[l], &q);
                y.of[i] = k.minus ? hb_mod_negate(y.of[i], &q) : y.of[i];
            }
            hb_pair_store(to, y);
        }
    }
}

/* Where the batch is small, several rows of the grid share the limbs, each making the fix again. */
static hb_status add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                   hb_sign sign)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    const uint64_t t = e->ring->moduli[constants->plain_id].value;
    const scaling k = {constants->remainder, hb_shoup_quotient(constants->remainder, t), constants->half,
                       sign == HB_MINUS, hb_cuda_words_of(constants->delta, r.limbs)};
    const dim3 blocks = hb_cuda_share_limbs(hb_cuda(e), hb_cuda_tiles(to, 1).x, to.limbs);
    return hb_cuda_start(hb_cuda(e), add_scaled_kernel, blocks, HB_PAIR_THREADS, 0, to, hb_cuda_view_for_all(e, plain),
                         k, gpu->moduli, gpu->device.fast_f64);
}

/* Constants of lifting a plaintext (semantics.md 6.6). */
struct lifting {
    uint64_t half, t;
    const unsigned long long *zeros; /* of each polynomial; NULL: monomials are no exception */
};

/* Lifts words of a plaintext modulo t to every limb (semantics.md 6.6): words from `half` on stand for themselves minus
 * t, except where a polynomial has a single term. A plain launch waits for the one before, which counts the zeros. */
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    lift_kernel(hb_cuda_view r, hb_cuda_view plain, lifting k, const hb_modulus *moduli)
{
    const uint32_t c = hb_tile_polynomial(r.log_n);
    const bool keep = k.zeros != NULL && k.zeros[c] == (1u << r.log_n) - 1;
    const uint64_t bound = keep ? k.t : k.half; /* words are below t */
    hb_pair x[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        x[v] = hb_pair_load(hb_cuda_row(plain, c, 0) + hb_pair_place(r.log_n, v));
    }
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus q = moduli[r.ids[l]];
        /* -t mod q, once for each limb. */
        const uint64_t minus_t = hb_mod_negate(hb_mod_reduce(k.t, &q), &q);
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            hb_pair z;
            for (uint32_t i = 0; i < 2; i++) {
                z.of[i] = hb_plain_lift_word(hb_mod_reduce(x[v].of[i], &q), x[v].of[i], bound, minus_t, q.value);
            }
            hb_pair_store(hb_cuda_row(r, c, l) + hb_pair_place(r.log_n, v), z);
        }
    }
}

/* Lifts plaintexts in as many launches as the staging memory has room for counts of zeros. The terms are counted on the
 * GPU, and the host does not learn how many they are: nothing waits, so this can be recorded. */
static hb_status lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    lifting k = {constants->half, e->ring->moduli[constants->plain_id].value, NULL};
    const size_t most = HB_CUDA_STAGE_BYTES / sizeof *k.zeros;
    for (size_t done = 0; done < r.count; done += most) {
        const size_t count = r.count - done < most ? r.count - done : most;
        const hb_batch from = hb_batch_slice(plain, done, count);
        if (constants->keep_monomials) {
            void *there;
            HB_TRY(hb_cuda_staging(cuda, count * sizeof *k.zeros, NULL, &there));
            /* The count is for the next kernel of this stream, which reads it where it is. */
            HB_TRY(hb_cuda_zeros(e, from, static_cast<unsigned long long *>(there), true));
            k.zeros = static_cast<unsigned long long *>(there);
        }
        const hb_cuda_view to = hb_cuda_view_of(e, hb_batch_slice(r, done, count));
        lift_kernel<<<hb_cuda_tiles(to, 1), HB_PAIR_THREADS, 0, cuda->stream>>>(to, hb_cuda_view_of(e, from), k,
                                                                                cuda->gpu->moduli);
        HB_CUDA_LAUNCHED();
    }
    return HB_OK;
}

/* The last step of decryption (hb_gamma_word), from limbs t and gamma of `a` to the limb t of r. */
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    gamma_kernel(hb_cuda_view r, hb_cuda_view a, hb_gamma_factors factors, const hb_modulus *moduli)
{
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n);
    const hb_modulus t = moduli[a.ids[0]];
    const uint64_t gamma = moduli[a.ids[1]].value;
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        const hb_pair x = hb_pair_load(hb_cuda_row(a, c, 0) + j), y = hb_pair_load(hb_cuda_row(a, c, 1) + j);
        const hb_pair z = {{hb_gamma_word(x.of[0], y.of[0], &factors, &t, gamma),
                            hb_gamma_word(x.of[1], y.of[1], &factors, &t, gamma)}};
        hb_pair_store(hb_cuda_row(r, c, 0) + j, z);
    }
}

/* The factors go by value: they are the same for all words. */
static hb_status gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    const hb_modulus *moduli = e->ring->moduli;
    const hb_gamma_factors factors =
        hb_gamma_factors_of(constants->negative_inverse_q, constants->inverse_gamma, moduli[constants->plain_id].value,
                            moduli[constants->gamma_id].value);
    return hb_cuda_start(hb_cuda(e), gamma_kernel, hb_cuda_tiles(to, 1), HB_PAIR_THREADS, 0, to, hb_cuda_view_of(e, a),
                         factors, hb_cuda(e)->gpu->moduli);
}

static constexpr hb_bfv_ops make_ops()
{
    hb_bfv_ops ops = {};
    ops.add_scaled_plain = hb_on_gpu<add_scaled_plain>::call;
    ops.lift_plain = hb_on_gpu<lift_plain>::call;
    ops.gamma_correct = hb_on_gpu<gamma_correct>::call;
    return ops;
}

constexpr hb_bfv_ops hb_cuda_bfv_ops = make_ops();
