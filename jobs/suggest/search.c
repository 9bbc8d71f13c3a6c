/* The schemes whose parameters can be found. */
#include "search.h"

const hb_search *hb_search_of(hb_scheme scheme)
{
    static const hb_search *const searches[] = {[HB_BFV] = &hb_bfv_search, [HB_CKKS] = &hb_ckks_search};
    HB_ROW_PER_SCHEME(searches);
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return searches[scheme];
}
