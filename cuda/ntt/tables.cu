/* The tables of the transforms, in the order in which passes read them (shape.h, launch.h). They are made on the GPU, a
 * thread an entry, which is a power of the modulus's root. On the host they would take a tenth of a second where there
 * are dozens of moduli. */
#include <new>
#include <string.h>

#include "ntt.h"
#include "launch.h"

/* Returns the header of a modulus; launch.h says why shift and factor make quotients exact but for one. */
static hb_ntt_header header_of(const hb_modulus *m)
{
    hb_ntt_header h = {};
    h.value = m->value;
    h.f64_value = m->f64_value;
    h.f64_inverse = m->f64_inverse;
    h.shift = m->bits > 27 ? m->bits - 27 : 0;
    h.quotient_shift = m->bits - 1 - h.shift;
    h.factor = (uint32_t)(((hb_u128)1 << (31 + m->bits)) / m->value);
    h.barrett_hi = m->barrett_hi;
    h.barrett_lo = m->barrett_lo;
    return h;
}

/* Finds which entry h of which group g of a pass with 2^groups groups stands at place `at` of its table. It mirrors
 * load_twiddles of the two arithmetics (f64.cuh, u64.cuh). */
__device__ static void place_of(uint32_t at, int groups, bool f64, uint32_t *h, uint32_t *g)
{
    const uint32_t pair = f64 ? at / 2 : at;
    *g = pair & (((uint32_t)1 << groups) - 1);
    *h = f64 ? (pair >> groups) * 2 + at % 2 : pair >> groups;
}

/* Returns root^exponent mod m by squaring; at most 17 bits of exponent. */
__device__ static uint64_t power(uint64_t root, uint32_t exponent, const hb_modulus *m)
{
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        result = exponent % 2 != 0 ? hb_mod_mul(result, root, m) : result;
        root = hb_mod_mul(root, root, m);
    }
    return result;
}

/* Returns the power of the root that is twiddle number `at` of one direction. Nobody reads entries 0 of a group, nor
 * the inverse entry 1 of the first pass. */
__device__ static uint64_t twiddle(const hb_ntt_shape &s, uint32_t at, int log_n, bool f64, uint64_t root,
                                   const hb_modulus *m)
{
    /* The pass whose part of the table `at` lies in; empty passes have no part. */
    int p = 0;
    while (p + 1 < HB_NTT_PASSES &&
           (s.pass[p].levels == 0 || at >= s.pass[p].offset + (1u << (log_n - s.pass[p].lo)))) {
        p++;
    }
    const int groups = s.pass[p].groups;
    uint32_t h, g;
    place_of(at - s.pass[p].offset, groups, f64, &h, &g);
    if (h == 0) {
        return 0;
    }
    /* Entry h = 2^level + j of group g is w[(2^groups + g) 2^level + j] (shape.h), and w[brev(i)] = psi^i. */
    const int level = 31 - __clz((int)h);
    const uint32_t i = ((((uint32_t)1 << groups) + g) << level) + (h - (1u << level));
    return power(root, __brev(i) >> (32 - log_n), m);
}

struct directed {
    hb_ntt_shape shape;
    uint32_t skip; /* twiddles before its own */
    int log_n;
    bool f64;
    uint64_t root;
};

/* Fills in all twiddles of one shape and direction, and the header of the modulus; a thread has one twiddle. */
__global__ static void fill_kernel(uint8_t *table, hb_ntt_header header, directed d, const hb_modulus *m)
{
    const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at == 0) {
        *reinterpret_cast<hb_ntt_header *>(table) = header;
    }
    if (at >= d.shape.twiddles) {
        return;
    }
    /* Each thread computes a power by itself: no order among threads, no table to start from. */
    const uint64_t w = twiddle(d.shape, at, d.log_n, d.f64, d.root, m);
    uint8_t *const twiddles = table + sizeof header;
    if (d.f64) {
        reinterpret_cast<double *>(twiddles)[d.skip + at] = hb_f64_balanced(w, m->value);
    } else {
        reinterpret_cast<ulonglong2 *>(twiddles)[d.skip + at] = {w, hb_shoup_quotient(w, m->value)};
    }
}

/* Fills the tables of a modulus: its header, both directions, and the narrow shape where there is one. */
static hb_status fill_modulus(const hb_cuda_gpu *gpu, uint8_t *table, const hb_ring *ring, uint32_t id, bool f64)
{
    const uint32_t threads = 256;
    const int log_n = (int)ring->log_n;
    const hb_modulus *m = &ring->moduli[id];
    /* Every launch writes the same header, so their order does not matter. */
    const hb_ntt_header header = header_of(m);
    for (int direction = 0; direction < 2; direction++) {
        const uint64_t root = direction == 0 ? ring->psi[id] : hb_mod_inverse(ring->psi[id], m);
        for (int narrow = 0; narrow <= (hb_ntt_has_narrow(log_n) ? 1 : 0); narrow++) {
            const directed d = {hb_ntt_shape_of(log_n, f64, narrow != 0),
                                hb_ntt_twiddles_before(log_n, f64, narrow != 0, direction == 0), log_n, f64, root};
            const uint32_t blocks = (d.shape.twiddles + threads - 1) / threads;
            fill_kernel<<<blocks, threads>>>(table, header, d, gpu->moduli + id);
            HB_CUDA_LAUNCHED();
        }
    }
    return HB_OK;
}

/* Computes where the tables of each modulus go, how large they are together, and the constants that stay on the
 * host. */
static void lay_out(hb_cuda_ntt *t, const hb_ring *ring, bool fast_f64)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        /* A modulus without a root of order 2N has no transform. */
        if (ring->psi[i] == 0) {
            continue;
        }
        hb_ntt_modulus *m = &t->moduli[i];
        m->present = true;
        m->f64 = fast_f64 && ring->moduli[i].f64;
        m->bits = ring->moduli[i].bits;
        m->table = (uint32_t)(t->bytes / HB_NTT_TABLE_UNIT);
        const size_t entry = m->f64 ? sizeof(double) : sizeof(ulonglong2);
        m->bytes = sizeof(hb_ntt_header) + hb_ntt_twiddles((int)ring->log_n, m->f64) * entry;
        /* Rounded up: headers and twiddles are loaded in aligned pieces. */
        t->bytes += (m->bytes + HB_NTT_TABLE_UNIT - 1) / HB_NTT_TABLE_UNIT * HB_NTT_TABLE_UNIT;
        const hb_modulus *q = &ring->moduli[i];
        /* 1/N, and 1/N times the twiddle of the last inverse stage: w[1] is psi^brev(1) = psi^(N/2), here of 1/psi. */
        m->last[0] = hb_mod_inverse(hb_mod_reduce(ring->n, q), q);
        m->last[1] = hb_mod_mul(m->last[0], hb_mod_pow(hb_mod_inverse(ring->psi[i], q), ring->n / 2, q), q);
    }
}

hb_status hb_cuda_ntt_open(hb_cuda_gpu *gpu, const hb_ring *ring, hb_cuda_ntt **out)
{
    *out = NULL;
    hb_cuda_ntt *t = new (std::nothrow) hb_cuda_ntt();
    if (t == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the transforms of a ring");
    }
    lay_out(t, ring, gpu->device.fast_f64);
    hb_status st = HB_OK;
    if (t->bytes > 0) {
        void *tables = NULL;
        /* One piece of memory: tables live and die together, and the account has one entry. */
        HB_GOTO(hb_cuda_allocate(gpu, t->bytes, &tables));
        t->tables = static_cast<uint8_t *>(tables);
        for (uint32_t i = 0; i < ring->count; i++) {
            const hb_ntt_modulus *m = &t->moduli[i];
            if (m->present) {
                HB_GOTO(fill_modulus(gpu, t->tables + (size_t)m->table * HB_NTT_TABLE_UNIT, ring, i, m->f64));
            }
        }
    }
    *out = t;
    return HB_OK;
done:
    hb_cuda_ntt_close(gpu, t);
    return st;
}

void hb_cuda_ntt_close(hb_cuda_gpu *gpu, hb_cuda_ntt *ntt)
{
    if (ntt != NULL) {
        hb_cuda_release(gpu, ntt->tables, ntt->bytes);
        delete ntt;
    }
}
