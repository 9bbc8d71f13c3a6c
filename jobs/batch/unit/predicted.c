#include "predicted.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/outward.h"
#include "scheme/codec.h"
#include "scheme/quality.h"

/* Returns how large values can be: as the ranges of all columns say, or else as the ciphertexts have room for. */
static hb_magnitude magnitude_of(const hb_params *params, const hb_header *header, hb_quality quality)
{
    const hb_schema *schema = &header->schema;
    double most = 0, room = hb_quality_room(params, header->limbs, quality);
    if (header->made_by == HB_MADE_FRESH) {
        room = fmin(room, log2(hb_real_of(hb_codec_cell_range(&header->spec, true).most)));
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        most = column->ranged ? fmax(most, fmax(fabs(hb_real_of(column->least)), fabs(hb_real_of(column->most))))
                              : INFINITY;
    }
    most = fmin(log2(most), room);
    return (hb_magnitude){most, most, 0, most};
}

/* Whether nothing is known of how large the values of some column are but that the modulus has room for them. */
static bool unranged(const hb_header *header)
{
    bool all = true;
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        all = all && header->schema.column[c].ranged;
    }
    return header->cells == HB_CELL_REAL && header->made_by != HB_MADE_FRESH && !all;
}

/* Adds the error of one transform between values and coefficients to a bound. */
typedef hb_quality (*transform)(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);

/* Adds that; exact values need none. */
static hb_quality transformed(const hb_params *params, const hb_header *header, hb_quality quality, transform add)
{
    return header->cells == HB_CELL_REAL ? add(params, header->limbs, quality, magnitude_of(params, header, quality))
                                         : quality;
}

hb_quality hb_predicted_quality(const hb_params *params, const hb_header *header)
{
    if (header->made_by != HB_MADE_FRESH) {
        return header->quality;
    }
    /* The binomial errors are the larger ones. */
    return transformed(params, header, hb_quality_fresh(params, !header->seeded, HB_BINOMIAL), hb_quality_transformed);
}

/* Numbers of a row that is spread are divided, and multiplied when they are decrypted, with their errors. */
static hb_quality multiplied(const hb_params *params, const hb_header *header, hb_quality quality)
{
    const uint32_t steps = hb_header_spread_steps(header);
    return steps > 0 ? hb_quality_multiply_integer(params, quality, ldexp(1, (int)steps)) : quality;
}

hb_predicted hb_predicted_budget(const hb_params *params, const hb_header *header)
{
    const bool unknown = unranged(header);
    const hb_quality found = hb_predicted_quality(params, header),
                     decoded = unknown ? found : transformed(params, header, found, hb_quality_decoded),
                     error = header->cells == HB_CELL_REAL ? multiplied(params, header, decoded) : decoded;
    return (hb_predicted){.scheme = params->spec.scheme,
                          .cells = header->cells,
                          .worst = hb_quality_bits(params, header->limbs, error.worst),
                          .expected = hb_quality_bits(params, header->limbs, error.expected),
                          .approximate = header->approximate,
                          .assumed = header->noise_assumed,
                          .unranged = unknown,
                          .certainty = error.certainty};
}

double hb_predicted_tolerance(hb_predicted predicted)
{
    return predicted.cells == HB_CELL_REAL ? exp2(-predicted.worst) : 0;
}

const char *hb_certainty_word(hb_certainty certainty)
{
    static const char *const words[] = {
        [HB_CERTAINTY_PROVEN] = "proven", [HB_CERTAINTY_DRAWN] = "drawn", [HB_CERTAINTY_EXPECTED] = "likely"};
    return words[certainty];
}

const char *hb_predicted_word(hb_predicted predicted)
{
    return predicted.assumed ? "assumed" : hb_certainty_word(predicted.certainty);
}

const char hb_predicted_unranged[] = "none expected, as the range of the values is unknown";

/* The reasons for bounds that are not proven. */
static const char *const certainties[] = {[HB_CERTAINTY_PROVEN] = "proven",
                                          [HB_CERTAINTY_DRAWN] = "with all but 2^-64 of probability",
                                          [HB_CERTAINTY_EXPECTED] = "likely, as one in some millions has fewer"};

typedef struct loud {
    char text[32];
} loud;

/* Returns the name of the bits, in capitals. */
static loud loud_name(hb_scheme scheme)
{
    loud name = {0};
    const char *from = hb_quality_name(scheme);
    for (size_t i = 0; i + 1 < sizeof name.text && from[i] != '\0'; i++) {
        name.text[i] = (char)toupper((unsigned char)from[i]);
    }
    return name;
}

static double mean(const hb_quality_measured *measured)
{
    return measured->count > 0 ? (double)measured->sum / (double)measured->count : 0;
}

static json_t *shown_json(hb_predicted predicted, double bits)
{
    return predicted.unranged ? json_null() : json_real(bits);
}

json_t *hb_predicted_plan_json(hb_predicted predicted)
{
    return json_pack("{s:o, s:o}", hb_predicted_word(predicted), shown_json(predicted, predicted.worst), "expected",
                     shown_json(predicted, predicted.expected));
}

void hb_predicted_plan_print(const hb_group *group, const hb_common *common, hb_predicted predicted, const char *source,
                             bool result)
{
    const hb_speaker say = hb_console_speaker(result);
    const char *name = hb_quality_name(predicted.scheme);
    const bool real = predicted.cells == HB_CELL_REAL;
    char assumed[64] = "";
    if (predicted.unranged) {
        say(group, common, "%-12s %s", name, hb_predicted_unranged);
        return;
    }
    if (predicted.assumed) {
        snprintf(assumed, sizeof assumed, " (assumed: %s imported)", source);
    } else if (predicted.certainty != HB_CERTAINTY_PROVEN) {
        snprintf(assumed, sizeof assumed, " (%s)", certainties[predicted.certainty]);
    }
    say(group, common, "%-12s %s%s, %s", name,
        hb_human_bits(predicted.worst, real, "bits at least", "no bits proven").text, assumed,
        hb_human_bits(predicted.expected, real, "expected", "none expected").text);
}

bool hb_predicted_is_measured(hb_predicted predicted, const hb_quality_measured *measured)
{
    return (predicted.cells == HB_CELL_REAL ? measured->precision.count : measured->count) > 0;
}

/* Returns the fewest bits that were measured. */
static double least(hb_predicted predicted, const hb_quality_measured *measured)
{
    if (!hb_predicted_is_measured(predicted, measured)) {
        return 0;
    }
    return predicted.cells == HB_CELL_REAL ? hb_precision_least_bits(&measured->precision) : measured->least;
}

bool hb_predicted_judge(const hb_group *group, const char *name, hb_predicted predicted,
                        const hb_quality_measured *measured)
{
    const double found = least(predicted, measured);
    if (!hb_predicted_is_measured(predicted, measured) || found >= predicted.worst || predicted.unranged) {
        return true;
    }
    const bool real = predicted.cells == HB_CELL_REAL;
    if (predicted.assumed) {
        hb_console_warn(group,
                        "warning: %s: %s of %s, but %s when its ciphertexts, or those that it was computed from, were "
                        "imported: state them there with %s",
                        name, hb_human_bits(found, real, "bits", "no bits").text, hb_quality_name(predicted.scheme),
                        hb_human_bits(predicted.worst, real, "were assumed", "none were assumed").text,
                        real ? "--noise-bits" : "--noise-budget");
    } else if (predicted.certainty != HB_CERTAINTY_PROVEN) {
        hb_console_warn(group, "%s: %s OF %s, BUT %s, %s: ITS CIPHERTEXTS WERE NOT MADE AS ITS HEADER SAYS", name,
                        hb_human_bits(found, real, "BITS", "NO BITS").text, loud_name(predicted.scheme).text,
                        hb_human_bits(predicted.worst, real, "ARE SAID", "NONE ARE SAID").text,
                        certainties[predicted.certainty]);
    } else {
        hb_console_warn(group,
                        "%s: %s OF %s, BUT %s: ITS CIPHERTEXTS WERE NOT MADE AS ITS HEADER SAYS, OR THIS PROGRAM IS "
                        "WRONG",
                        name, hb_human_bits(found, real, "BITS", "NO BITS").text, loud_name(predicted.scheme).text,
                        hb_human_bits(predicted.worst, real, "ARE PROVEN", "NONE ARE PROVEN").text);
    }
    return false;
}

void hb_predicted_print(const hb_group *group, const hb_common *common, hb_predicted predicted,
                        const hb_quality_measured *measured)
{
    if (!hb_predicted_is_measured(predicted, measured)) {
        return;
    }
    const char *name = hb_quality_name(predicted.scheme), *word = hb_predicted_word(predicted);
    char none[24];
    snprintf(none, sizeof none, "none %s", word);
    char besides[64] = ""; /* errors that the noise, measured in imaginary parts, does not show */
    if (predicted.approximate > 0 && predicted.worst >= 0) {
        snprintf(besides, sizeof besides, ", besides the approximation's 2^%.1f",
                 hb_decimal_up(log2(predicted.approximate), 1));
    } else if (predicted.approximate > 0) {
        snprintf(besides, sizeof besides, ", besides what approximation adds");
    }
    if (predicted.unranged) {
        hb_console_result(group, common, "%-12s %s; %s by the measured noise%s", name, hb_predicted_unranged,
                          hb_human_bits(least(predicted, measured), true, "bits", "none").text, besides);
    } else if (predicted.cells == HB_CELL_REAL) {
        /* The least first: measurements do not see errors of approximations. */
        hb_console_result(group, common, "%-12s %s, %s, %s by the measured noise%s", name,
                          hb_human_bits(predicted.worst, true, word, none).text,
                          hb_human_bits(predicted.expected, true, "expected", "none expected").text,
                          hb_human_bits(least(predicted, measured), true, "bits", "none").text, besides);
    } else {
        hb_console_result(group, common, "%s %" PRIu32 " bits at least, %.1f on average; %s, %s", name, measured->least,
                          mean(measured), hb_human_bits(predicted.worst, false, word, none).text,
                          hb_human_bits(predicted.expected, false, "expected", "none expected").text);
    }
}

hb_predicted_share hb_predicted_part(double approximate, double worst)
{
    hb_predicted_share part = {""};
    if (approximate > 0 && worst >= 0) {
        snprintf(part.text, sizeof part.text, ", 2^%.1f of it by approximation", hb_decimal_up(log2(approximate), 1));
    }
    return part;
}

/* Null where nothing was measured; and for errors of 0, which have more bits than any number says. */
static json_t *bits_json(const hb_precision *precision, double bits)
{
    return precision->count > 0 && isfinite(bits) ? json_real(bits) : json_null();
}

json_t *hb_predicted_approximate_json(double approximate, double worst)
{
    return approximate > 0 && worst >= 0 ? json_real(approximate) : NULL;
}

json_t *hb_predicted_json(hb_predicted predicted, const hb_quality_measured *measured)
{
    const hb_precision *precision = &measured->precision;
    const bool real = predicted.cells == HB_CELL_REAL;
    json_t *few = real ? bits_json(precision, hb_precision_least_bits(precision))
                       : json_integer((json_int_t)least(predicted, measured));
    json_t *middle = real ? bits_json(precision, hb_precision_mean_bits(precision)) : json_real(mean(measured));
    return json_pack("{s:o*, s:o, s:o, s:o, s:o}", "approximate",
                     hb_predicted_approximate_json(predicted.approximate, predicted.worst), "least", few, "mean",
                     middle, hb_predicted_word(predicted), shown_json(predicted, predicted.worst), "expected",
                     shown_json(predicted, predicted.expected));
}
