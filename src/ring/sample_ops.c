/* The front end of sampling. */
#include "sample_ops.h"

#include "base/sample.h"
#include "local.h"
#include "shape.h"

hb_status hb_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    hb_require_shape(e, r);
    /* There is one seed for each polynomial: an empty batch needs none. */
    HB_ASSERT(seeds != NULL || r.count == 0);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->sample->sample_uniform(here.engine, hb_local_view(&here, r), seeds);
}

hb_status hb_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    hb_require_same_limbs(e, r, b);
    HB_ASSERT(seeds != NULL || r.count == 0);
    HB_ASSERT((b.count == r.count || b.count == 1) && (r.data != b.data || r.count == 0));
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->sample->mul_uniform(here.engine, hb_local_view(&here, r), seeds, hb_local_view(&here, b));
}

/* Returns the largest magnitude of a distribution. */
static uint64_t bound_of(hb_distribution distribution)
{
    switch (distribution) {
    case HB_TERNARY:
        return 1;
    case HB_GAUSSIAN:
        return HB_GAUSSIAN_BOUND;
    case HB_BINOMIAL:
        return HB_BINOMIAL_BOUND;
    }
    return UINT64_MAX; /* no modulus is above this */
}

/* Checks a draw of small integers into r. */
static void check_small(const hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    hb_require_shape(e, r);
    HB_ASSERT(draw.seed != NULL);
    for (uint32_t l = 0; l < r.limbs; l++) {
        /* A residue stands for an integer of less magnitude than the modulus. */
        HB_ASSERT(e->ring->moduli[r.ids[l]].value > bound_of(distribution));
    }
}

hb_status hb_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    check_small(e, r, distribution, draw);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->sample->sample_small(here.engine, hb_local_view(&here, r), distribution, draw);
}

hb_status hb_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    check_small(e, r, distribution, draw);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->sample->add_small(here.engine, hb_local_view(&here, r), distribution, draw, sign);
}

hb_status hb_add_exact_flood(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds)
{
    hb_require_shape(e, r);
    HB_ASSERT(seeds != NULL || r.count == 0);
    HB_ASSERT(flood.u >= 1 && flood.w >= 1 && flood.w <= HB_EXACT_FLOOD_MOST_WIDTH);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->sample->add_exact_flood(here.engine, hb_local_view(&here, r), flood, seeds);
}
