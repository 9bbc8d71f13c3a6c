/* Words of ciphertexts added up over ranks. */
#ifndef HB_EVAL_WORD_SUM_H
#define HB_EVAL_WORD_SUM_H

#include "base/modulus.h"
#include "mpi/group/group.h"

/* Makes words[i] of every rank the sum of those of all ranks mod m, in [0, m); before, each is in [0, m). `room` is
 * memory for 2 count words, whose contents are lost. Collective: m and count are the same on all ranks. HB_ECOMM. */
hb_status hb_word_sum(hb_group *group, uint64_t *words, size_t count, const hb_modulus *m, uint64_t *room);

#endif
