/* Tables while bootstrapping: each coefficient m of a message modulo t = 2^bits becomes entry m of a table, in one
 * pass, and the noise of the operand is gone but for its square (semantics.md 9.16). A table as a trigonometric
 * polynomial behind the raise is that of A. Alexandru, A. Kim and Y. Polyakov (ePrint 2024/1623). A table that is the
 * identity bootstraps, too, but passes over noise (refresh.h) leave more budget.
 *
 * The pass is that of refresh.h with kind HB_BOOTSTRAP_TABLE: opened with the tables of hb_bootstrap_spec, the number
 * of one in the place of k. The chain has levels for tables, at least bits (hb_bootstrapping_spec.table_levels), and t
 * is the plain modulus. */
#ifndef HB_REFRESH_TABLE_H
#define HB_REFRESH_TABLE_H

#include "rlwe/params.h"
#include "rlwe/quality.h"

/* Sets *bits to log2 of t where parameters can have tables. HB_ECONFIG in words: the scheme is not BFV, the chain has
 * no levels for tables, t is no power of two from 4 on, or has more bits than there are levels. */
hb_status hb_refresh_table_bits(const hb_params *params, uint32_t *bits);

/* Finds the noise behind any table, of operands with that noise at the users' highest level. Entries next to another
 * differ by t at most. Noise moves a coefficient by delta steps of the message, |delta| < 1/2; a result then misses by
 * t (1 - K(delta)) at most, K the weight that Fejer's kernel has for the entry itself. That bound is proven; beside it
 * stands what the ciphertexts of the pass add, which is measured (drawn: all but 2^-64 of ciphertexts). HB_EDATA where
 * so much noise is left that a result might be wrong; HB_ECONFIG as hb_refresh_table_bits, and for HB_CERTAINTY_PROVEN,
 * as the proven bound does not know tables. */
hb_status hb_refresh_table_noise(const hb_params *params, hb_certainty certainty, hb_quality a, hb_quality *out);

#endif
