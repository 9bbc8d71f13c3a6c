/* Sanitizing: ciphertexts that hide how they were computed from those who have the secret key, in BFV. As a ciphertext
 * comes out of a computation, its noise, its component 1 and its slots that hold no cell tell of it. A sanitized one is
 *
 *     (c_0 + round(Q m' / t) + z_0 + F, c_1 + z_1),
 *
 * m' uniform in slots that are no cell and 0 in cells, z an encryption of zero with the public key, F the noise of
 * rlwe/exact_flood.h, all drawn anew. m' replaces what stood in these slots. F hides the noise: the phase is within a
 * statistical distance of 2^-bits, for all ciphertexts together, of one that depends on values, limbs, shape and key
 * alone. Given the phase, component 1 is pseudorandom by ring-LWE. F is as wide as the noise budget allows and not as
 * the noise demands: its width would tell the depth of the computation. Modulus switches before and behind drop the
 * limbs that are not needed, and are functions of what they are given.
 *
 * Ciphertexts that are opened (bits = 0) get z alone, of a seed that is public: they hide nothing, and are
 * other ciphertexts of the same values, which anyone who has the old ones can compute, too. */
#ifndef HB_SCHEME_SANITIZE_H
#define HB_SCHEME_SANITIZE_H

#include "rlwe/ciphertexts.h"
#include "rlwe/codec.h"
#include "rlwe/exact_flood.h"
#include "rlwe/keys.h"
#include "rlwe/quality.h"

/* Bits of statistical distance that can be asked for, and that are taken where nothing is said. */
#define HB_SANITIZE_LEAST_BITS 20
#define HB_SANITIZE_MOST_BITS 60
#define HB_SANITIZE_BITS 40
/* The noise budget that is left where results are only decrypted, before the last limbs are dropped. */
#define HB_SANITIZE_LEAVE 2
/* Bits of budget with which results that were switched to fewer limbs can be sanitized to any distance: the widest
 * noise, the bits that are left, and 5 more. Budgets are whole numbers: 1. An encryption of zero has about the noise
 * that a switch leaves, which is the least there is: 1. u is rounded up to hide the noise, and down to fit: 2. The
 * rest takes less than 1: V is 2 above its noise, which is N / 2 or more; F reaches 2^u beyond 2^(u + w); zero has a
 * bit more noise than a switch; 2^-10 of a bit is kept. */
#define HB_SANITIZE_ENOUGH (HB_EXACT_FLOOD_MOST_WIDTH + HB_SANITIZE_LEAVE + 5)

typedef struct hb_sanitize_plan {
    uint32_t from, limbs, to; /* limbs of ciphertexts that come, to which noise is added, and that go */
    bool open;                /* an encryption of zero alone */
    hb_exact_flood flood;
    double distance; /* log2 of the statistical distance, of all ciphertexts together; opened: 0 */
    /* A function of `from`, `limbs` and what is left, unless opened. It is as certain as the noise was: noise above its
     * bound is above it behind the flood, too. */
    hb_quality quality;
} hb_sanitize_plan;

/* A request for a plan. */
typedef struct hb_sanitize_request {
    uint64_t count; /* ciphertexts, all together */
    uint32_t bits;  /* within the ends above; 0: they are opened, at their limbs */
    uint32_t leave; /* HB_SANITIZE_LEAVE or more: bits of budget that are left */
} hb_sanitize_request;
/* Plans sanitizing ciphertexts of `limbs` limbs with noise of that bound, to 2^-bits where it holds. HB_EDATA where the
 * budget is too short, with the bits that are needed, of limbs that fresh ciphertexts do not have, and of schemes whose
 * results have errors; HB_EUSAGE where noise would be too wide. Pure. */
hb_status hb_sanitize_plan_make(const hb_params *params, uint32_t limbs, hb_quality noise, hb_sanitize_request request,
                                hb_sanitize_plan *out);

/* Sanitizes batches of ciphertexts, on one queue. */
typedef struct hb_sanitizer hb_sanitizer;

/* Opens a sanitizer for ciphertexts of that encoding, up to max_count at a time; borrows the public key, whose engine
 * `engine` is or is a fork of. HB_ECONFIG where the parameters do not have the encoding; HB_ENOMEM. Closing wipes its
 * memory; NULL is allowed. */
hb_status hb_sanitizer_open(hb_engine *engine, const hb_public_key *key, hb_encoding encoding,
                            const hb_sanitize_plan *plan, size_t max_count, hb_sanitizer **out);
void hb_sanitizer_close(hb_sanitizer *sanitizer);
/* Returns the bytes of the engine's memory that it takes, on the member with most, where limbs are divided. */
uint64_t hb_sanitizer_bytes(const hb_params *params, hb_encoding encoding, const hb_sanitize_plan *plan,
                            size_t max_count);
/* Makes r of a, both of 2 components and the same count, which is at most max_count; a has plan.from limbs, r plan.to.
 * r begins where a does, and a is destroyed. cells[c]: the slots, or coefficients in the order of the encoding, that
 * hold cells of ciphertext c. All draws are functions of `root` and the numbers of the ciphertexts, first .. first +
 * count; root is secret, but where ciphertexts are opened, and serves these ciphertexts alone. Which words of uniform
 * values are rejected shows in the time, and says nothing of those that are taken. Waits; exchanges where limbs are
 * divided. Errors of the engine; r is undefined then. */
hb_status hb_sanitize(hb_sanitizer *sanitizer, hb_ciphertexts r, hb_ciphertexts a, const hb_filled_slots *cells,
                      const hb_seed *root, uint64_t first);

#endif
