/* Bootstrapping, whole and stage by stage (private to the measurements of schemes). */
#ifndef HB_BENCH_CKKS_BOOTSTRAP_H
#define HB_BENCH_CKKS_BOOTSTRAP_H

#include "evaluation.h"

/* Measures bootstrapping, of integers one pass over their noise, of x->count ciphertexts, at most eight at a time, and
 * each stage by itself where all of them go at a time. Measures nothing where the parameters have no bootstrapping,
 * where memory is short, or for many ciphertexts of a large ring on a CPU. HB_ENOMEM. */
hb_status hb_bench_ckks_bootstrap(hb_bench *bench, hb_evaluation *x);

#endif
