#include "semantics.h"

static const hb_semantics *const semantics[] = {[HB_BFV] = &hb_bfv_semantics};

const hb_semantics *hb_semantics_of(hb_scheme scheme)
{
    HB_ASSERT((size_t)scheme < sizeof semantics / sizeof *semantics);
    return semantics[scheme];
}
