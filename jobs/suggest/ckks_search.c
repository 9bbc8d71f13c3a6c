/* Parameters of CKKS: none are looked for yet, and whoever asks for them is told so. */
#include "search.h"

static hb_status refuse(void)
{
    return HB_FAIL(HB_ECONFIG, "the search for parameters of CKKS is not built");
}

static hb_status ask(hb_suggest_request *request, const hb_params_choice *choice)
{
    (void)request, (void)choice;
    return refuse();
}

static hb_status check(const hb_suggest_request *request)
{
    (void)request;
    return refuse();
}

static void hold(hb_trials *trials, hb_interval values, bool is_signed)
{
    (void)trials, (void)values, (void)is_signed;
}

static hb_status begin(const hb_trials *trials, hb_params_spec *spec)
{
    (void)trials, (void)spec;
    return refuse();
}

static hb_status take(hb_trials *trials, const hb_output *output)
{
    (void)trials, (void)output;
    return refuse();
}

static bool fits(const hb_trials *trials, const hb_params_spec *preset)
{
    (void)trials, (void)preset;
    return false;
}

static bool complete(const hb_trials *trials, hb_params_spec *spec)
{
    (void)trials, (void)spec;
    return false;
}

static void describe(const hb_trials *trials, char text[96])
{
    (void)trials;
    text[0] = '\0';
}

static void print(const hb_group *group, const hb_common *common, const hb_params *params)
{
    (void)group, (void)common, (void)params;
}

static void print_option(const hb_params *params, FILE *to)
{
    (void)params, (void)to;
}

static const char *remark(const hb_params *params, const hb_output *output)
{
    (void)params, (void)output;
    return "";
}

const hb_search hb_ckks_search = {
    .ask = ask,
    .check = check,
    .hold = hold,
    .begin = begin,
    .take = take,
    .fits = fits,
    .complete = complete,
    .describe = describe,
    .print = print,
    .print_option = print_option,
    .remark = remark,
    .too_large = "values that no scale holds",
};
