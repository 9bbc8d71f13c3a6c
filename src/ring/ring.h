/* The ring Z[X]/(X^N + 1) with every modulus that a parameter set uses: the immutable thing that an engine is opened
 * on.
 *
 * A limb names its modulus by an id, its index in `moduli`. Key limbs, data limbs, the plain modulus and auxiliary
 * primes are all just lists of ids; no kernel knows which of them it works on. */
#ifndef HB_RING_RING_H
#define HB_RING_RING_H

#include <stddef.h>
#include <stdint.h>

#include "base/modulus.h"

#define HB_RING_MAX_LOG_N 17
#define HB_RING_MAX_MODULI 160

/* A ring; the caller owns it, and it is const once an engine is open on it. */
typedef struct hb_ring {
    uint32_t log_n; /* N = 2^log_n, 1 <= log_n <= 17 */
    uint32_t count; /* moduli in use */
    size_t n;       /* N */
    hb_modulus moduli[HB_RING_MAX_MODULI];
    /* primitive 2N-th root of unity mod moduli[i], the smallest but in subrings; 0: there is no NTT modulo this one */
    uint64_t psi[HB_RING_MAX_MODULI];
} hb_ring;

/* Starts an empty ring of degree 2^log_n; HB_ECONFIG outside 1 .. 17. The caller owns *ring; there is nothing to
 * free. */
hb_status hb_ring_init(hb_ring *ring, uint32_t log_n);

/* Appends a modulus and returns its id in *id. A prime = 1 mod 2N gets its root, as SEAL chooses it (semantics.md 2.1:
 * the smallest of all primitive 2N-th roots); any other value gets psi = 0. HB_ECONFIG if the ring is full or the
 * value is outside [2, 2^61). */
hb_status hb_ring_add_modulus(hb_ring *ring, uint64_t value, uint16_t *id);

/* Sets *sub to the ring of n = 2^log_n words, no more than the ring's, for polynomials in X^(N/n). Moduli keep their
 * ids. Moduli of the list have roots by which word i of a transform is each of the words i N/n .. (i + 1) N/n - 1 of
 * the whole ring's. */
void hb_ring_subring(hb_ring *sub, const hb_ring *ring, uint32_t log_n, const uint16_t *ids, uint32_t limbs);

/* Fills w[brev(i)] = root^i mod m for i < 2^log_n: twiddles in the order in which stages and groups of a transform take
 * them (semantics.md 2.2). w is [2^log_n], canonical; root is below m. */
void hb_ring_powers(uint64_t *w, uint64_t root, uint32_t log_n, const hb_modulus *m);

#endif
