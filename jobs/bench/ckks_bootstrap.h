/* Bootstrapping, whole and stage by stage (private to the measurements of CKKS). */
#ifndef HB_BENCH_CKKS_BOOTSTRAP_H
#define HB_BENCH_CKKS_BOOTSTRAP_H

#include "evaluation.h"

/* Measures bootstrapping of x->count ciphertexts, eight at a time at most, and where as many go at a time each stage by
 * itself; nothing where parameters have none, where there is no memory, or of many ciphertexts of a large ring on a
 * processor. HB_ENOMEM. */
hb_status hb_bench_ckks_bootstrap(hb_bench *bench, hb_evaluation *x);

#endif
