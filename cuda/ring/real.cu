/* Slots to coefficients and back, coefficients to residues and back (ring/real_arith.h has the arithmetic of one
 * number).
 *
 * A transform of n = 2^k slots takes two launches, each of about half of its stages in shared memory. With i = hi 2^low
 * + lo, the high pass joins numbers of one lo, the low pass those of one hi. Between the two, number i stands at lo
 * 2^high + brev(hi): there each column of the low pass is read and written by one thread block, in place, and
 * coefficient brev(i) = brev(lo) 2^high + brev(hi) is in the same column. */
#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"

extern "C" {
#include "ring/real_ops.h"
}

#define SLOT_THREADS 256
#define SLOT_MOST_ROWS 256 /* 2^16 slots are 256 rows in either pass */

static_assert(SLOT_MOST_ROWS * SLOT_MOST_ROWS >= (1 << HB_RING_MAX_LOG_N) / 2, "two passes have all stages");

/* Returns the reals of polynomial c. */
__device__ static inline double *reals_of(hb_cuda_view a, uint32_t c)
{
    return reinterpret_cast<double *>(hb_cuda_row(a, c, 0));
}

/* A tile of complex numbers in doubles: their places in shared memory and in a batch of n numbers a polynomial, and the
 * butterfly of two. */
struct narrow_tile {
    using complex = hb_complex;
    static constexpr uint32_t log_columns = 3; /* of a tile: 64 bytes of a row */
    double re[SLOT_MOST_ROWS << log_columns], im[SLOT_MOST_ROWS << log_columns];

    __device__ complex get(uint32_t i) const
    {
        return {re[i], im[i]};
    }
    __device__ void set(uint32_t i, complex z)
    {
        re[i] = z.re;
        im[i] = z.im;
    }
    __device__ static complex root(const hb_slot_tables &tables, uint32_t n, uint32_t i)
    {
        return {__ldg(tables.twiddles + i), __ldg(tables.twiddles + n + i)};
    }
    __device__ static complex of(double real, double imaginary)
    {
        return {real, imaginary};
    }
    __device__ static hb_complex nearest(complex z)
    {
        return z;
    }
    __device__ static complex times(complex z, double factor)
    {
        return {z.re * factor, z.im * factor};
    }
    __device__ static complex read(hb_cuda_view a, uint32_t c, uint32_t n, uint32_t i)
    {
        const double *row = reals_of(a, c);
        return {row[i], row[n + i]};
    }
    __device__ static void write(hb_cuda_view r, uint32_t c, uint32_t n, uint32_t i, complex z)
    {
        double *row = reals_of(r, c);
        row[i] = z.re;
        row[n + i] = z.im;
    }
    __device__ static void join_to_slots(complex *u, complex *v, complex w)
    {
        hb_butterfly_to_slots(u, v, w);
    }
    __device__ static void join_to_coefficients(complex *u, complex *v, complex w)
    {
        hb_butterfly_to_coefficients(u, v, w);
    }
};

/* The same in double-doubles, of half as many columns: low parts are in a polynomial behind that of high parts. */
struct wide_tile {
    using complex = hb_dd_complex;
    static constexpr uint32_t log_columns = 2;
    double re[SLOT_MOST_ROWS << log_columns], im[SLOT_MOST_ROWS << log_columns];
    double re_low[SLOT_MOST_ROWS << log_columns], im_low[SLOT_MOST_ROWS << log_columns];

    __device__ complex get(uint32_t i) const
    {
        return {{re[i], re_low[i]}, {im[i], im_low[i]}};
    }
    __device__ void set(uint32_t i, complex z)
    {
        re[i] = z.re.high;
        re_low[i] = z.re.low;
        im[i] = z.im.high;
        im_low[i] = z.im.low;
    }
    __device__ static complex root(const hb_slot_tables &tables, uint32_t n, uint32_t i)
    {
        const double *t = tables.twiddles + i;
        return {{__ldg(t), __ldg(t + 2 * n)}, {__ldg(t + n), __ldg(t + 3 * n)}};
    }
    __device__ static complex of(double real, double imaginary)
    {
        return {{real, 0}, {imaginary, 0}};
    }
    __device__ static hb_complex nearest(complex z)
    {
        return {z.re.high, z.im.high};
    }
    __device__ static complex times(complex z, double factor)
    {
        return {hb_dd_shift(z.re, factor), hb_dd_shift(z.im, factor)};
    }
    __device__ static complex read(hb_cuda_view a, uint32_t c, uint32_t n, uint32_t i)
    {
        const double *high = reals_of(a, 2 * c), *low = reals_of(a, 2 * c + 1);
        return {{high[i], low[i]}, {high[n + i], low[n + i]}};
    }
    __device__ static void write(hb_cuda_view r, uint32_t c, uint32_t n, uint32_t i, complex z)
    {
        narrow_tile::write(r, 2 * c, n, i, {z.re.high, z.im.high});
        narrow_tile::write(r, 2 * c + 1, n, i, {z.re.low, z.im.low});
    }
    __device__ static void join_to_slots(complex *u, complex *v, complex w)
    {
        hb_dd_butterfly_to_slots(u, v, w);
    }
    __device__ static void join_to_coefficients(complex *u, complex *v, complex w)
    {
        hb_dd_butterfly_to_coefficients(u, v, w);
    }
};

/* A pass over tiles of rows and columns: 2^log_rows rows, which its stages join, and columns, of which a tile has
 * few. */
struct slot_pass {
    uint32_t log_rows, log_columns;
};

/* Where an element of a tile is: in the shared memory of the tile, and in the row of reals; there its conjugate may
 * be. */
struct slot_place {
    uint32_t shared, row;
    bool conjugate;
};

/* Element i of a tile on the side of slots: in both passes a piece of each row. Only the high pass has slots there, in
 * the order that `order` says, if there is one. */
template <typename tile, bool high>
__device__ static inline slot_place slots_side(slot_pass p, uint32_t first, uint32_t i, const uint32_t *order)
{
    const uint32_t column = i & ((1u << tile::log_columns) - 1), row = i >> tile::log_columns;
    const uint32_t number = (row << p.log_columns) + first + column;
    if (high && order != NULL) {
        const uint32_t slot = __ldg(order + number);
        return {i, slot / 2, slot % 2 != 0};
    }
    return {i, number, false};
}

/* On the side of coefficients. The high pass has columns one behind the other, with their rows in reversed order; the
 * low pass only reverses its rows. */
template <typename tile, bool high>
__device__ static inline slot_place coefficients_side(slot_pass p, uint32_t first, uint32_t i)
{
    if (high) {
        const uint32_t reversed = i & ((1u << p.log_rows) - 1), column = i >> p.log_rows;
        const uint32_t row = __brev(reversed) >> (32 - p.log_rows);
        return {(row << tile::log_columns) + column, ((first + column) << p.log_rows) + reversed, false};
    }
    const uint32_t column = i & ((1u << tile::log_columns) - 1), reversed = i >> tile::log_columns;
    const uint32_t row = __brev(reversed) >> (32 - p.log_rows);
    return {(row << tile::log_columns) + column, (reversed << p.log_columns) + first + column, false};
}

/* Returns where element i of 2^log_tile is kept: rows that differ in their highest bits, as neighbours in reversed
 * order do, are in different banks. */
__device__ static inline uint32_t bank(uint32_t i, uint32_t log_tile)
{
    return i ^ (i >> (log_tile - 4) & 15);
}

/* Loads and stores element i of a tile of polynomial c. Slots are doubles, coefficients those of the tile. */
template <typename tile, bool high, bool to_slots>
__device__ static inline void load_element(tile *t, hb_cuda_view a, uint32_t c, slot_place at, uint32_t log_tile)
{
    const uint32_t n = 1u << (a.log_n - 1), i = bank(at.shared, log_tile);
    if (high && !to_slots) {
        const hb_complex z = narrow_tile::read(a, c, n, at.row);
        t->set(i, tile::of(z.re, at.conjugate ? -z.im : z.im));
    } else {
        t->set(i, tile::read(a, c, n, at.row));
    }
}

template <typename tile, bool high, bool to_slots>
__device__ static inline void store_element(const tile *t, hb_cuda_view r, uint32_t c, slot_place at, uint32_t log_tile,
                                            double factor)
{
    const uint32_t n = 1u << (r.log_n - 1);
    const typename tile::complex y = tile::times(t->get(bank(at.shared, log_tile)), factor);
    if (high && to_slots) {
        const hb_complex z = tile::nearest(y);
        narrow_tile::write(r, c, n, at.row, {z.re, at.conjugate ? -z.im : z.im});
    } else {
        tile::write(r, c, n, at.row, y);
    }
}

/* One pass of a transform. A thread block has one tile. r may be a: elements of other tiles are not touched. */
template <typename tile, bool to_slots, bool high>
__global__ void __launch_bounds__(SLOT_THREADS)
    slot_kernel(hb_cuda_view r, hb_cuda_view a, slot_pass p, hb_slot_tables tables, double factor)
{
    __shared__ tile t;
    hb_cuda_begin();
    const uint32_t n = 1u << (r.log_n - 1), log_tile = p.log_rows + tile::log_columns, size = 1u << log_tile;
    const uint32_t log_tiles = p.log_columns - tile::log_columns, c = blockIdx.x >> log_tiles;
    const uint32_t first = (blockIdx.x & ((1u << log_tiles) - 1)) << tile::log_columns;
    for (uint32_t i = threadIdx.x; i < size; i += SLOT_THREADS) {
        const slot_place at =
            to_slots ? coefficients_side<tile, high>(p, first, i) : slots_side<tile, high>(p, first, i, tables.order);
        load_element<tile, high, to_slots>(&t, a, c, at, log_tile);
    }
    for (uint32_t stage = 0; stage < p.log_rows; stage++) {
        /* Halves of h numbers are joined: 2^bit rows. The high pass's rows are 2^log_columns numbers apart. */
        const uint32_t bit = to_slots ? stage : p.log_rows - 1 - stage, h = 1u << (bit + (high ? p.log_columns : 0));
        __syncthreads();
        for (uint32_t pair = threadIdx.x; pair < size / 2; pair += SLOT_THREADS) {
            const uint32_t step = 1u << (bit + tile::log_columns), below = pair & (step - 1);
            const uint32_t i = 2 * (pair - below) + below, x = bank(i, log_tile), y = bank(i + step, log_tile);
            const uint32_t row = below >> tile::log_columns, column = below & ((1u << tile::log_columns) - 1);
            const uint32_t j = h + (high ? (row << p.log_columns) + first + column : row);
            const typename tile::complex w = tile::root(tables, n, j);
            typename tile::complex u = t.get(x), v = t.get(y);
            if (to_slots) {
                tile::join_to_slots(&u, &v, w);
            } else {
                tile::join_to_coefficients(&u, &v, w);
            }
            t.set(x, u);
            t.set(y, v);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < size; i += SLOT_THREADS) {
        const slot_place at =
            to_slots ? slots_side<tile, high>(p, first, i, tables.order) : coefficients_side<tile, high>(p, first, i);
        store_element<tile, high, to_slots>(&t, r, c, at, log_tile, factor);
    }
}

/* A transform of some vectors of slots. */
struct transform {
    hb_engine *engine;
    size_t count;
    const hb_slot_tables *tables;
};

/* Launches a pass; all results are multiplied by a power of two. */
template <typename tile, bool to_slots, bool high>
static hb_status pass(const transform &x, hb_batch r, hb_batch a, double factor)
{
    hb_engine *e = x.engine;
    const uint32_t log_slots = e->ring->log_n - 1, log_low = log_slots / 2, log_high = log_slots - log_low;
    const slot_pass p = {high ? log_high : log_low, high ? log_low : log_high};
    return hb_cuda_start(hb_cuda(e), slot_kernel<tile, to_slots, high>,
                         static_cast<uint32_t>(x.count << (p.log_columns - tile::log_columns)), SLOT_THREADS, 0,
                         hb_cuda_view_of(e, r), hb_cuda_view_of(e, a), p, *x.tables, factor);
}

template <typename tile> static hb_status to_coefficients(const transform &x, hb_batch r, hb_batch a)
{
    HB_TRY((pass<tile, false, true>(x, r, a, 1)));
    return pass<tile, false, false>(x, r, r, 2 / static_cast<double>(x.engine->ring->n));
}

template <typename tile> static hb_status to_slots(const transform &x, hb_batch r, hb_batch a)
{
    HB_TRY((pass<tile, true, false>(x, a, a, 1)));
    return pass<tile, true, true>(x, r, a, 1);
}

/* The first pass leaves the slots where they are. */
static hb_status slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const transform x = {e, a.count, tables};
    if (a.count == 0) {
        return HB_OK;
    }
    return tables->wide ? to_coefficients<wide_tile>(x, r, a) : to_coefficients<narrow_tile>(x, r, a);
}

static hb_status coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const transform x = {e, r.count, tables};
    if (r.count == 0) {
        return HB_OK;
    }
    return tables->wide ? to_slots<wide_tile>(x, r, a) : to_slots<narrow_tile>(x, r, a);
}

/* Rounds coefficients to integers, which stay in registers while residues of all limbs are made. Several rows of the
 * grid may share the limbs; the first of them reports refused values. */
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    round_kernel(hb_cuda_view r, hb_cuda_view a, hb_rounding rounding, const hb_modulus *moduli, bool fast_f64)
{
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n);
    double x[HB_PAIRS][2];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        const hb_pair bits = hb_pair_load(hb_cuda_row(a, c, 0) + j);
        for (uint32_t i = 0; i < 2; i++) {
            const double integer = rint(hb_real_of(bits.of[i]) * rounding.scale.value.high);
            const bool held = hb_real_holds(integer);
            x[v][i] = held ? integer : 0;
            if (!held && blockIdx.y == 0) {
                atomicMin(reinterpret_cast<unsigned long long *>(rounding.refused),
                          (unsigned long long)(((rounding.first + c) << r.log_n) + j + i));
            }
        }
    }
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const hb_modulus m = moduli[r.ids[l]];
        const bool f64 = fast_f64 && hb_real_takes_f64(&m);
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            hb_pair z;
            for (uint32_t i = 0; i < 2; i++) {
                z.of[i] = f64 ? hb_real_residue_f64(x[v][i], &m) : hb_real_residue(x[v][i], &m);
            }
            hb_pair_store(hb_cuda_row(r, c, l) + hb_pair_place(r.log_n, v), z);
        }
    }
}

#define WIDE_THREADS 256

/* The same of double-doubles, a coefficient a thread. */
__global__ void __launch_bounds__(WIDE_THREADS)
    wide_round_kernel(hb_cuda_view r, hb_cuda_view a, hb_rounding rounding, const hb_modulus *moduli)
{
    hb_cuda_begin();
    const uint32_t at = blockIdx.x * WIDE_THREADS + threadIdx.x, n = 1u << a.log_n, c = at >> a.log_n, j = at & (n - 1);
    const hb_dd x = {reals_of(a, 2 * c)[j], reals_of(a, 2 * c + 1)[j]};
    hb_wide_integer integer;
    if (!hb_dd_round(hb_dd_multiply(x, rounding.scale.value), &integer) && blockIdx.y == 0) {
        atomicMin(reinterpret_cast<unsigned long long *>(rounding.refused),
                  (unsigned long long)(((rounding.first + c) << a.log_n) + j));
    }
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const hb_modulus m = moduli[r.ids[l]];
        hb_cuda_row(r, c, l)[j] = hb_wide_residue(integer, &m);
    }
}

/* r may have no limbs: then only the refusal is found. */
static hb_status round_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding)
{
    if (a.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view from = hb_cuda_view_of(e, a);
    hb_cuda_view to = from;
    to.limbs = 0;
    if (r.limbs > 0) {
        to = hb_cuda_view_of(e, r);
    }
    if (rounding->scale.wide) {
        const uint32_t tiles = static_cast<uint32_t>(a.count / 2 * e->ring->n / WIDE_THREADS);
        const dim3 blocks = hb_cuda_share_limbs(hb_cuda(e), tiles, std::max(to.limbs, 1u));
        return hb_cuda_start(hb_cuda(e), wide_round_kernel, blocks, WIDE_THREADS, 0, to, from, *rounding, gpu->moduli);
    }
    const dim3 blocks = hb_cuda_share_limbs(hb_cuda(e), hb_cuda_tiles(from, 1).x, std::max(to.limbs, 1u));
    return hb_cuda_start(hb_cuda(e), round_kernel, blocks, HB_PAIR_THREADS, 0, to, from, *rounding, gpu->moduli,
                         gpu->device.fast_f64);
}

#define COMPOSE_THREADS (HB_SLICE_WORDS / 2) /* a pair each */

/* Composes the integers of a pair of coefficients, a thread a pair, and makes reals of them. */
template <bool wide>
__global__ void __launch_bounds__(COMPOSE_THREADS)
    compose_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_scattered a,
                   const __grid_constant__ hb_composition k, hb_real_scale scale, const hb_modulus *moduli)
{
    hb_cuda_begin();
    const hb_slice slice = hb_slice_of(blockIdx.x, a.n, HB_SLICE_WORDS);
    const uint32_t c = slice.c, j = slice.first + 2 * threadIdx.x;
    const hb_pair residues = hb_pair_load(hb_cuda_row(a, c, 0) + j);
    uint64_t x[2][HB_REAL_WORDS] = {{residues.of[0]}, {residues.of[1]}};
    for (uint32_t l = 1; l < k.limbs; l++) {
        const hb_modulus m = moduli[k.ids[l]];
        const hb_pair next = hb_pair_load(hb_cuda_row(a, c, l) + j);
        hb_compose_term(x[0], next.of[0], &k, l, &m);
        hb_compose_term(x[1], next.of[1], &k, l, &m);
    }
    if (wide) {
        hb_pair high, low;
        for (uint32_t i = 0; i < 2; i++) {
            const hb_dd z = hb_dd_multiply(hb_compose_centred_wide(x[i], &k), scale.inverse);
            high.of[i] = hb_real_word(z.high);
            low.of[i] = hb_real_word(z.low);
        }
        hb_pair_store(hb_cuda_row(r, 2 * c, 0) + j, high);
        hb_pair_store(hb_cuda_row(r, 2 * c + 1, 0) + j, low);
        return;
    }
    const hb_pair z = {{hb_real_word(hb_compose_centred(x[0], &k) / scale.value.high),
                        hb_real_word(hb_compose_centred(x[1], &k) / scale.value.high)}};
    hb_pair_store(hb_cuda_row(r, c, 0) + j, z);
}

static hb_status compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                               const hb_real_scale *scale)
{
    if (a.count == 0) {
        return HB_OK;
    }
    const hb_cuda_scattered from = hb_cuda_scattered_of(e, a);
    return hb_cuda_start(hb_cuda(e), scale->wide ? compose_kernel<true> : compose_kernel<false>,
                         hb_cuda_slices(from, HB_SLICE_WORDS), COMPOSE_THREADS, 0, hb_cuda_view_of(e, r), from,
                         *composition, *scale, hb_cuda(e)->gpu->moduli);
}

static constexpr hb_real_ops make_ops()
{
    hb_real_ops ops = {};
    ops.slots_to_coefficients = hb_on_gpu<slots_to_coefficients>::call;
    ops.coefficients_to_slots = hb_on_gpu<coefficients_to_slots>::call;
    ops.round_reals = hb_on_gpu<round_reals>::call;
    ops.compose_reals = hb_on_gpu<compose_reals>::call;
    return ops;
}

constexpr hb_real_ops hb_cuda_real_ops = make_ops();
