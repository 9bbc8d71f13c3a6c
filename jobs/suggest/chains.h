/* Trials of chains, those of primes as even as possible, and room in them for packing totals. */
#ifndef HB_SUGGEST_CHAINS_H
#define HB_SUGGEST_CHAINS_H

#include "trial.h"

/* Sets *found to whether these parameters suffice; if so, *out is cleared and becomes their suggestion. Reasons against
 * them are no failures; running out of memory is. */
hb_status hb_trial_chain(hb_trials *trials, const hb_params_spec *spec, hb_suggestion *out, bool *found);
/* Returns the name of the next preset with bootstrapping of the request's scheme and security, from preset *i on, and
 * sets *spec and *i, behind it; NULL: there is none. Presets for tests are none. */
const char *hb_next_bootstrapping(const hb_trials *trials, size_t *i, hb_params_spec *spec);
/* Finds the cheapest sufficient chain of even primes at ring degree n; without one *found is false. HB_ENOMEM. */
hb_status hb_try_chains(hb_trials *trials, size_t n, hb_suggestion *out, bool *found);
/* Changes a chain that does, where results have several totals, so that eval packs these into ciphertexts of few bits
 * (lang/compile/compact.h). Packing is no need: the chain stays where others are much longer, or do not do either. */
hb_status hb_leave_room_to_pack(hb_trials *trials, hb_suggestion *out);

#endif
