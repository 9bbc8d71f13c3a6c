/* The schemes whose parameters can be found. */
#include "search.h"

const hb_search *hb_search_of(hb_scheme scheme)
{
    static const hb_search *const searches[] = {[HB_BFV] = &hb_bfv_search, [HB_CKKS] = &hb_ckks_search};
    HB_ROW_PER_SCHEME(searches);
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return searches[scheme];
}

hb_status hb_suggest_take_options(hb_suggest_request *request, const hb_params_choice *choice)
{
    if (choice->preset != NULL || choice->n != HB_NOT_GIVEN || choice->primes != NULL || choice->bits != NULL ||
        choice->special_primes != HB_NOT_GIVEN || choice->digit_primes != HB_NOT_GIVEN || choice->eval_mod != NULL ||
        choice->insecure) {
        return HB_FAIL(HB_EUSAGE,
                       "suggest chooses the parameters: of their options it takes %s, --security and --security-table",
                       hb_params_words_of(&(hb_params_spec){.scheme = request->scheme})->asked);
    }
    return hb_search_of(request->scheme)->take_options(request, choice);
}
