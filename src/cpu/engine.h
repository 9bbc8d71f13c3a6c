/* The engine on one CPU core. Loops are compiled for several instruction sets; results do not depend on which one
 * runs. */
#ifndef HB_CPU_ENGINE_H
#define HB_CPU_ENGINE_H

#include "ring/engine.h"

/* bytes of an operand with which, with the others, a second-level cache is full */
#define HB_CPU_BATCH_BYTES ((size_t)1 << 20)

/* Opens an engine on `ring`, which is borrowed and outlives it. The tables of a modulus with a root take about 2 N
 * words with FP64, 4 N without. HB_ENOMEM. The caller closes the engine with hb_engine_close; forks share its
 * tables. */
hb_status hb_cpu_engine_open(const hb_ring *ring, hb_engine **out);

#endif
