/* The tables of the transforms, made on the host in the order in which passes read them (ntt_shape.h, ntt_launch.h). */
#include <new>
#include <stdlib.h>
#include <string.h>

#include "ntt.h"
#include "ntt_launch.h"

/* Twiddle w as entry h of group g of a pass with 2^groups groups, in the order of load_twiddles. */
static void put_f64(double *pass, int groups, uint32_t h, uint32_t g, uint64_t w, const hb_modulus *m)
{
    pass[(((size_t)h / 2 << groups) + g) * 2 + h % 2] = hb_f64_balanced(w, m->value);
}

static void put_u64(ulonglong2 *pass, int groups, uint32_t h, uint32_t g, uint64_t w, const hb_modulus *m)
{
    pass[((size_t)h << groups) + g] = {w, hb_shoup_quotient(w, m->value)};
}

/* The tables of one direction from w. Nobody reads their entries 0, nor the inverse entry 1 of the first pass. */
template <class ENTRY, class PUT>
static void fill_direction(ENTRY *to, const hb_ntt_shape &s, const uint64_t *w, const hb_modulus *m, PUT put)
{
    for (const hb_ntt_pass &p : s.pass) {
        if (p.levels == 0) {
            continue;
        }
        for (uint32_t g = 0; g < (uint32_t)1 << p.groups; g++) {
            put(to + p.offset, p.groups, 0, g, 0, m);
            for (int level = 0; level < s.log_e; level++) {
                for (uint32_t i = 0; i < (uint32_t)1 << level; i++) {
                    const uint32_t group = ((uint32_t)1 << p.groups) + g;
                    put(to + p.offset, p.groups, (1u << level) + i, g, w[(group << level) + i], m);
                }
            }
        }
    }
}

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

/* Header and all directions, into `to`; w: room for n words. */
static void fill_modulus(uint8_t *to, int log_n, bool f64, uint64_t psi, const hb_modulus *m, uint64_t *w)
{
    const hb_ntt_header header = header_of(m);
    memcpy(to, &header, sizeof header);
    uint8_t *const twiddles = to + sizeof header;
    for (int direction = 0; direction < 2; direction++) {
        hb_ring_powers(w, direction == 0 ? psi : hb_mod_inverse(psi, m), (uint32_t)log_n, m);
        for (int narrow = 0; narrow <= (hb_ntt_has_narrow(log_n) ? 1 : 0); narrow++) {
            const hb_ntt_shape s = hb_ntt_shape_of(log_n, f64, narrow != 0);
            const size_t skip = hb_ntt_twiddles_before(log_n, f64, narrow != 0, direction == 0);
            if (f64) {
                fill_direction(reinterpret_cast<double *>(twiddles) + skip, s, w, m, put_f64);
            } else {
                fill_direction(reinterpret_cast<ulonglong2 *>(twiddles) + skip, s, w, m, put_u64);
            }
        }
    }
}

/* Where the tables of each modulus go, and how large they are together. */
static void lay_out(hb_cuda_ntt *t, const hb_ring *ring, bool fast_f64)
{
    for (uint32_t i = 0; i < ring->count; i++) {
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
        t->bytes += (m->bytes + HB_NTT_TABLE_UNIT - 1) / HB_NTT_TABLE_UNIT * HB_NTT_TABLE_UNIT;
        const hb_modulus *q = &ring->moduli[i];
        m->last[0] = hb_mod_inverse(hb_mod_reduce(ring->n, q), q);
        m->last[1] = hb_mod_mul(m->last[0], hb_mod_pow(hb_mod_inverse(ring->psi[i], q), ring->n / 2, q), q);
    }
}

static hb_status upload(uint8_t *to, const uint8_t *from, size_t bytes)
{
    HB_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return HB_OK;
}

static hb_status fill(const hb_cuda_ntt *t, const hb_ring *ring)
{
    size_t largest = 0;
    for (const hb_ntt_modulus &m : t->moduli) {
        largest = m.bytes > largest ? m.bytes : largest;
    }
    hb_status st = HB_OK;
    uint8_t *host = static_cast<uint8_t *>(malloc(largest + ring->n * sizeof(uint64_t)));
    if (host == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the transform tables of a modulus, %zu bytes", largest);
    }
    uint64_t *const w = reinterpret_cast<uint64_t *>(host + largest);
    for (uint32_t i = 0; st == HB_OK && i < ring->count; i++) {
        const hb_ntt_modulus *m = &t->moduli[i];
        if (m->present) {
            fill_modulus(host, (int)ring->log_n, m->f64, ring->psi[i], &ring->moduli[i], w);
            st = upload(t->tables + (size_t)m->table * HB_NTT_TABLE_UNIT, host, m->bytes);
        }
    }
    free(host);
    return st;
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
        HB_GOTO(hb_cuda_allocate(gpu, t->bytes, &tables));
        t->tables = static_cast<uint8_t *>(tables);
        HB_GOTO(fill(t, ring));
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
