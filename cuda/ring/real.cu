/* Slots to coefficients and back, coefficients to residues and back (ring/real_arith.h says what happens to one
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
#define SLOT_LOG_COLUMNS 3 /* of a tile: 64 bytes of a row */
#define SLOT_MOST_ROWS 256 /* 2^16 slots are 256 rows in either pass */
#define SLOT_TILE (SLOT_MOST_ROWS << SLOT_LOG_COLUMNS)

static_assert(SLOT_MOST_ROWS * SLOT_MOST_ROWS >= (1 << HB_RING_MAX_LOG_N) / 2, "two passes have all stages");

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
template <bool high>
__device__ static inline slot_place slots_side(slot_pass p, uint32_t first, uint32_t i, const uint32_t *order)
{
    const uint32_t column = i & ((1u << SLOT_LOG_COLUMNS) - 1), row = i >> SLOT_LOG_COLUMNS;
    const uint32_t number = (row << p.log_columns) + first + column;
    if (high && order != NULL) {
        const uint32_t slot = __ldg(order + number);
        return {i, slot / 2, slot % 2 != 0};
    }
    return {i, number, false};
}

/* On the side of coefficients. The high pass has columns one behind the other, with their rows in reversed order; the
 * low pass only reverses its rows. */
template <bool high> __device__ static inline slot_place coefficients_side(slot_pass p, uint32_t first, uint32_t i)
{
    if (high) {
        const uint32_t reversed = i & ((1u << p.log_rows) - 1), column = i >> p.log_rows;
        const uint32_t row = __brev(reversed) >> (32 - p.log_rows);
        return {(row << SLOT_LOG_COLUMNS) + column, ((first + column) << p.log_rows) + reversed, false};
    }
    const uint32_t column = i & ((1u << SLOT_LOG_COLUMNS) - 1), reversed = i >> SLOT_LOG_COLUMNS;
    const uint32_t row = __brev(reversed) >> (32 - p.log_rows);
    return {(row << SLOT_LOG_COLUMNS) + column, (reversed << p.log_columns) + first + column, false};
}

/* Returns where element i of 2^log_tile is kept: rows that differ in their highest bits, as neighbours in reversed
 * order do, are in different banks. */
__device__ static inline uint32_t bank(uint32_t i, uint32_t log_tile)
{
    return i ^ (i >> (log_tile - 4) & 15);
}

/* One pass of a transform. A thread block has one tile. r may be a: elements of other tiles are not touched. */
template <bool to_slots, bool high>
__global__ void __launch_bounds__(SLOT_THREADS)
    slot_kernel(hb_cuda_view r, hb_cuda_view a, slot_pass p, hb_slot_tables tables, double factor)
{
    __shared__ double re[SLOT_TILE], im[SLOT_TILE];
    hb_cuda_begin();
    const uint32_t n = 1u << (r.log_n - 1), log_tile = p.log_rows + SLOT_LOG_COLUMNS, size = 1u << log_tile;
    const uint32_t log_tiles = p.log_columns - SLOT_LOG_COLUMNS, c = blockIdx.x >> log_tiles;
    const uint32_t first = (blockIdx.x & ((1u << log_tiles) - 1)) << SLOT_LOG_COLUMNS;
    const double *from = reinterpret_cast<const double *>(hb_cuda_row(a, c, 0));
    double *to = reinterpret_cast<double *>(hb_cuda_row(r, c, 0));
    for (uint32_t i = threadIdx.x; i < size; i += SLOT_THREADS) {
        const slot_place at =
            to_slots ? coefficients_side<high>(p, first, i) : slots_side<high>(p, first, i, tables.order);
        const double imaginary = from[n + at.row];
        re[bank(at.shared, log_tile)] = from[at.row];
        im[bank(at.shared, log_tile)] = at.conjugate ? -imaginary : imaginary;
    }
    for (uint32_t stage = 0; stage < p.log_rows; stage++) {
        /* Halves of h numbers are joined: 2^bit rows. The high pass's rows are 2^log_columns numbers apart. */
        const uint32_t bit = to_slots ? stage : p.log_rows - 1 - stage, h = 1u << (bit + (high ? p.log_columns : 0));
        __syncthreads();
        for (uint32_t pair = threadIdx.x; pair < size / 2; pair += SLOT_THREADS) {
            const uint32_t step = 1u << (bit + SLOT_LOG_COLUMNS), below = pair & (step - 1);
            const uint32_t i = 2 * (pair - below) + below, x = bank(i, log_tile), y = bank(i + step, log_tile);
            const uint32_t row = below >> SLOT_LOG_COLUMNS, column = below & ((1u << SLOT_LOG_COLUMNS) - 1);
            const uint32_t j = h + (high ? (row << p.log_columns) + first + column : row);
            const hb_complex w = {__ldg(tables.twiddles + j), __ldg(tables.twiddles + n + j)};
            hb_complex u = {re[x], im[x]}, v = {re[y], im[y]};
            if (to_slots) {
                hb_butterfly_to_slots(&u, &v, w);
            } else {
                hb_butterfly_to_coefficients(&u, &v, w);
            }
            re[x] = u.re;
            im[x] = u.im;
            re[y] = v.re;
            im[y] = v.im;
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < size; i += SLOT_THREADS) {
        const slot_place at =
            to_slots ? slots_side<high>(p, first, i, tables.order) : coefficients_side<high>(p, first, i);
        const double imaginary = im[bank(at.shared, log_tile)] * factor;
        to[at.row] = re[bank(at.shared, log_tile)] * factor;
        to[n + at.row] = at.conjugate ? -imaginary : imaginary;
    }
}

/* Launches a pass; all results are multiplied by a power of two. */
template <bool to_slots, bool high>
static hb_status pass(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables, double factor)
{
    const uint32_t log_slots = e->ring->log_n - 1, log_low = log_slots / 2, log_high = log_slots - log_low;
    const slot_pass p = {high ? log_high : log_low, high ? log_low : log_high};
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    return hb_cuda_start(hb_cuda(e), slot_kernel<to_slots, high>, to.count << (p.log_columns - SLOT_LOG_COLUMNS),
                         SLOT_THREADS, 0, to, hb_cuda_view_of(e, a), p, *tables, factor);
}

/* The first pass leaves the slots where they are. */
static hb_status slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    if (r.count == 0) {
        return HB_OK;
    }
    HB_TRY((pass<false, true>(e, r, a, tables, 1)));
    return pass<false, false>(e, r, r, tables, 2 / static_cast<double>(e->ring->n));
}

static hb_status coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    if (r.count == 0) {
        return HB_OK;
    }
    HB_TRY((pass<true, false>(e, a, a, tables, 1)));
    return pass<true, true>(e, r, a, tables, 1);
}

/* Rounds coefficients to integers, which stay in registers while residues of all limbs are made. Several rows of the
 * grid may share the limbs; the first of them says what is refused. */
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
            const double integer = rint(hb_real_of(bits.of[i]) * rounding.scale);
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

/* r may have no limbs: then only the refusal is found. */
static hb_status round_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view from = hb_cuda_view_of(e, a);
    hb_cuda_view to = from;
    to.limbs = 0;
    if (r.limbs > 0) {
        to = hb_cuda_view_of(e, r);
    }
    const dim3 blocks = hb_cuda_share_limbs(hb_cuda(e), hb_cuda_tiles(from, 1).x, std::max(to.limbs, 1u));
    return hb_cuda_start(hb_cuda(e), round_kernel, blocks, HB_PAIR_THREADS, 0, to, from, *rounding, gpu->moduli,
                         gpu->device.fast_f64);
}

#define COMPOSE_THREADS (HB_SLICE_WORDS / 2) /* a pair each */

/* Composes the integers of a pair of coefficients, a thread a pair, and makes reals of them. */
__global__ void __launch_bounds__(COMPOSE_THREADS)
    compose_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_scattered a,
                   const __grid_constant__ hb_composition k, double scale, const hb_modulus *moduli)
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
    const hb_pair z = {
        {hb_real_word(hb_compose_centred(x[0], &k) / scale), hb_real_word(hb_compose_centred(x[1], &k) / scale)}};
    hb_pair_store(hb_cuda_row(r, c, 0) + j, z);
}

static hb_status compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition, double scale)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_scattered from = hb_cuda_scattered_of(e, a);
    return hb_cuda_start(hb_cuda(e), compose_kernel, hb_cuda_slices(from, HB_SLICE_WORDS), COMPOSE_THREADS, 0,
                         hb_cuda_view_of(e, r), from, *composition, scale, hb_cuda(e)->gpu->moduli);
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
