/* An engine's table of operations and its groups, copied, so that a test can replace some. */
#ifndef HB_TESTS_ENGINE_COPY_H
#define HB_TESTS_ENGINE_COPY_H

#include <stddef.h>

#include "ring/bfv_ops.h"
#include "ring/real_ops.h"

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
    hb_real_ops real;
} engine_copy;
_Static_assert(sizeof(hb_engine_ops) - offsetof(hb_engine_ops, memory) == 11 * sizeof(void *),
               "the copy has every group, but for recordings, which it shares");

/* An engine of divided limbs lacks groups that its device has: theirs are empty. */
#define HB_COPY_GROUP(name)           \
    do {                              \
        if (real->name != NULL) {     \
            copy->name = *real->name; \
        }                             \
        copy->ops.name = &copy->name; \
    } while (0)

static inline void engine_copy_of(engine_copy *copy, const hb_engine_ops *real)
{
    *copy = (engine_copy){.ops = *real};
    HB_COPY_GROUP(memory);
    HB_COPY_GROUP(ring);
    HB_COPY_GROUP(ntt);
    HB_COPY_GROUP(sample);
    HB_COPY_GROUP(rns);
    HB_COPY_GROUP(garner);
    HB_COPY_GROUP(products);
    HB_COPY_GROUP(rows);
    HB_COPY_GROUP(bfv);
    HB_COPY_GROUP(real);
}

#endif
