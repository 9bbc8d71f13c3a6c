#include "run_report.h"
#include "base/clock.h"

static bool any_begun(const hb_run *run)
{
    bool any = false;
    for (uint32_t o = 0; o < run->output_count; o++) {
        any |= run->outputs[o].begun;
    }
    return any;
}

static hb_status write_reports(const hb_common *common, const hb_run *run, hb_status status, uint64_t peak)
{
    json_t *document = run->document(run->job, status);
    if (document == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the report of %s", run->outputs[0].path);
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_report_finish(document, status, hb_now() - run->started, peak));
    for (uint32_t o = 0; o < run->output_count; o++) {
        if (status == HB_OK || run->outputs[o].begun) {
            HB_GOTO(hb_report_write(document, run->outputs[o].path));
        }
    }
    if (status == HB_OK && common->json) {
        hb_report_print(document);
    }
done:
    json_decref(document);
    return st;
}

hb_status hb_run_report(hb_group *group, const hb_common *common, const hb_run *run, hb_status status)
{
    const hb_error cause = *hb_last_error();
    uint64_t peak = 0;
    hb_status st = hb_ranks_peak(group, &peak); /* of a broken group only this rank's */
    hb_set_error(&cause);
    if ((st == HB_OK || group->broken) && group->rank == 0 && (status == HB_OK || any_begun(run))) {
        st = write_reports(common, run, status, peak);
    }
    if (status == HB_OK) {
        return hb_agree(group, st);
    }
    hb_set_error(&cause);
    return status;
}

/* Best effort: why the run failed matters more than that nothing could be written. */
static void write_failure(const hb_group *group, const hb_run_failure *failure, hb_status status, uint64_t peak)
{
    const hb_error cause = *hb_last_error();
    json_t *document = hb_report_compose(group, failure->command, json_incref(failure->facts), json_object());
    if (document != NULL && hb_report_finish(document, status, hb_process_age(), peak) == HB_OK) {
        for (uint32_t o = 0; o < failure->output_count; o++) {
            const char *output = failure->outputs[o];
            if (failure->is_free(output, failure->over) && hb_report_probe(output) == HB_OK) {
                (void)hb_report_write(document, output);
            }
        }
    }
    json_decref(document);
    hb_set_error(&cause);
}

hb_status hb_run_report_failure(hb_group *group, const hb_run_failure *failure, hb_status status)
{
    const hb_error cause = *hb_last_error();
    uint64_t peak = 0;
    if (status != HB_EUSAGE && status != HB_ECOMM && hb_ranks_peak(group, &peak) == HB_OK && group->rank == 0 &&
        failure->facts != NULL) {
        hb_set_error(&cause);
        write_failure(group, failure, status, peak);
    }
    json_decref(failure->facts);
    hb_set_error(&cause);
    return status;
}

bool hb_run_report_dataset(const char *output, bool over)
{
    return hb_dataset_probe(output, false, over) == HB_OK;
}
