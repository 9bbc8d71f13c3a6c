/* The schemes whose parameters can be found. */
#include "search.h"

const hb_search *hb_search_of(hb_scheme scheme)
{
    static const hb_search *const searches[] = {[HB_BFV] = &hb_bfv_search, [HB_CKKS] = &hb_ckks_search};
    HB_ROW_PER_SCHEME(searches);
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return searches[scheme];
}

/* Takes the preset that is to be judged. */
static hb_status take_preset(hb_suggest_request *request, const hb_params_choice *choice)
{
    hb_params_spec spec;
    HB_TRY(hb_params_preset(choice->preset, &spec));
    if (choice->scheme != NULL && spec.scheme != request->scheme) {
        return HB_FAIL(HB_EUSAGE, "--scheme %.32s, and --params %.64s is of %s", choice->scheme, choice->preset,
                       hb_scheme_word(spec.scheme));
    }
    if (request->judged.keys != NULL) {
        return HB_FAIL(HB_EUSAGE, "--params: the keys of --keys say theirs");
    }
    if (spec.insecure && !choice->insecure) {
        return HB_FAIL(HB_ECONFIG, "--params %.64s: is for tests; add --insecure", choice->preset);
    }
    request->scheme = spec.scheme;
    request->judged.preset = choice->preset;
    request->judged.insecure = spec.insecure;
    return HB_OK;
}

hb_status hb_suggest_take_options(hb_suggest_request *request, const hb_params_choice *choice)
{
    if (choice->n != HB_NOT_GIVEN || choice->primes != NULL || choice->bits != NULL ||
        choice->special_primes != HB_NOT_GIVEN || choice->digit_primes != HB_NOT_GIVEN || choice->eval_mod != NULL ||
        (choice->insecure && choice->preset == NULL)) {
        return HB_FAIL(HB_EUSAGE,
                       "suggest chooses the parameters, or judges those of --params: of their options it takes %s, "
                       "--security and --security-table",
                       hb_params_words_of(&(hb_params_spec){.scheme = request->scheme})->asked);
    }
    if (choice->preset != NULL) {
        HB_TRY(take_preset(request, choice));
    }
    return hb_search_of(request->scheme)->take_options(request, choice);
}
