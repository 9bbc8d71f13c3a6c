/* `hebatch bench limbs` from its words to its tables. */
#include <inttypes.h>
#include <stdlib.h>

#include "limbs.h"

static hb_status open_params(const hb_bench_limbs_words *w, hb_params **out)
{
    const bool own = w->n > 0 || w->limbs > 0;
    *out = NULL;
    if (own && w->preset != NULL) {
        return HB_FAIL(HB_EUSAGE, "--params names a whole chain: leave out --n, --limbs and --bits, or --params");
    }
    if (own && (w->n == 0 || w->limbs == 0)) {
        return HB_FAIL(HB_EUSAGE, "choose parameters with --params NAME, or with both --n N and --limbs COUNT");
    }
    return hb_bench_limbs_params(w->preset != NULL ? w->preset : "bfv-8192", w->n, w->limbs, w->bits, w->insecure, out);
}

static hb_status report(hb_group *group, const hb_bench_limbs_options *options, const hb_limbs_results *results,
                        const char *device)
{
    return hb_report_results(group, "bench",
                             json_pack("{s:{s:s, s:s}, s:o, s:f, s:o}", "device", "kind",
                                       options->device->gpu ? "gpu" : "cpu", "name", device, "params",
                                       hb_report_params(options->params), "seconds_each", options->seconds, "limbs",
                                       hb_bench_limbs_json(options, results)));
}

hb_status hb_bench_limbs_command(hb_group *group, const hb_common *common, const hb_bench_limbs_words *words,
                                 hb_bench_limbs_options options, const char *device)
{
    hb_status st;
    hb_limbs_results *results = malloc(sizeof *results); /* too large for a stack */
    HB_GOTO(hb_agree(group, results != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the results of a benchmark")));
    HB_GOTO(hb_agree(group, open_params(words, &options.params)));
    const hb_params *p = options.params;
    options.limbs.ranks = words->ranks;
    if (p->spec.insecure) {
        hb_console_warn_insecure(group, p->chain_bits);
    }
    HB_GOTO(hb_bench_limbs(group, common, &options, results));
    hb_console_result(group, common,
                      "%s, N = %zu, %" PRIu32 " limbs and %" PRIu32 " for switching keys, %" PRIu32
                      " bits; %s, %d rank%s",
                      p->name, p->spec.n, p->data_limbs, p->key_limbs - p->data_limbs, p->chain_bits, device,
                      group->size, group->size == 1 ? "" : "s");
    hb_bench_print_limbs(group, common, &options, results);
    st = common->json ? hb_agree(group, report(group, &options, results, device)) : HB_OK;
done:
    free(results);
    hb_params_close(options.params);
    return st;
}
