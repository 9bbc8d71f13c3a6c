/* The engine on one CPU core. FP64 loops are cloned per instruction set; results do not depend on it. */
#ifndef HB_CPU_ENGINE_H
#define HB_CPU_ENGINE_H

#include "ring/engine.h"

#define HB_CPU_BATCH_BYTES ((size_t)1 << 20) /* of an operand: with the others, a second-level cache */

/* Opens an engine on `ring` (borrowed, outlives it). Tables of a modulus with a root: about 2 N words with FP64, 4 N
 * without. HB_ENOMEM. */
hb_status hb_cpu_engine_open(const hb_ring *ring, hb_engine **out);

#endif
