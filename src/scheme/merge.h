/* Sums of all slots of many ciphertexts, each as one coefficient of one ciphertext (Chen, Dai, Kim, Song, PackLWEs).
 *
 * The automorphisms that rotate and swap slots add up to a polynomial whose coefficient 0 is the sum of all slots;
 * where slots have an imaginary unit, coefficient N/2 has the imaginary part. They are made of rotations by powers of
 * two and the swap of rows, as hb_evaluator_sum_slots makes them one after another. An automorphism s that turns X^e
 * into -X^e merges two ciphertexts at the price of one:
 *     (a + X^e b) + s(a - X^e b) = (a + s(a)) + X^e (b + s(b)),
 * and all later automorphisms keep X^e. So k sums take about k + log2(N / k) key switches, not k log2(N), of the same
 * keys. Products with X^e are exact. */
#ifndef HB_SCHEME_MERGE_H
#define HB_SCHEME_MERGE_H

#include "evaluator.h"

/* Returns whether sums of slots of these parameters merge: where two rows of slots are swapped, or slots of one row
 * have an imaginary unit (slots.h). */
bool hb_spec_merges(const hb_params_spec *spec);
/* Returns the coefficient in which sum number `place` stands: the bits of `place` in reverse. place: below N.
 * Places from N/2 on hold imaginary parts in CKKS, and no sum in BFV. */
uint32_t hb_merged_coefficient(const hb_params_spec *spec, uint32_t place);
/* Returns how many key switches so many sums take. */
uint64_t hb_merge_switches(const hb_params_spec *spec, uint64_t sums);

typedef struct hb_merger hb_merger;

/* Opens a merger of at most `sums` ciphertexts of `limbs` limbs, 1 to N / 2, where sums merge. Borrows engine,
 * parameters and keys. Waits. HB_ENOMEM; HB_ECONFIG as hb_evaluator_open. Closing takes NULL. */
hb_status hb_merger_open(hb_engine *engine, const hb_params *params, uint32_t limbs, uint64_t sums,
                         const hb_switch_keys *keys, hb_merger **out);
void hb_merger_close(hb_merger *merger);
/* Returns the most bytes of the engine's memory that it takes. */
uint64_t hb_merger_bytes(const hb_params *params, uint32_t limbs, uint64_t sums);
/* Adds a ciphertext of 2 components, which stays as it is: that of the next sum, or that of the next `sums` sums, which
 * another merger has made (hb_merger_take): a whole block, of 4 sums where rows of slots are swapped, else of 1, times
 * a power of two, behind blocks of as many. HB_EDATA naming a missing key. Exchanges. */
hb_status hb_merger_add(hb_merger *merger, hb_ciphertexts a, uint64_t sums);
/* Gives the ciphertext of a block of `sums` sums, of all that were added or, at the end of an output, of fewer, a view
 * of the merger's memory until more is added: the next block. Fails likewise. */
hb_status hb_merger_take(hb_merger *merger, uint64_t sums, hb_ciphertexts *out);
/* Gives the ciphertext of all sums, one at least, a view of the merger's memory: sum i is coefficient
 * hb_merged_coefficient(i). In BFV all other coefficients are 0; in CKKS those from N/2 on hold imaginary parts. The
 * noise of each of these coefficients is at most that of hb_evaluator_sum_slots on the noisiest of the ciphertexts.
 * rest: behind whole blocks of `sums` sums the block of fewer, which changes; NULL: there is none. All words are those
 * of one merger without blocks. Called once. Fails likewise. */
hb_status hb_merger_finish(hb_merger *merger, const hb_ciphertexts *rest, uint64_t sums, hb_ciphertexts *out);

#endif
