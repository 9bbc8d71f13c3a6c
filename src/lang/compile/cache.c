#include "cache.h"

#include <stdlib.h>

hb_status hb_compile_cache_open(hb_compile_cache **out)
{
    hb_compile_cache *cache = calloc(1, sizeof *cache);
    hb_status st = cache != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for what compilations have in common");
    HB_GOTO(st);
    HB_GOTO(hb_approximations_open(&cache->approximations));
    HB_GOTO(hb_interpolations_open(&cache->interpolations));
    HB_GOTO(hb_kept_matrices_open(&cache->matrices));
    *out = cache;
    return HB_OK;
done:
    hb_compile_cache_close(cache);
    return st;
}

void hb_compile_cache_close(hb_compile_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (uint32_t i = 0; i < HB_LOWERED_KEPT; i++) {
        hb_lowered_graph_clear(&cache->lowered[i]);
    }
    hb_derived_clear(&cache->derived);
    free(cache->tables);
    hb_syntax_clear(&cache->syntax);
    free(cache->text);
    hb_kept_matrices_close(cache->matrices);
    hb_interpolations_close(cache->interpolations);
    hb_approximations_close(cache->approximations);
    free(cache);
}
