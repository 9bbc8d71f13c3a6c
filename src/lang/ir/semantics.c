#include "semantics.h"

const hb_semantics *hb_semantics_of(hb_scheme scheme)
{
    static const hb_semantics *const semantics[] = {[HB_BFV] = &hb_bfv_semantics, [HB_CKKS] = &hb_ckks_semantics};
    HB_ROW_PER_SCHEME(semantics);
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return semantics[scheme];
}
