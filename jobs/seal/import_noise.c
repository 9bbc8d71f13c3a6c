#include "import_noise.h"

#include <inttypes.h>
#include <math.h>

#include "base/outward.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* Returns whether fresh ciphertexts may have the scale. The highest level takes any scale that is no product's;
 * ciphertexts that were brought down without a product keep the intended scale. */
static bool is_fresh_scale(const hb_params *params, const hb_header *header)
{
    hb_params_spec usual = params->spec;
    (void)hb_codec_state_scale(&usual, header->limbs, 0);
    const double highest = hb_codec_scale(&usual, params->fresh_limbs);
    if (header->cells != HB_CELL_REAL || header->scale == highest) {
        return true;
    }
    return header->limbs == params->fresh_limbs && log2(header->scale) < 1.5 * log2(highest);
}

/* For a ciphertext that a public key made with SEAL's errors, brought down to its level: of reals without a word of it
 * changed. */
static hb_quality fresh_noise(const hb_params *params, const hb_header *header)
{
    const hb_quality noise = hb_quality_fresh(params, true, HB_BINOMIAL);
    return header->cells == HB_CELL_REAL
               ? noise
               : hb_quality_adjust(params, params->fresh_limbs, (hb_quality_factor){.quality = noise, .size = 2},
                                   header->limbs);
}

/* The largest noise that leaves the budget, as files store it. */
static hb_status noise_of_budget(const hb_seal_job *job, const hb_params *params, hb_header *header)
{
    const double most = hb_quality_bits(params, header->limbs, 0);
    if (header->cells == HB_CELL_REAL) {
        return HB_FAIL(HB_EUSAGE,
                       "--noise-budget %.0f: ciphertexts of CKKS have none; --noise-bits says log2 of their "
                       "largest error times the scale",
                       job->budget);
    }
    if (job->budget > most) {
        return HB_FAIL(HB_EUSAGE, "--noise-budget %.0f: ciphertexts of %" PRIu32 " limbs have at most %.0f bits",
                       job->budget, header->limbs, hb_decimal_down(most, 0));
    }
    const double bits = most - job->budget + 1 - 1.0 / 1024; /* below the next whole number */
    hb_header_quality(header, (hb_quality){.worst = bits, .expected = bits});
    return HB_OK;
}

static hb_status require_fresh(const hb_seal_job *job, const hb_params *params, const char *product,
                               const hb_header *header)
{
    if (product != NULL) {
        return HB_FAIL(HB_EUSAGE, "%s: is a product, whose noise is not that of fresh ciphertexts: %s says it", product,
                       header->cells == HB_CELL_REAL ? "--noise-bits (log2 of its largest error times the scale)"
                                                     : "--noise-budget");
    }
    return is_fresh_scale(params, header)
               ? HB_OK
               : HB_FAIL(HB_EUSAGE,
                         "%s: has a scale of 2^%.9g at %" PRIu32
                         " limbs, as products have, whose noise is not that of fresh ciphertexts: --noise-bits (log2 "
                         "of its largest error times the scale) says it",
                         job->files[0], log2(header->scale), header->limbs);
}

static hb_status set_noise(const hb_seal_job *job, const hb_params *params, const char *product, hb_header *header)
{
    const bool indexed = header->made_by != HB_MADE_FRESH;
    header->made_by = HB_MADE_IMPORTED;
    hb_header_forget_sanitized(header);
    header->noise_assumed = true; /* assumed in every case: their maker is unknown */
    if (job->noise >= 0) {
        hb_header_quality(header, (hb_quality){.worst = job->noise, .expected = job->noise});
    } else if (job->budget >= 0) {
        HB_TRY(noise_of_budget(job, params, header));
    } else if (!indexed) {
        HB_TRY(require_fresh(job, params, product, header));
        hb_header_quality(header, fresh_noise(params, header));
    }
    if (product != NULL) { /* which relinearizing adds to */
        hb_header_quality(header, hb_quality_switch(params, header->limbs, header->quality, HB_SWITCH_RELIN));
    }
    return HB_OK;
}

hb_status hb_seal_import_noise(const hb_seal_job *job, const char *product, hb_header *header)
{
    hb_params *params;
    HB_TRY(hb_params_open(&header->spec, &params));
    const hb_status st = set_noise(job, params, product, header);
    hb_params_close(params);
    return st;
}
