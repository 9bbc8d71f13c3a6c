/* Cheddar's transform as designs: tuned, with twiddles on the fly, and the sweep of its figure 1. */
#include <new>

#include "ntt_cheddar.cuh"
#include "tables.cuh"

extern "C" {
#include "cheddar.h"
}

namespace
{
/* A kernel, both ways. */
struct half {
    void (*kernel[2])(hb_cheddar_args); /* inverse, forward */
    unsigned threads;
    uint32_t log_words; /* of a block */
};

struct split {
    uint32_t log_n1;
    bool on_the_fly; /* factors of the rows */
    half columns, rows;
};

template <class SHAPE> constexpr half half_of()
{
    return {{hb_cheddar_kernel<SHAPE, false>, hb_cheddar_kernel<SHAPE, true>},
            SHAPE::threads,
            SHAPE::log_len + SHAPE::log_transforms};
}

constexpr int log2_of(int power)
{
    return power == 1 ? 0 : 1 + log2_of(power / 2);
}

/* G1, G2, B as in the paper; N1 for N1 columns' transforms. */
template <int N1, int N2, int G1, int G2, int B, bool FLY = false>
constexpr split split_of = {log2_of(N1), FLY,
                            half_of<hb_cheddar_shape<false, log2_of(N1), log2_of(G1), log2_of(B), false>>(),
                            half_of<hb_cheddar_shape<true, log2_of(N2), log2_of(G2), 0, FLY>>()};

constexpr uint32_t min_log_n = 12, max_log_n = 17;

/* The paper tunes N = 2^16: rows of 512 with G = 8, columns with G = 16 and B = 16. Others keep its rows; columns of
 * up to 32 words are one phase of a thread, so nothing but the pieces in which they read asks for a B. */
template <bool FLY>
constexpr const split *tuned[] = {&split_of<8, 512, 8, 8, 64, FLY>,    &split_of<16, 512, 16, 8, 64, FLY>,
                                  &split_of<32, 512, 32, 8, 64, FLY>,  &split_of<64, 512, 8, 8, 16, FLY>,
                                  &split_of<128, 512, 16, 8, 16, FLY>, &split_of<256, 512, 16, 8, 16, FLY>};
template <const split *SPLIT> constexpr const split *only[] = {SPLIT};

struct state {
    const split *kernels;
    size_t limbs;
    size_t table_words; /* of a modulus */
    void *moduli, *tables[2];
    hb_cheddar_args args; /* without data and factors */
};

/* Words of a modulus' table, in the order of hb_cheddar_args: w, and on the fly low and high. */
size_t words_of(const split *s, uint32_t log_n)
{
    const size_t n = (size_t)1 << log_n;
    return !s->on_the_fly ? n : ((size_t)1 << s->log_n1) + (1u << HB_CHEDDAR_LOG_LOW) + (n >> HB_CHEDDAR_LOG_LOW);
}

void fill_modulus(const state *s, const uint64_t *w, uint64_t q, uint64_t scale, int32_t *to)
{
    const size_t n = (size_t)1 << s->args.log_n, low = (size_t)1 << HB_CHEDDAR_LOG_LOW;
    const size_t plain = s->kernels->on_the_fly ? (size_t)1 << s->args.log_n1 : n;
    for (size_t i = 0; i < plain; i++) {
        const uint64_t factor = i == 0 ? scale : i == 1 ? w[1] * scale % q : w[i]; /* below 2^60 */
        to[i] = hb_montgomery32_factor(factor, q);
    }
    for (size_t i = 0; s->kernels->on_the_fly && i < low; i++) {
        to[plain + i] = hb_montgomery32_factor(w[i], q);
    }
    for (size_t i = 0; s->kernels->on_the_fly && i < n / low; i++) {
        to[plain + low + i] = hb_montgomery32_factor(w[i * low], q);
    }
}

/* words: room for [moduli][n], host: for [moduli][table_words]. */
hb_status fill(state *s, const hb_design_case *c, uint64_t *words, int32_t *host)
{
    uint64_t n_inverse[HB_RING_MAX_MODULI];
    hb_montgomery32 moduli[HB_RING_MAX_MODULI];
    HB_ASSERT(c->moduli <= HB_RING_MAX_MODULI);
    HB_TRY(hb_table_n_inverse(c, n_inverse));
    for (uint32_t l = 0; l < c->moduli; l++) {
        moduli[l] = hb_montgomery32_make(c->primes[l]);
    }
    HB_TRY(hb_table_upload(moduli, c->moduli * sizeof *moduli, &s->moduli));
    for (int forward = 0; forward < 2; forward++) {
        HB_TRY(hb_table_words(c, forward != 0, HB_SCALE_APART, words));
        for (uint32_t l = 0; l < c->moduli; l++) {
            fill_modulus(s, words + ((size_t)l << c->log_n), c->primes[l], forward != 0 ? 1 : n_inverse[l],
                         host + l * s->table_words);
        }
        HB_TRY(hb_table_upload(host, c->moduli * s->table_words * sizeof *host, &s->tables[forward]));
    }
    return HB_OK;
}

void close(void *opaque)
{
    state *s = static_cast<state *>(opaque);
    if (s != NULL) {
        cudaFree(s->moduli);
        cudaFree(s->tables[0]);
        cudaFree(s->tables[1]);
        delete s;
    }
}

hb_status open(const hb_design *design, const hb_design_case *c, void **out)
{
    *out = NULL;
    state *s = new (std::nothrow) state();
    uint64_t *words = NULL;
    int32_t *host = NULL;
    hb_status st = HB_OK;
    HB_GOTO(s != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a design"));
    s->kernels = static_cast<const split *const *>(design->variant)[c->log_n - design->min_log_n];
    s->limbs = c->count * c->moduli;
    s->table_words = words_of(s->kernels, c->log_n);
    s->args.count = c->moduli;
    s->args.stride = (uint32_t)s->table_words;
    s->args.log_n = c->log_n;
    s->args.log_n1 = s->kernels->log_n1;
    words = new (std::nothrow) uint64_t[(size_t)c->moduli << c->log_n];
    host = new (std::nothrow) int32_t[c->moduli * s->table_words];
    HB_GOTO(words != NULL && host != NULL ? HB_OK
                                          : HB_FAIL(HB_ENOMEM, "no memory for twiddles of %u moduli", c->moduli));
    HB_GOTO(fill(s, c, words, host));
    *out = s;
    s = NULL;
done:
    delete[] words;
    delete[] host;
    close(s);
    return st;
}

hb_status launch(const state *s, const half *kernel, hb_cheddar_args *args, bool forward, cudaStream_t stream)
{
    void *parameters[] = {args};
    const dim3 blocks((unsigned)(s->limbs << (args->log_n - kernel->log_words)));
    HB_CUDA(cudaLaunchKernel(reinterpret_cast<const void *>(kernel->kernel[forward]), blocks, dim3(kernel->threads),
                             parameters, 0, stream));
    return HB_OK;
}

hb_status transform(void *opaque, void *data, bool forward, void *stream)
{
    const state *s = static_cast<const state *>(opaque);
    hb_cheddar_args args = s->args;
    args.data = static_cast<int32_t *>(data);
    args.moduli = static_cast<const hb_montgomery32 *>(s->moduli);
    args.w = static_cast<const int32_t *>(s->tables[forward]);
    args.low = args.w + ((size_t)1 << args.log_n1);
    args.high = args.low + (1 << HB_CHEDDAR_LOG_LOW);
    const half *const columns = &s->kernels->columns, *const rows = &s->kernels->rows;
    HB_TRY(launch(s, forward ? columns : rows, &args, forward, static_cast<cudaStream_t>(stream)));
    return launch(s, forward ? rows : columns, &args, forward, static_cast<cudaStream_t>(stream));
}

size_t table_bytes(const void *opaque)
{
    return static_cast<const state *>(opaque)->table_words * sizeof(int32_t);
}

constexpr hb_design design_of(const char *name, const char *title, const char *source, uint32_t min, uint32_t max,
                              const void *variant)
{
    return {name,      title, source, sizeof(int32_t), HB_MONTGOMERY32_MOST_BITS, min, max, false, false, variant, open,
            transform, NULL,  close,  table_bytes};
}
} /* namespace */

const hb_design hb_designs_cheddar[] = {
    design_of("cheddar", "Cheddar: 32-bit signed Montgomery, two kernels", "Cheddar, section 4.1", min_log_n, max_log_n,
              tuned<false>),
    design_of("cheddar-on-the-fly", "Cheddar, twiddles of the rows on the fly", "Cheddar, section 4.1", min_log_n,
              max_log_n, tuned<true>),
    {},
};

#define SWEEP(n1, n2, g1, g2, b)                                                                              \
    design_of("cheddar-" #n1 "x" #n2 "-" #g1 "-" #g2 "-" #b,                                                  \
              "Cheddar, " #n1 " x " #n2 ", G1 = " #g1 ", G2 = " #g2 ", B = " #b, "Cheddar, figure 1", 16, 16, \
              only<&split_of<n1, n2, g1, g2, b>>)
/* For a split, the granularities from which figure 1 (a) takes the best. */
#define SWEEP_GRANULARITIES(n1, n2) \
    SWEEP(n1, n2, 8, 8, 16), SWEEP(n1, n2, 8, 16, 16), SWEEP(n1, n2, 16, 8, 16), SWEEP(n1, n2, 16, 16, 16)

const hb_design hb_designs_cheddar_sweep[] = {
    SWEEP_GRANULARITIES(32, 2048), SWEEP_GRANULARITIES(64, 1024), SWEEP_GRANULARITIES(128, 512),
    SWEEP_GRANULARITIES(256, 256), SWEEP_GRANULARITIES(512, 128), SWEEP(128, 512, 4, 4, 16),
    SWEEP(128, 512, 4, 8, 16),     SWEEP(128, 512, 4, 16, 16),    SWEEP(128, 512, 8, 4, 16),
    SWEEP(128, 512, 16, 4, 16),    SWEEP(128, 512, 16, 8, 4),     SWEEP(128, 512, 16, 8, 8),
    SWEEP(128, 512, 16, 8, 32),    SWEEP(128, 512, 16, 8, 64),    {},
};
