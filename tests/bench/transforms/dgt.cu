/* The discrete Galois transform as designs: with the operator %, which the paper takes for all reductions (section
 * 6.2), and with Montgomery's reduction, to tell the transform from its arithmetic.
 *
 * Primes = 1 mod 4 (Crandall's are 3 mod 4; [ABBA18] generalises): with I = psi^(N/2), I^2 = -1, Z_p[i] is Z_p x
 * Z_p by i -> I and i -> -I, and h, an M-th root of i, has the images psi and 1/psi: their M = N/2-th powers are I and
 * 1/I = -I. So h^j = (psi^j + psi^-j) / 2 + (psi^j - psi^-j) / (2 I) i. g = psi^4 has order M. */
#include <new>

#include "dgt.cuh"
#include "tables.cuh"

namespace
{
template <typename R> struct state {
    hb_dgt_args<R> args; /* without data and tables */
    size_t limbs;
    void *moduli, *powers[2], *twists[2]; /* inverse, forward */
};

/* p below 2^31: any product of two words fits one. */
struct roots {
    uint64_t p, psi, inverse, half, half_over_i; /* 1/2 and 1/(2 I) modulo p */
    uint64_t scale;                              /* of twists */
};

hb_status roots_of(const hb_design_case *c, uint32_t l, bool forward, roots *r)
{
    hb_modulus m;
    HB_TRY(hb_modulus_init(&m, c->primes[l]));
    const uint64_t psi = c->roots[l], n = (uint64_t)1 << c->log_n, i = hb_mod_pow(psi, n / 2, &m);
    *r = {m.value, psi, hb_mod_inverse(psi, &m), hb_mod_inverse(2, &m), hb_mod_inverse(2 * i, &m), 1};
    if (!forward) { /* powers of 1/h: psi and its inverse change places */
        r->psi = r->inverse;
        r->inverse = psi;
        r->scale = hb_mod_inverse(n / 2, &m);
    }
    return HB_OK;
}

/* [M] each. Reductions that want factors in a form of their own (Montgomery) get them: transformed words are in that
 * form since the forward twist, whose factors have it twice, and leave it with the inverse one, whose factors are
 * plain. */
template <typename R>
void fill_modulus(const roots *r, bool forward, uint32_t log_m, typename R::word *powers, hb_gauss<R> *twists)
{
    using word = typename R::word;
    const typename R::constants c = R::make_constants(r->p);
    const auto form = [&](uint64_t w) { return forward ? R::make_twiddle(R::make_twiddle(w, c), c) : (word)w; };
    const uint64_t square = r->psi * r->psi % r->p, g = square * square % r->p;
    uint64_t power = 1, a = r->scale, b = r->scale; /* g^j; scale psi^j, scale psi^-j */
    for (size_t j = 0; j < (size_t)1 << log_m; j++) {
        powers[j] = R::make_twiddle(power, c);
        twists[j] = {form((a + b) * r->half % r->p), form((a + r->p - b) * r->half_over_i % r->p)};
        power = power * g % r->p;
        a = a * r->psi % r->p;
        b = b * r->inverse % r->p;
    }
}

/* powers, twists: room for [moduli][M]. */
template <typename R>
hb_status fill(state<R> *s, const hb_design_case *c, typename R::word *powers, hb_gauss<R> *twists)
{
    typename R::constants moduli[HB_RING_MAX_MODULI];
    const size_t words = (size_t)c->moduli << s->args.log_m;
    HB_ASSERT(c->moduli <= HB_RING_MAX_MODULI);
    for (uint32_t l = 0; l < c->moduli; l++) {
        moduli[l] = R::make_constants(c->primes[l]);
    }
    HB_TRY(hb_table_upload(moduli, c->moduli * sizeof *moduli, &s->moduli));
    for (int forward = 0; forward < 2; forward++) {
        for (uint32_t l = 0; l < c->moduli; l++) {
            const size_t at = (size_t)l << s->args.log_m;
            roots r;
            HB_TRY(roots_of(c, l, forward != 0, &r));
            fill_modulus<R>(&r, forward != 0, s->args.log_m, powers + at, twists + at);
        }
        HB_TRY(hb_table_upload(powers, words * sizeof *powers, &s->powers[forward]));
        HB_TRY(hb_table_upload(twists, words * sizeof *twists, &s->twists[forward]));
    }
    return HB_OK;
}

template <typename R> void close(void *opaque)
{
    auto *s = static_cast<state<R> *>(opaque);
    if (s != NULL) {
        cudaFree(s->moduli);
        for (int forward = 0; forward < 2; forward++) {
            cudaFree(s->powers[forward]);
            cudaFree(s->twists[forward]);
        }
        delete s;
    }
}

template <typename R> hb_status open(const hb_design *, const hb_design_case *c, void **out)
{
    *out = NULL;
    const size_t words = (size_t)c->moduli << (c->log_n - 1);
    auto *s = new (std::nothrow) state<R>();
    auto *powers = new (std::nothrow) typename R::word[words];
    auto *twists = new (std::nothrow) hb_gauss<R>[words];
    hb_status st = HB_OK;
    HB_GOTO(s != NULL && powers != NULL && twists != NULL
                ? HB_OK
                : HB_FAIL(HB_ENOMEM, "no memory for twiddles of %u moduli", c->moduli));
    s->args.count = c->moduli;
    s->args.log_m = c->log_n - 1;
    s->limbs = c->count * c->moduli;
    HB_GOTO(fill<R>(s, c, powers, twists));
    *out = s;
    s = NULL;
done:
    delete[] powers;
    delete[] twists;
    close<R>(s);
    return st;
}

template <typename R> using kernel = void (*)(hb_dgt_args<R>);

template <typename R, bool FORWARD>
constexpr kernel<R> columns[] = {hb_dgt_columns<R, 1, FORWARD>, hb_dgt_columns<R, 2, FORWARD>,
                                 hb_dgt_columns<R, 3, FORWARD>, hb_dgt_columns<R, 4, FORWARD>,
                                 hb_dgt_columns<R, 5, FORWARD>};

template <typename R>
hb_status launch(kernel<R> which, size_t blocks, unsigned threads, hb_dgt_args<R> *args, cudaStream_t stream)
{
    void *parameters[] = {args};
    HB_CUDA(cudaLaunchKernel(reinterpret_cast<const void *>(which), dim3((unsigned)blocks), dim3(threads), parameters,
                             0, stream));
    return HB_OK;
}

template <typename R, bool FORWARD> hb_status direct(const state<R> *s, hb_dgt_args<R> *args, cudaStream_t stream)
{
    constexpr int log_row = HB_DGT_LOG_ROW;
    constexpr unsigned row_threads = 1u << (log_row - 3);
    if (args->log_m == log_row - 1) {
        return launch<R>(hb_dgt_rows<R, log_row - 1, true, FORWARD>, s->limbs, row_threads / 2, args, stream);
    }
    if (args->log_m == log_row) {
        return launch<R>(hb_dgt_rows<R, log_row, true, FORWARD>, s->limbs, row_threads, args, stream);
    }
    const uint32_t log_a = args->log_m - log_row;
    const size_t column_blocks = s->limbs * ((1u << log_row) / HB_DGT_COLUMN_THREADS);
    if (FORWARD) {
        HB_TRY(launch<R>(columns<R, FORWARD>[log_a - 1], column_blocks, HB_DGT_COLUMN_THREADS, args, stream));
    }
    HB_TRY(launch<R>(hb_dgt_rows<R, log_row, false, FORWARD>, s->limbs << log_a, row_threads, args, stream));
    if (!FORWARD) {
        HB_TRY(launch<R>(columns<R, FORWARD>[log_a - 1], column_blocks, HB_DGT_COLUMN_THREADS, args, stream));
    }
    return HB_OK;
}

template <typename R> hb_dgt_args<R> args_of(const state<R> *s, void *data, bool forward)
{
    hb_dgt_args<R> args = s->args;
    args.data = static_cast<typename R::word *>(data);
    args.moduli = static_cast<const typename R::constants *>(s->moduli);
    args.powers = static_cast<const typename R::word *>(s->powers[forward]);
    args.twists = static_cast<const hb_gauss<R> *>(s->twists[forward]);
    return args;
}

template <typename R> hb_status transform(void *opaque, void *data, bool forward, void *stream)
{
    const auto *s = static_cast<const state<R> *>(opaque);
    hb_dgt_args<R> args = args_of<R>(s, data, forward);
    const auto queue = static_cast<cudaStream_t>(stream);
    return forward ? direct<R, true>(s, &args, queue) : direct<R, false>(s, &args, queue);
}

template <typename R> hb_status multiply(void *opaque, void *a, const void *b, void *stream)
{
    const auto *s = static_cast<const state<R> *>(opaque);
    hb_dgt_args<R> args = args_of<R>(s, a, true);
    const auto *other = static_cast<const typename R::word *>(b);
    constexpr unsigned threads = 256; /* at most the points of a limb */
    void *parameters[] = {&args, &other};
    HB_CUDA(cudaLaunchKernel(reinterpret_cast<const void *>(hb_dgt_products<R>),
                             dim3((unsigned)((s->limbs << args.log_m) / threads)), dim3(threads), parameters, 0,
                             static_cast<cudaStream_t>(stream)));
    return HB_OK;
}

template <typename R> size_t table_bytes(const void *opaque)
{
    const auto *s = static_cast<const state<R> *>(opaque);
    return (sizeof(typename R::word) + sizeof(hb_gauss<R>)) << s->args.log_m;
}

template <typename R> constexpr hb_design design_of(const char *name, const char *title)
{
    return {name,
            title,
            "Al Badawi et al., section 6.3",
            sizeof(typename R::word),
            R::most_bits,
            HB_DGT_LOG_ROW,
            17,
            false,
            true,
            NULL,
            open<R>,
            transform<R>,
            multiply<R>,
            close<R>,
            table_bytes<R>};
}
} /* namespace */

const hb_design hb_designs_dgt[] = {
    design_of<hb_native<uint32_t>>("dgt", "discrete Galois transform, Stockham, %"),
    design_of<hb_montgomery<uint32_t>>("dgt-montgomery", "discrete Galois transform, Stockham, Montgomery"),
    {},
};
