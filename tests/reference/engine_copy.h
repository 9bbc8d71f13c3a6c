/* An engine's table of operations and its groups, copied, so that a test can replace some. */
#ifndef HB_TESTS_ENGINE_COPY_H
#define HB_TESTS_ENGINE_COPY_H

#include <stddef.h>

#include "ring/bfv_ops.h"

typedef struct engine_copy {
    hb_engine_ops ops; /* of the queue; its groups are those below */
    hb_memory_ops memory;
    hb_ring_ops ring;
    hb_ntt_ops ntt;
    hb_sample_ops sample;
    hb_rns_ops rns;
    hb_garner_ops garner;
    hb_product_ops products;
    hb_row_ops rows;
    hb_bfv_ops bfv;
} engine_copy;
_Static_assert(sizeof(hb_engine_ops) - offsetof(hb_engine_ops, memory) == 10 * sizeof(void *),
               "the copy has every group, but for recordings, which it shares");

static inline void engine_copy_of(engine_copy *copy, const hb_engine_ops *real)
{
    *copy = (engine_copy){.ops = *real,
                          .memory = *real->memory,
                          .ring = *real->ring,
                          .ntt = *real->ntt,
                          .sample = *real->sample,
                          .rns = *real->rns,
                          .garner = *real->garner,
                          .products = *real->products,
                          .rows = *real->rows,
                          .bfv = *real->bfv};
    copy->ops.memory = &copy->memory;
    copy->ops.ring = &copy->ring;
    copy->ops.ntt = &copy->ntt;
    copy->ops.sample = &copy->sample;
    copy->ops.rns = &copy->rns;
    copy->ops.garner = &copy->garner;
    copy->ops.products = &copy->products;
    copy->ops.rows = &copy->rows;
    copy->ops.bfv = &copy->bfv;
}

#endif
