#include "combine.h"

#include <inttypes.h>

#include "scheme/quality.h"

hb_status hb_combiner_open(hb_engine *engine, const hb_params *params, uint32_t limbs, size_t max_count,
                           hb_decryptor **out)
{
    const hb_secret_key none = {.engine = engine, .params = params};
    return hb_decryptor_open(engine, &none, limbs, max_count, out);
}

hb_status hb_combiner_decrypt(hb_decryptor *combiner, hb_batch plain, hb_batch phase, const hb_part_plan *plan,
                              uint64_t first, uint32_t *budgets)
{
    const hb_params *params = combiner->params;
    const uint32_t limbs = phase.limbs;
    const double least = hb_quality_bits(params, limbs, plan->worst);
    hb_status st;
    HB_GOTO(hb_decrypt(combiner, plain, phase));
    HB_GOTO(hb_decryptor_measure(combiner, budgets, phase));
    HB_GOTO(hb_finish(combiner->engine));
    for (size_t c = 0; c < plain.count; c++) {
        if (budgets[c] < least) {
            HB_GOTO(
                HB_FAIL(HB_EDATA,
                        "ciphertext %" PRIu64 ": one of the parts is wrong (%" PRIu32
                        " bits of noise budget, %.0f proven); nobody can tell which: let every owner make his again",
                        first + c, budgets[c], least));
        }
    }
done:
    if (st != HB_OK) {
        hb_batch_wipe(combiner->engine, plain);
    }
    return st;
}
