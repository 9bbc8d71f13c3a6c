/* An engine whose limbs are divided over the members of a group: each has some of the limbs of every polynomial, as a
 * map says (ring/limb_map.h). Each member runs the same program, with a device of its own for its limbs. Only these
 * operations exchange (ring/engine.h); everything else is the device's own, on the limbs that are here:
 *
 *     base_convert, _through   all limbs of a coefficient are needed. By gathering: every member gets all limbs and
 *                              makes its own targets. By slices: every member gets all limbs of a k-th of the
 *                              coefficients, makes all targets, and sends each to its owner. To moduli that everyone
 *                              has (decryption): every member converts its own limbs, and the partial sums are gathered
 *                              and added
 *     decompose, ntt_decompose       gathering: every limb is a digit modulo every other
 *     mod_up_digits            gathering, once for all digits
 *     divide_blocks            slices: sums over the integers there, all blocks at once, quotients back
 *     divide_round             broadcast of the last limb
 *     garner_digits, _norm     slices
 *     compose_reals            gathering: every member has all reals
 *     count_zeros, digest_rows some words of every member
 *
 * Large batches go through in pieces, and in two halves wherever a half takes longer than the start of a transfer: the
 * next one is under way while one is computed with. Blocks for a queue arrive in its workspace, where the other
 * members may put it themselves (hb_window). Several queues (hb_engine_fork) overlap further, each exchanging while
 * others compute. Paper 002, section 5 leaves the exchange of limbs before base conversion to one device; the choice
 * between the two ways is by cost (hb_exchange_cost). */
#ifndef HB_DIVIDED_ENGINE_H
#define HB_DIVIDED_ENGINE_H

#include "base/digest.h"
#include "exchange.h"
#include "ring/engine.h"
#include "ring/limb_map.h"

/* How base conversions exchange: whichever way is cheaper for their shape, or always one way (tests, bench). */
typedef enum hb_division { HB_DIVIDE_BY_COST, HB_DIVIDE_BY_GATHERING, HB_DIVIDE_BY_SLICES } hb_division;

/* Opens the engine. It takes over `device`, an engine that is not divided, also on failure. It borrows the map, of the
 * device's ring, which assigns limbs to members, and the exchange, whose members are the map's; both outlive it.
 * memory: the most bytes to hold on the device, of which pieces take a small part; 0: as much as helps; the same on all
 * members. HB_ENOMEM. The caller closes it with hb_engine_close. */
hb_status hb_divided_engine_open(hb_engine *device, const hb_limb_map *map, hb_exchange *exchange, hb_division division,
                                 uint64_t memory, hb_engine **out);
/* Returns the bytes of the device's memory that each queue takes for pieces of polynomials of n coefficients.
 * batch_bytes is that of the device's engine. */
uint64_t hb_divided_queue_bytes(const hb_limb_map *map, size_t n, size_t batch_bytes, uint64_t memory);
/* Returns the device's queue under a divided one; e itself where it is not divided. */
hb_engine *hb_divided_device(hb_engine *e);
/* Checks that something which every member read or made for itself is the same on all of them, by its digest.
 * Collective among the members, in the queue's turn. HB_EDATA on all of them ("<what> is not the same on all ranks that
 * share its limbs") when any digest differs from another. HB_OK at once on an engine that is not divided. */
hb_status hb_divided_same(hb_engine *queue, const uint8_t digest[HB_DIGEST_BYTES], const char *what);
/* Sets *any to whether any member says yes, the same on all. Collective, in the queue's turn. HB_EPEER. */
hb_status hb_divided_any(hb_engine *queue, bool mine, bool *any);

#endif
