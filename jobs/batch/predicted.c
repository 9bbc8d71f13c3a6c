#include "predicted.h"
#include "scheme/quality.h"

#include <ctype.h>
#include <inttypes.h>

hb_quality hb_predicted_quality(const hb_params *params, const hb_header *header)
{
    /* The binomial errors are the larger ones. */
    return header->made_by != HB_MADE_FRESH ? header->quality : hb_quality_fresh(params, !header->seeded, HB_BINOMIAL);
}

hb_predicted hb_predicted_budget(const hb_params *params, const hb_header *header)
{
    const hb_quality noise = hb_predicted_quality(params, header);
    return (hb_predicted){params->spec.scheme, hb_quality_bits(params, header->limbs, noise.worst),
                          hb_quality_bits(params, header->limbs, noise.expected), header->noise_assumed};
}

const char *hb_predicted_word(hb_predicted predicted)
{
    return predicted.assumed ? "assumed" : "proven";
}

typedef struct loud {
    char text[32];
} loud;

/* Returns what the bits are called, in capitals. */
static loud loud_name(hb_scheme scheme)
{
    loud name = {0};
    const char *from = hb_quality_name(scheme);
    for (size_t i = 0; i + 1 < sizeof name.text && from[i] != '\0'; i++) {
        name.text[i] = (char)toupper((unsigned char)from[i]);
    }
    return name;
}

void hb_predicted_judge(const hb_group *group, const char *name, hb_predicted predicted,
                        const hb_quality_measured *measured)
{
    if (measured->count > 0 && measured->least < predicted.worst && predicted.assumed) {
        hb_console_warn(group,
                        "warning: %s: %" PRIu32
                        " bits of %s, but %.0f were assumed when its ciphertexts, or those that it was "
                        "computed from, were imported: state them there with --noise-budget",
                        name, measured->least, hb_quality_name(predicted.scheme), predicted.worst);
    } else if (measured->count > 0 && measured->least < predicted.worst) {
        hb_console_warn(group,
                        "%s: %" PRIu32 " BITS OF %s, BUT %.0f ARE PROVEN: ITS CIPHERTEXTS WERE NOT MADE AS ITS "
                        "HEADER SAYS, OR THIS PROGRAM IS WRONG",
                        name, measured->least, loud_name(predicted.scheme).text, predicted.worst);
    }
}

static double mean(const hb_quality_measured *measured)
{
    return measured->count > 0 ? (double)measured->sum / (double)measured->count : 0;
}

void hb_predicted_print(const hb_group *group, const hb_common *common, hb_predicted predicted,
                        const hb_quality_measured *measured)
{
    if (measured->count > 0) {
        hb_console_result(group, common, "%s %" PRIu32 " bits at least, %.1f on average; %.0f %s, %.0f expected",
                          hb_quality_name(predicted.scheme), measured->least, mean(measured), predicted.worst,
                          hb_predicted_word(predicted), predicted.expected);
    }
}

json_t *hb_predicted_json(hb_predicted predicted, const hb_quality_measured *measured)
{
    return json_pack("{s:I, s:f, s:f, s:f}", "least", (json_int_t)(measured->count > 0 ? measured->least : 0), "mean",
                     mean(measured), hb_predicted_word(predicted), predicted.worst, "expected", predicted.expected);
}
