/* What the ciphertexts of a dataset are, in HDF5: their scheme and form, who made them, bounds of their noise. This
 * program has one scheme; the words are there so that files of another are refused for what they are. */
#include <inttypes.h>
#include <string.h>

#include "dataset_private.h"

static const char *const schemes[] = {[HB_SCHEME_BFV] = "bfv"};
static const char *const forms[] = {[HB_FORM_COEFFICIENT] = "coefficient"};
static const char *const makers[] = {[HB_FILE_SECRET_KEY] = "secret key",
                                     [HB_FILE_PUBLIC_KEY] = "public key",
                                     [HB_FILE_EVALUATION] = "evaluation",
                                     [HB_FILE_IMPORT] = "import"};
static const char *const sources[] = {"proven", "assumed"};

hb_status hb_word_get(hid_t at, const char *name, const char *path, const char *const *words, uint32_t count,
                      uint32_t *word)
{
    char text[32];
    HB_TRY(hb_h5_get_text(at, name, path, text, sizeof text));
    for (uint32_t w = 0; w < count; w++) {
        if (strcmp(text, words[w]) == 0) {
            *word = w;
            return HB_OK;
        }
    }
    char known[96] = "";
    for (uint32_t w = 0; w < count; w++) {
        strcat(strcat(known, w == 0 ? "" : ", "), words[w]); /* no list is longer than that of makers */
    }
    return HB_FAIL(HB_EDATA, "%s: attribute '%s' is '%s'; this program knows: %s", path, name, text, known);
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
    HB_TRY(hb_h5_put_u64(group, "noise_worst", hb_quality_to_file(header->noise.worst)));
    return hb_h5_put_u64(group, "noise_expected", hb_quality_to_file(header->noise.expected));
}

/* Bounds above the product of all primes are of no ciphertext; those of HB_MAX_LIMBS primes of 60 bits bound the
 * number. */
hb_status hb_noise_get(hid_t group, const char *path, hb_header *header)
{
    const uint64_t most = (uint64_t)HB_MAX_LIMBS * 60 * 1024;
    uint64_t worst, expected;
    HB_TRY(hb_h5_get_u64(group, "noise_worst", path, most, &worst));
    HB_TRY(hb_h5_get_u64(group, "noise_expected", path, most, &expected));
    header->noise = (hb_quality){.worst = hb_quality_from_file(worst), .expected = hb_quality_from_file(expected)};
    return HB_OK;
}

hb_status hb_made_put(hid_t group, const hb_header *header)
{
    HB_TRY(hb_h5_put_text(group, "scheme", schemes[HB_SCHEME_BFV]));
    HB_TRY(hb_h5_put_text(group, "form", forms[HB_FORM_COEFFICIENT]));
    HB_TRY(hb_h5_put_f64(group, "scale", 0));
    HB_TRY(hb_h5_put_u64(group, "capacity", hb_header_packing(header).capacity));
    HB_TRY(hb_h5_put_text(group, "made_by", makers[hb_header_made(header)]));
    if (header->made_by != HB_MADE_FRESH) {
        HB_TRY(put_noise(group, header));
        HB_TRY(hb_h5_put_u64(group, "noise_powers", header->noise.powers));
        HB_TRY(hb_h5_put_text(group, "noise_source", sources[header->noise_assumed]));
    }
    return hb_h5_put_u64(group, "stray", header->dirty_padding);
}

/* What is the same in every file that this program can read. */
static hb_status check_scheme(hid_t group, const char *path, const hb_header *header)
{
    uint32_t only;
    double scale;
    uint64_t capacity;
    HB_TRY(hb_word_get(group, "scheme", path, schemes, 1, &only));
    HB_TRY(hb_word_get(group, "form", path, forms, 1, &only));
    HB_TRY(hb_h5_get_f64(group, "scale", path, &scale));
    HB_TRY(hb_h5_get_u64(group, "capacity", path, UINT64_MAX, &capacity));
    if (!(scale == 0)) {
        return HB_FAIL(HB_EDATA, "%s: its integers have a scale, which those of bfv have not", path);
    }
    const uint64_t n = hb_header_packing(header).capacity;
    return capacity == n ? HB_OK
                         : HB_FAIL(HB_EDATA, "%s: ciphertexts of %" PRIu64 " values, where bfv holds %" PRIu64, path,
                                   capacity, n);
}

hb_status hb_made_get(hid_t group, const char *path, hb_header *header)
{
    uint32_t made = 0, assumed = 0;
    uint64_t powers = 0;
    HB_TRY(check_scheme(group, path, header));
    HB_TRY(hb_word_get(group, "made_by", path, makers, HB_FILE_MAKERS, &made));
    header->made_by = made == HB_FILE_EVALUATION ? HB_MADE_EVALUATED
                      : made == HB_FILE_IMPORT   ? HB_MADE_IMPORTED
                                                 : HB_MADE_FRESH;
    if (header->made_by == HB_MADE_FRESH && header->seeded != (made == HB_FILE_SECRET_KEY)) {
        return HB_FAIL(HB_EDATA, "%s: ciphertexts made with the %s %s seeds", path, makers[made],
                       header->seeded ? "have no" : "have");
    }
    if (header->made_by != HB_MADE_FRESH) {
        HB_TRY(hb_noise_get(group, path, header));
        HB_TRY(hb_h5_get_u64(group, "noise_powers", path, HB_MOST_NOISE_POWERS, &powers));
        HB_TRY(hb_word_get(group, "noise_source", path, sources, 2, &assumed));
    }
    header->noise.powers = (uint32_t)powers;
    header->noise_assumed = assumed == 1;
    return hb_h5_get_bool(group, "stray", path, &header->dirty_padding);
}
