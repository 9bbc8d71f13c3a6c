#include "ring.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/modarith.h"
#include "base/prime.h"

hb_status hb_ring_init(hb_ring *ring, uint32_t log_n)
{
    if (log_n < 1 || log_n > HB_RING_MAX_LOG_N) {
        return HB_FAIL(HB_ECONFIG, "ring degree 2^%" PRIu32 " is outside 2^1 .. 2^%d", log_n, HB_RING_MAX_LOG_N);
    }
    memset(ring, 0, sizeof *ring);
    ring->log_n = log_n;
    ring->n = (size_t)1 << log_n;
    return HB_OK;
}

hb_status hb_ring_add_modulus(hb_ring *ring, uint64_t value, uint16_t *id)
{
    if (ring->count == HB_RING_MAX_MODULI) {
        return HB_FAIL(HB_ECONFIG, "a ring holds at most %d moduli", HB_RING_MAX_MODULI);
    }
    /* The entry counts only once the id is given out: after a failure the next call writes over it. */
    HB_TRY(hb_modulus_init(&ring->moduli[ring->count], value));
    /* 0 where the value is no prime = 1 mod 2N. */
    ring->psi[ring->count] = hb_smallest_root(value, ring->n);
    *id = (uint16_t)ring->count++; /* HB_RING_MAX_MODULI < 2^16 */
    return HB_OK;
}

void hb_ring_subring(hb_ring *sub, const hb_ring *ring, uint32_t log_n, const uint16_t *ids, uint32_t limbs)
{
    HB_ASSERT(log_n >= 1 && log_n <= ring->log_n);
    *sub = *ring;
    sub->log_n = log_n;
    sub->n = (size_t)1 << log_n;
    /* A root makes tables, which few moduli need. */
    memset(sub->psi, 0, sizeof sub->psi);
    for (uint32_t l = 0; l < limbs; l++) {
        sub->psi[ids[l]] = hb_mod_pow(ring->psi[ids[l]], ring->n >> log_n, &ring->moduli[ids[l]]);
    }
}

void hb_ring_powers(uint64_t *w, uint64_t root, uint32_t log_n, const hb_modulus *m)
{
    uint64_t power = 1;
    for (uint32_t i = 0; i < (uint32_t)1 << log_n; i++) {
        /* Powers come in order, so each takes one multiplication; where they go is bit-reversed. */
        w[hb_bit_reverse(i, log_n)] = power;
        power = hb_mod_mul(power, root, m);
    }
}
