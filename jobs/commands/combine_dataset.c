/* hebatch combine to a dataset: parts that are for the owner of a key, added up under that key. */
#include "batch/cells/column_values.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "decrypt.h"
#include "run_job.h"
#include "scheme/quality.h"

/* The facts that are known before the run. */
static json_t *describe(const hb_job *base)
{
    const hb_received_job *job = (const hb_received_job *)base;
    const hb_params *params = base->session.params;
    const hb_header *header = base->header;
    char from[2 * HB_KEY_ID_BYTES + 1], to[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(from, hb_change_job_old(&job->base)->key_id, HB_KEY_ID_BYTES);
    hb_hex(to, header->key_id, HB_KEY_ID_BYTES);
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "input", hb_report_text(job->base.options.input),
        "parts", hb_parts_json(&job->inputs), "output", hb_report_text(job->base.options.output), "from_key_id", from,
        "key_id", to, "column", hb_report_columns(&header->schema), hb_quality_word(params->spec.scheme),
        hb_predicted_plan_json(hb_predicted_budget(params, header)), "params", hb_report_params(params), "plan",
        hb_plan_json(&base->plan), "limbs", hb_plan_limbs_json(&base->plan.limbs, &base->exchanged), "device",
        hb_device_json(&base->device, base->session.engine));
}

static void print_result(const hb_job *base, const char *sum)
{
    const hb_received_job *job = (const hb_received_job *)base;
    const hb_header *header = base->header;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, header->key_id, HB_KEY_ID_BYTES);
    hb_console_result(base->group, base->common, "%s: %s under key %s, sum %s", job->base.options.output,
                      hb_human_table(header->schema.rows, header->schema.columns).text, id, sum);
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_params *params = base->session.params;
    hb_group *group = base->group;
    const hb_common *common = base->common;
    if (base->options.residue > 0) {
        return HB_OK;
    }
    if (params->spec.insecure) {
        hb_console_warn_insecure(group, params->chain_bits);
    }
    hb_plan_print(&base->plan, group, common, dry_run);
    hb_predicted_plan_print(group, common, hb_predicted_budget(params, base->header), "the data is", dry_run);
    hb_columns_print(group, common, &base->header->schema, dry_run ? HB_COLUMNS_RESULTS : HB_COLUMNS_LOG);
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_received_job_open((hb_received_job *)base, group, common, options);
}

static const hb_job_command job_command = {.name = "combine",
                                           .bytes = sizeof(hb_received_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .print_result = print_result,
                                           .describe = describe};

hb_status hb_combine_dataset_run(hb_group *group, const hb_common *common, const hb_received_options *options)
{
    hb_received_options own = *options;
    return hb_command_run_job(&job_command, group, common, own.base.dry_run, &own, &own.base.job);
}
