#include "bootstrap.h"

#include <stdlib.h>

#include "scheme_ops.h"

/* Returns the scheme's table of bootstrapping, or fails where it has none. */
static hb_status require(const hb_params *params, const hb_bootstrap_ops **ops)
{
    const hb_scheme_ops *scheme = hb_scheme_ops_for(params);
    *ops = &scheme->bootstrap;
    return scheme->bootstrap.key_purposes != NULL ? HB_OK
                                                  : HB_FAIL(HB_ECONFIG, "%s has no bootstrapping here", scheme->name);
}

hb_status hb_bootstrap_key_purposes(const hb_params *params, hb_key_purpose **list, uint32_t *count)
{
    const hb_bootstrap_ops *ops;
    uint32_t found = 0;
    *list = NULL;
    *count = 0;
    HB_TRY(require(params, &ops));
    HB_TRY(ops->key_purposes(params, 0, NULL, 0, &found));
    hb_key_purpose *made = calloc((size_t)found + 1, sizeof *made);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", found);
    }
    const hb_status st = ops->key_purposes(params, 0, made, found, &found);
    if (st != HB_OK) {
        free(made);
        return st;
    }
    *list = made;
    *count = found;
    return HB_OK;
}

hb_status hb_bootstrap_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec,
                            hb_bootstrap **out)
{
    const hb_bootstrap_ops *ops;
    *out = NULL;
    HB_TRY(require(params, &ops));
    return ops->open(engine, params, spec, out);
}

void hb_bootstrap_close(hb_bootstrap *bootstrap)
{
    if (bootstrap != NULL) {
        hb_scheme_ops_for(bootstrap->params)->bootstrap.close(bootstrap);
    }
}

hb_status hb_bootstrap_memory_of(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out)
{
    const hb_bootstrap_ops *ops;
    *out = (hb_bootstrap_memory){0};
    HB_TRY(require(params, &ops));
    return ops->memory(params, spec, out);
}

hb_status hb_bootstrap_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind, uint32_t range_bits,
                             hb_ciphertexts r[], hb_ciphertexts a[], const hb_switch_keys *keys)
{
    return hb_scheme_ops_for(bootstrap->params)->bootstrap.apply(ev, bootstrap, kind, range_bits, r, a, keys);
}

void hb_bootstrap_limbs(const hb_params *params, bool lowest, uint32_t *operands, uint32_t *results)
{
    HB_ASSERT(lowest ? hb_bootstraps_lowest(params, 0) : hb_params_can_bootstrap(params));
    hb_scheme_ops_for(params)->bootstrap.limbs(params, lowest, operands, results);
}

bool hb_bootstraps_lowest(const hb_params *params, uint32_t range_bits)
{
    const hb_bootstrap_ops *ops = &hb_scheme_ops_for(params)->bootstrap;
    return ops->from_lowest != NULL && ops->from_lowest(params, range_bits);
}

hb_status hb_bootstrap_apply_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                                   const hb_switch_keys *keys)
{
    return hb_scheme_ops_for(bootstrap->params)->bootstrap.apply_stage(ev, bootstrap, stage, count, keys);
}
