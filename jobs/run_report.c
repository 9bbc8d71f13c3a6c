#include "run_report.h"

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
    if (status == HB_ECOMM) {
        return status; /* nothing collective is left */
    }
    const hb_error cause = *hb_last_error();
    uint64_t peak = 0;
    hb_status st = hb_ranks_peak(group, &peak);
    hb_set_error(&cause);
    if (st == HB_OK && group->rank == 0 && (status == HB_OK || any_begun(run))) {
        st = write_reports(common, run, status, peak);
    }
    if (status == HB_OK) {
        return hb_agree(group, st);
    }
    hb_set_error(&cause);
    return status;
}
