/* Facts about the ciphertexts of a dataset, in HDF5: their scheme and form, their maker, bounds of their noise. */
#include <math.h>

#include "dataset_private.h"
#include "io/keys/params_h5_private.h"
#include "scheme/params.h"

static const char *const forms[] = {[HB_COEFFICIENT_FORM] = "coefficient", [HB_NTT_FORM] = "ntt"};
#define FORMS (sizeof forms / sizeof *forms)
static const char *const makers[] = {[HB_FILE_SECRET_KEY] = "secret key",
                                     [HB_FILE_PUBLIC_KEY] = "public key",
                                     [HB_FILE_EVALUATION] = "evaluation",
                                     [HB_FILE_IMPORT] = "import"};
static const char *const sources[] = {"proven", "assumed"};

const char *hb_header_form_word(const hb_header *header)
{
    HB_ASSERT(header->form < FORMS);
    return forms[header->form];
}

uint32_t hb_header_made(const hb_header *header)
{
    switch (header->made_by) {
    case HB_MADE_EVALUATED:
        return HB_FILE_EVALUATION;
    case HB_MADE_IMPORTED:
        return HB_FILE_IMPORT;
    case HB_MADE_FRESH:
        break;
    }
    return header->seeded ? HB_FILE_SECRET_KEY : HB_FILE_PUBLIC_KEY;
}

static hb_status put_noise(hid_t group, const hb_header *header)
{
    HB_TRY(hb_h5_put_u64(group, "noise_worst", hb_quality_to_file(header->quality.worst)));
    return hb_h5_put_u64(group, "noise_expected", hb_quality_to_file(header->quality.expected));
}

/* How errors are spread over slots, which the layout of BFV has no place for. */
static hb_status put_spread(hid_t group, const hb_header *header)
{
    if (hb_header_version(header) < HB_FORMAT_VERSION) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_u64(group, "noise_norm", hb_quality_to_file(header->quality.norm)));
    return hb_h5_put_u64(group, "noise_peak", hb_quality_to_file(header->quality.peak));
}

/* Bounds above the product of all primes are of no ciphertext; those of HB_MAX_LIMBS primes of 60 bits bound the
 * number. */
static const uint64_t most_noise = (uint64_t)HB_QUALITY_MOST_BITS * 1024;

/* Only results of functions have the attribute, so that other datasets have the same bytes as before there were
 * functions. */
static hb_status put_approximate(hid_t group, const hb_header *header)
{
    return header->approximate > 0 ? hb_h5_put_f64(group, "approximate", header->approximate) : HB_OK;
}

static hb_status get_approximate(hid_t group, const char *path, hb_header *header)
{
    htri_t there;
    HB_TRY(
        HB_H5(there = H5Aexists(group, "approximate"), HB_EDATA, "%s: cannot look for attribute 'approximate'", path));
    if (there == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_f64(group, "approximate", path, &header->approximate));
    return header->approximate > 0 && isfinite(header->approximate)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: functions in it are off by %g, which is no error", path, header->approximate);
}

/* Only results that were stored in fewer limbs than they were computed with say so. */
static hb_status put_computed(hid_t group, const hb_header *header)
{
    return header->computed_limbs > 0 ? hb_h5_put_u64(group, "computed_limbs", header->computed_limbs) : HB_OK;
}

static hb_status get_computed(hid_t group, const char *path, hb_header *header)
{
    htri_t there;
    uint64_t limbs = 0;
    HB_TRY(HB_H5(there = H5Aexists(group, "computed_limbs"), HB_EDATA, "%s: cannot look for attribute 'computed_limbs'",
                 path));
    if (there > 0) {
        HB_TRY(hb_h5_get_u64(group, "computed_limbs", path, header->spec.key_limbs, &limbs));
    }
    header->computed_limbs = (uint32_t)limbs;
    return HB_OK;
}

static hb_status get_spread(hid_t group, const char *path, hb_header *header)
{
    uint64_t norm, peak;
    if (header->version < HB_FORMAT_VERSION) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_u64(group, "noise_norm", path, most_noise, &norm));
    HB_TRY(hb_h5_get_u64(group, "noise_peak", path, most_noise, &peak));
    header->quality.norm = hb_quality_from_file(norm);
    header->quality.peak = hb_quality_from_file(peak);
    return HB_OK;
}

hb_status hb_noise_get(hid_t group, const char *path, hb_header *header)
{
    uint64_t worst, expected;
    HB_TRY(hb_h5_get_u64(group, "noise_worst", path, most_noise, &worst));
    HB_TRY(hb_h5_get_u64(group, "noise_expected", path, most_noise, &expected));
    header->quality = (hb_quality){.worst = hb_quality_from_file(worst), .expected = hb_quality_from_file(expected)};
    return HB_OK;
}

hb_status hb_made_put(hid_t group, const hb_header *header)
{
    HB_TRY(hb_h5_put_text(group, "scheme", hb_scheme_word(header->spec.scheme)));
    HB_TRY(hb_h5_put_text(group, "form", hb_header_form_word(header)));
    HB_TRY(hb_h5_put_f64(group, "scale", header->scale));
    if (header->kept > 0) {
        HB_TRY(hb_h5_put_u64(group, "kept", header->kept));
    }
    HB_TRY(hb_h5_put_u64(group, "capacity", header->capacity));
    HB_TRY(hb_h5_put_text(group, "made_by", makers[hb_header_made(header)]));
    if (header->made_by != HB_MADE_FRESH) {
        HB_TRY(put_noise(group, header));
        HB_TRY(put_spread(group, header));
        HB_TRY(put_approximate(group, header));
        HB_TRY(put_computed(group, header));
        HB_TRY(hb_h5_put_u64(group, "noise_powers", header->quality.powers));
        HB_TRY(hb_h5_put_text(group, "noise_source", sources[header->noise_assumed]));
    }
    return hb_h5_put_u64(group, "stray", hb_header_stray(header));
}

/* Every file of this version says how many coefficients it keeps; none of another does. */
static hb_status get_kept(hid_t group, const char *path, hb_header *header)
{
    uint64_t kept = 0;
    if (header->version == HB_FORMAT_CUT) {
        HB_TRY(hb_h5_get_u64(group, "kept", path, header->spec.n, &kept));
    }
    header->kept = (uint32_t)kept;
    return HB_OK;
}

/* Reads the scheme; hb_header_check checks it. */
static hb_status get_scheme(hid_t group, const char *path, hb_header *header)
{
    hb_scheme scheme = header->spec.scheme;
    uint32_t form = 0;
    HB_TRY(hb_scheme_get(group, path, &scheme));
    HB_TRY(hb_h5_get_word(group, "form", path, forms, FORMS, &form));
    HB_TRY(hb_h5_get_f64(group, "scale", path, &header->scale));
    HB_TRY(get_kept(group, path, header));
    HB_TRY(hb_h5_get_u64(group, "capacity", path, UINT64_MAX, &header->capacity));
    header->form = (hb_form)form;
    return scheme == header->spec.scheme ? HB_OK
                                         : HB_FAIL(HB_EDATA, "%s: its ciphertexts are of %s, its parameters of %s",
                                                   path, hb_scheme_word(scheme), hb_scheme_word(header->spec.scheme));
}

hb_status hb_made_get(hid_t group, const char *path, hb_header *header)
{
    uint32_t made = 0, assumed = 0;
    uint64_t powers = 0, stray = 0;
    HB_TRY(get_scheme(group, path, header));
    HB_TRY(hb_h5_get_word(group, "made_by", path, makers, HB_FILE_MAKERS, &made));
    header->made_by = HB_MADE_FRESH;
    if (made == HB_FILE_EVALUATION) {
        header->made_by = HB_MADE_EVALUATED;
    } else if (made == HB_FILE_IMPORT) {
        header->made_by = HB_MADE_IMPORTED;
    }
    if (header->made_by == HB_MADE_FRESH && header->seeded != (made == HB_FILE_SECRET_KEY)) {
        return HB_FAIL(HB_EDATA, "%s: ciphertexts made with the %s %s seeds", path, makers[made],
                       header->seeded ? "have no" : "have");
    }
    if (header->made_by != HB_MADE_FRESH) {
        HB_TRY(hb_noise_get(group, path, header));
        HB_TRY(get_spread(group, path, header));
        HB_TRY(get_approximate(group, path, header));
        HB_TRY(get_computed(group, path, header));
        HB_TRY(hb_h5_get_u64(group, "noise_powers", path, HB_MOST_NOISE_POWERS, &powers));
        HB_TRY(hb_h5_get_word(group, "noise_source", path, sources, 2, &assumed));
    }
    header->quality.powers = (uint32_t)powers;
    header->noise_assumed = assumed == 1;
    HB_TRY(hb_h5_get_u64(group, "stray", path, HB_STRAY_FILLED, &stray));
    header->dirty_padding = stray > 0;
    header->filled = stray == HB_STRAY_FILLED;
    return HB_OK;
}
