/* The schemes whose parameters can be found. */
#include "search.h"

const hb_search *hb_search_of(hb_scheme scheme)
{
    static const hb_search *const searches[] = {[HB_BFV] = &hb_bfv_search};
    HB_ASSERT((size_t)scheme < sizeof searches / sizeof *searches);
    return searches[scheme];
}
