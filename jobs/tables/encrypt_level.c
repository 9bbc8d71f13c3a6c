#include "encrypt_level.h"

#include <inttypes.h>
#include <math.h>

#include "batch/unit/predicted.h"
#include "lang/program/program.h"
#include "scheme/bootstrap.h"
#include "scheme/codec.h"
#include "scheme/quality.h"

static bool of_reals(const hb_params *params)
{
    return hb_codec_cell_type(params->spec.scheme) == HB_CELL_REAL;
}

static bool has_level(const hb_params *params, uint32_t limbs)
{
    return limbs >= 1 && limbs <= params->fresh_limbs && params->levels[limbs].basis.limbs > 0 &&
           limbs % hb_params_level_limbs(params) == 0;
}

/* The binomial errors are the larger ones. */
static bool is_right(const hb_params *params, bool public_key, uint32_t limbs)
{
    const hb_quality fresh = hb_quality_fresh(params, public_key, HB_BINOMIAL);
    return hb_quality_bits(params, limbs, fresh.worst) >= 1;
}

/* Whether the noise of fresh integers can be read: where the chain bootstraps, from this level on. */
static bool can_go_on(const hb_params *params, bool public_key, uint32_t limbs)
{
    uint32_t k;
    if (!hb_params_can_bootstrap(params)) {
        return true;
    }
    const hb_quality fresh =
        hb_quality_extend(params, limbs, hb_quality_fresh(params, public_key, HB_BINOMIAL), params->fresh_limbs);
    const hb_certainty certainty = hb_certainty_of(hb_trust_by_default(&params->spec));
    const bool can = hb_quality_refresh_bits(params, certainty, fresh, &k) == HB_OK;
    hb_clear_error();
    return can;
}

static hb_status find_fewest(const hb_params *params, bool public_key, uint32_t *limbs)
{
    uint32_t results;
    if (of_reals(params) && !hb_params_can_bootstrap(params)) {
        return HB_FAIL(HB_EUSAGE, "--fewest: these parameters have no bootstrapping, which gives values levels again: "
                                  "--levels N says how many the computation takes");
    }
    if (of_reals(params)) {
        hb_bootstrap_limbs(params, false, limbs, &results);
        return HB_OK;
    }
    *limbs = 1;
    while (*limbs < params->fresh_limbs && !(has_level(params, *limbs) && is_right(params, public_key, *limbs) &&
                                             can_go_on(params, public_key, *limbs))) {
        ++*limbs;
    }
    return can_go_on(params, public_key, *limbs)
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--fewest: at no level can the noise of these integers be refreshed; leave it out");
}

hb_status hb_encrypt_level_find(const hb_encrypt_level *wanted, const hb_params *params, bool public_key,
                                uint32_t *limbs)
{
    const uint32_t own = hb_params_level_limbs(params), most = hb_params_level(params, params->fresh_limbs);
    *limbs = params->fresh_limbs;
    if (wanted->fewest && wanted->chosen) {
        return HB_FAIL(HB_EUSAGE, "--fewest and --levels exclude each other");
    }
    if (wanted->chosen && wanted->levels > most) {
        return HB_FAIL(HB_EUSAGE, "--levels %" PRIu64 ": these parameters have %" PRIu32, wanted->levels, most);
    }
    if (wanted->fewest) {
        HB_TRY(find_fewest(params, public_key, limbs));
    } else if (wanted->chosen) {
        *limbs = own * (uint32_t)(wanted->levels + 1);
    }
    if (!has_level(params, *limbs) || !is_right(params, public_key, *limbs)) {
        return wanted->chosen
                   ? HB_FAIL(HB_EDATA,
                             "--levels %" PRIu64
                             ": nothing of a ciphertext of so few limbs is proven to be right; take more",
                             wanted->levels)
                   : HB_FAIL(HB_EDATA, "nothing of a ciphertext is proven to be right with these parameters");
    }
    return HB_OK;
}

hb_status hb_encrypt_level_check(const hb_header *header, const hb_params *params)
{
    const double room = hb_quality_room(params, header->limbs, hb_predicted_quality(params, header));
    for (uint64_t c = 0; header->cells == HB_CELL_REAL && c < header->schema.columns; c++) {
        const hb_column *column = &header->schema.column[c];
        const double most = fmax(fabs(hb_real_of(column->least)), fabs(hb_real_of(column->most)));
        if (column->ranged && log2(most) > room) {
            return HB_FAIL(HB_EDATA,
                           "column %" PRIu64 ": values up to %g are not held by ciphertexts of %" PRIu32
                           " limbs, whose values are up to 2^%.1f: %s",
                           c + 1, most, header->limbs, floor(10 * room) / 10,
                           header->limbs < params->fresh_limbs ? "more levels (--levels) hold more"
                                                               : "parameters with a smaller --precision hold more");
        }
    }
    return HB_OK;
}
