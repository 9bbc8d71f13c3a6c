/* Parameters of CKKS on the command line, in lines and in reports: what they have besides those of all schemes. */
#include "ckks/params.h"

#include <inttypes.h>
#include <stdio.h>

#include "console.h"
#include "params_options.h"
#include "report.h"

static bool is_chosen(const hb_params_choice *choice)
{
    (void)choice;
    return false;
}

static hb_status choose(const hb_params_choice *choice, hb_params_spec *spec)
{
    (void)choice, (void)spec;
    return HB_OK;
}

static void value(char text[HB_PARAMS_VALUE], const hb_params_spec *spec)
{
    snprintf(text, HB_PARAMS_VALUE, "2^%" PRIu32, spec->ckks.scale_bits);
}

static json_t *json(const hb_params_spec *spec)
{
    return json_pack("{s:o, s:b}", "scale_bits", hb_report_integer(spec->ckks.scale_bits, false), "like_seal",
                     spec->ckks.like_seal);
}

static void print(const hb_group *group, const hb_common *common, const hb_params *params)
{
    hb_console_result(group, common, "levels        %" PRIu32 ", scale 2^%" PRIu32, params->data_limbs - 1,
                      params->spec.ckks.scale_bits);
    for (uint32_t k = 1; k <= params->data_limbs; k++) {
        char text[HB_SCALE_TEXT];
        hb_scale_text(text, hb_ckks_scale(params, k));
        hb_console_result(group, common, "scale %-7" PRIu32 " %s", k - 1, text);
    }
    hb_console_result(group, common, "values        complex, %zu a ciphertext", params->spec.n / 2);
}

const hb_params_words hb_ckks_words = {.options = "",
                                       .heading = "scale",
                                       .is_chosen = is_chosen,
                                       .choose = choose,
                                       .value = value,
                                       .json = json,
                                       .print = print};
