#include "recompute_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "tables/part_inputs.h"

static bool is_sum(const char *text)
{
    const size_t digits = strlen(text);
    return digits >= HB_DIGEST_BYTES && digits <= 2 * HB_DIGEST_BYTES && strspn(text, "0123456789abcdef") == digits;
}

/* Where the @ of a demand is in a path; NULL: there is none, as an @ may stand in names of files. */
static char *find_demand(char *path)
{
    static const char ending[] = ".heb";
    const size_t length = sizeof ending - 1;
    char *at = strrchr(path, '@');
    if (at == NULL) {
        return NULL;
    }
    const bool named = (size_t)(at - path) > length && memcmp(at - length, ending, length) == 0;
    return named || is_sum(at + 1) ? at : NULL;
}

hb_status hb_recompute_inputs_read(hb_recompute_inputs *inputs, hb_binding *bindings, uint32_t count,
                                   char *const *assigns)
{
    *inputs = (hb_recompute_inputs){.demand = calloc((size_t)count + 1, sizeof *inputs->demand), .count = count};
    if (inputs->demand == NULL) {
        inputs->count = 0;
        return HB_FAIL(HB_ENOMEM, "no memory for sums of inputs");
    }
    for (uint32_t i = 0; i < count; i++) {
        char *at = find_demand(bindings[i].path);
        if (at == NULL) {
            continue;
        }
        if (hb_names_have(assigns, bindings[i].name)) {
            return HB_FAIL(HB_EUSAGE, "%s=%s: is an output: a sum behind @ is that of an input", bindings[i].name,
                           bindings[i].path);
        }
        inputs->demand[i] = strdup(at + 1);
        *at = '\0';
        if (inputs->demand[i] == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for sums of inputs");
        }
    }
    return HB_OK;
}

void hb_recompute_inputs_clear(hb_recompute_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        free(inputs->demand[i]);
    }
    free(inputs->demand);
    memset(inputs, 0, sizeof *inputs);
}

hb_status hb_recompute_inputs_check(const hb_recompute_inputs *inputs, const hb_eval_job *job)
{
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        const uint32_t binding = hb_binding_find(job->options.bindings, inputs->count, input->name);
        const char *demand = binding < inputs->count ? inputs->demand[binding] : NULL;
        if (demand != NULL && input->dataset == NULL) {
            return HB_FAIL(HB_EUSAGE, "%s=%s@%.80s: is a table in the clear, which has no sum: leave it out",
                           input->name, input->path, demand);
        }
        if (demand != NULL) {
            HB_TRY(hb_demanded_sum_check(demand, "@", input->dataset, input->path));
        }
    }
    return HB_OK;
}

/* The sum and the key id of a dataset, as digits. */
typedef struct digits {
    char sum[2 * HB_DIGEST_BYTES + 1], key_id[2 * HB_KEY_ID_BYTES + 1];
} digits;

static digits digits_of(const hb_eval_input *input)
{
    digits text;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(input->dataset, sum);
    hb_hex(text.sum, sum, sizeof sum);
    hb_hex(text.key_id, hb_dataset_header(input->dataset)->key_id, HB_KEY_ID_BYTES);
    return text;
}

void hb_recompute_inputs_print(const hb_eval_job *job, hb_group *group, const hb_common *common)
{
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        if (input->dataset == NULL) {
            hb_console_log(group, common, "input        %s=%s, a table in the clear", input->name, input->path);
            continue;
        }
        const digits text = digits_of(input);
        hb_console_log(group, common, "input        %s=%s, sum %s, key %s", input->name, input->path, text.sum,
                       text.key_id);
    }
}

json_t *hb_recompute_inputs_json(const hb_eval_job *job)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list != NULL && i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        json_t *one = json_pack("{s:s, s:o}", "name", input->name, "file", hb_report_text(input->path));
        if (one != NULL && input->dataset != NULL) {
            const digits text = digits_of(input);
            (void)json_object_set_new(one, "sum", json_string(text.sum));
            (void)json_object_set_new(one, "key_id", json_string(text.key_id));
        }
        (void)json_array_append_new(list, one);
    }
    return list;
}
