#include "bootstrap.h"

#include "scheme_ops.h"

/* Returns what a scheme has for it, or fails where the scheme has nothing. */
static hb_status require(const hb_params *params, const hb_bootstrap_ops **ops)
{
    const hb_scheme_ops *scheme = hb_scheme_ops_for(params);
    *ops = &scheme->bootstrap;
    return scheme->bootstrap.key_purposes != NULL ? HB_OK
                                                  : HB_FAIL(HB_ECONFIG, "%s has no bootstrapping here", scheme->name);
}

hb_status hb_bootstrap_key_purposes(const hb_params *params, hb_key_purpose *list, uint32_t room, uint32_t *count)
{
    const hb_bootstrap_ops *ops;
    *count = 0;
    HB_TRY(require(params, &ops));
    return ops->key_purposes(params, list, room, count);
}
