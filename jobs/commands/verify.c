/* hebatch verify: checks that a ciphertext dataset is whole and has the expected contents. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/outward.h"
#include "batch/cells/table_missing.h"
#include "batch/cells/table_options.h"
#include "batch/unit/predicted.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/trace.h"
#include "commands.h"
#include "run_job.h"
#include "scheme/quality.h"
#include "table/real_text.h"
#include "tables/verify_job.h"

static hb_predicted predicted(const hb_verify_job *job)
{
    return hb_predicted_budget(job->base.session.params, job->base.header);
}

static bool is_real(const hb_verify_job *job)
{
    return job->options.against != NULL && job->base.header->cells == HB_CELL_REAL;
}

/* The cell where reals differ most: its row and column from 1, the column's name if it has one, and both numbers, an
 * imaginary part beside the real one. NULL where nothing differs, or memory fails. */
static json_t *gap_json(const hb_verify_job *job)
{
    const hb_cells_gap *most = &job->most;
    const bool complex = most->value[1] != 0 || most->other[1] != 0;
    if (!(most->distance > 0)) {
        return NULL;
    }
    const hb_schema *schema = &job->base.header->schema;
    json_t *cell = json_pack("{s:I, s:I, s:o, s:f, s:f}", "row", (json_int_t)most->where.row, "column_number",
                             (json_int_t)most->where.column + 1, "column",
                             hb_report_text(schema->named ? schema->column[most->where.column].name : NULL), "value",
                             most->value[0], "other", most->other[0]);
    if (cell != NULL && complex &&
        (json_object_set_new(cell, "value_imaginary", json_real(most->value[1])) != 0 ||
         json_object_set_new(cell, "other_imaginary", json_real(most->other[1])) != 0)) {
        json_decref(cell);
        return NULL;
    }
    return cell;
}

static json_t *results_json(const hb_verify_job *job, const char *sum, uint64_t peak)
{
    json_t *results =
        json_pack("{s:o, s:o, s:o, s:I, s:I, s:s, s:o, s:o, s:f, s:o, s:I, s:o, s:o}", "input",
                  hb_report_text(job->options.input), "left_out", hb_left_out_json(&job->base.header->schema),
                  "missing", hb_table_missing_json(job->table), "ciphertexts",
                  (json_int_t)job->base.header->ciphertexts, "units", (json_int_t)job->base.units.count, "sum", sum,
                  "against", hb_report_text(job->options.against), "same_as", hb_report_text(job->options.same_as),
                  "seconds", job->base.times.wall, "predicted", hb_plan_time_json(&job->base.plan), "peak_host_bytes",
                  (json_int_t)peak, "device", hb_device_json(&job->base.device, job->base.session.engine), "limbs",
                  hb_plan_limbs_json(&job->base.plan.limbs, &job->base.exchanged));
    if (results != NULL &&
        hb_predicted_is_measured(job->decryption.predicted_of_all, &job->decryption.measured_of_all) &&
        json_object_set_new(results, hb_quality_word(job->base.session.params->spec.scheme),
                            hb_predicted_json(job->decryption.predicted_of_all, &job->decryption.measured_of_all)) !=
            0) {
        json_decref(results);
        results = NULL;
    }
    if (results != NULL && is_real(job) &&
        (json_object_set_new(results, "tolerance", json_real(job->tolerance)) != 0 ||
         json_object_set_new(results, "largest_difference", json_real(job->most.distance)) != 0 ||
         (job->most.distance > 0 && json_object_set_new(results, "largest_difference_at", gap_json(job)) != 0))) {
        json_decref(results);
        results = NULL;
    }
    return results;
}

/* Prints the rows that are not compared: gaps of the table, by its columns, in the words of encrypt. Rows that were
 * left out of the dataset are missing in a table that it was decrypted to. */
static void print_gaps(const hb_verify_job *job)
{
    if (job->table != NULL) {
        hb_table_missing_print(job->base.group, job->base.common, job->table, true);
    }
    if (job->table == NULL || hb_table_schema(job->table)->left_out.rows == 0) {
        hb_left_out_print(job->base.group, job->base.common, &job->base.header->schema, true);
    }
}

/* ", in the 2 rows that are there", where not all rows of the table are. */
static void print_equal(const hb_verify_job *job)
{
    const hb_schema *schema = hb_table_schema(job->table);
    char rows[96] = "";
    if (schema->left_out.rows > 0) {
        snprintf(rows, sizeof rows, ", in the %s that %s there", hb_human_things(schema->rows, "row").text,
                 schema->rows == 1 ? "is" : "are");
    }
    if (!is_real(job)) {
        hb_console_result(job->base.group, job->base.common, "equal to %s, cell by cell%s", job->options.against, rows);
        return;
    }
    hb_console_result(job->base.group, job->base.common, "equal to %s, cell by cell%s, to %.3g: within %.3g",
                      job->options.against, rows, hb_significant_up(job->most.distance, 3),
                      hb_significant_up(job->tolerance, 3));
    if (job->most.distance > 0) {
        char most[HB_GAP_TEXT];
        hb_verify_gap_text(most, job);
        hb_console_result(job->base.group, job->base.common, "differences  %s", most);
    }
}

static hb_status print(const hb_verify_job *job, uint64_t peak)
{
    uint8_t digest[HB_DIGEST_BYTES];
    char sum[2 * HB_DIGEST_BYTES + 1];
    (void)hb_predicted_judge(job->base.group, job->options.input, predicted(job), &job->decryption.measured);
    hb_dataset_sum(job->decryption.dataset, digest);
    hb_hex(sum, digest, sizeof digest);
    if (job->base.common->json) {
        return hb_report_results(job->base.group, "verify", results_json(job, sum, peak));
    }
    hb_console_result(job->base.group, job->base.common, "%s: %s whole, sum %s", job->options.input,
                      hb_human_things(job->base.units.count, "unit").text, sum);
    print_gaps(job);
    if (job->options.against != NULL) {
        print_equal(job);
        hb_predicted_print(job->base.group, job->base.common, job->decryption.predicted_of_all,
                           &job->decryption.measured_of_all);
    }
    if (job->options.same_as != NULL) {
        hb_console_result(job->base.group, job->base.common, "same bytes as %s", job->options.same_as);
    }
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_verify_job_open((hb_verify_job *)base, group, common, options);
}

static bool is_alone(const hb_job *base)
{
    return ((const hb_verify_job *)base)->one_residue;
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    if (base->options.residue == 0) {
        hb_plan_limbs_print(&base->plan.limbs, base->group, base->common, dry_run);
        hb_plan_print_device(&base->plan, base->group, base->common, dry_run);
        hb_plan_print_time(&base->plan, base->group, base->common, dry_run);
    }
    return HB_OK;
}

static hb_status verify(hb_job *base)
{
    const hb_verify_job *job = (const hb_verify_job *)base;
    HB_TRY(hb_job_run(base));
    if (base->options.residue + 1 < hb_spec_residues(&base->header->spec) && !job->one_residue) {
        return HB_OK; /* the last one speaks for all */
    }
    uint64_t peak;
    HB_TRY(hb_ranks_peak(base->group, &peak));
    return hb_agree(base->group, print(job, peak));
}

static const hb_job_command verifying = {.name = "verify",
                                         .bytes = sizeof(hb_verify_job),
                                         .open = open_job,
                                         .print_plan = print_plan,
                                         .run = verify,
                                         .alone = is_alone};
/* For the dataset that another is the same as: equal sums are equal bytes only of rows that agree with them. */
static const hb_job_command verifying_quietly = {
    .name = "verify", .bytes = sizeof(hb_verify_job), .open = open_job, .run = hb_job_run, .alone = is_alone};

static hb_status verify_other(hb_group *group, const hb_common *common, const hb_verify_options *of)
{
    hb_verify_options options = {.job = of->job, .input = of->same_as};
    return hb_command_run_job(&verifying_quietly, group, common, false, &options, &options.job);
}

static hb_status read_tolerance(const char *text, hb_verify_options *options)
{
    const char *at = text;
    if (options->against == NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "--tolerance goes with --against: it is by how much values may differ from a table's");
    }
    if (hb_real_parse(&at, text + strlen(text), &options->tolerance) != HB_REAL_GOOD || *at != '\0' ||
        !(options->tolerance >= 0)) {
        return HB_FAIL(HB_EUSAGE, "--tolerance %.64s: expected a number, 0 or more, as 1e-4", text);
    }
    return HB_OK;
}

static hb_status read_table_words(hb_table_words *words, const hb_verify_options *options, hb_reading *reading)
{
    const char *given = options->against == NULL ? hb_table_words_given(words) : NULL;
    return given == NULL ? hb_table_words_parse(words, reading)
                         : HB_FAIL(HB_EUSAGE, "--%s says how a table is read: it goes with --key and --against", given);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum {
        OWN = 5,
        TABLE = OWN + HB_DEVICE_JOB_OPTIONS,
        LIMBS = TABLE + HB_TABLE_FILE_OPTIONS,
        ROWS = LIMBS + HB_LIMB_OPTIONS
    };
    hb_verify_options options = {.tolerance = -1};
    const char *tolerance = NULL;
    hb_table_words table = {0};
    hb_reading reading = {0};
    hb_option rows[ROWS] = {
        {"key", 'k', HB_OPTION_TEXT, &options.key, "FILE", "with --against: the secret key; -: standard input"},
        {"against", 0, HB_OPTION_TEXT, &options.against, "TABLE", "with --key: every value decrypts to this table's"},
        {"tolerance", 0, HB_OPTION_TEXT, &tolerance, "NUMBER",
         "by how much reals may differ from the table's, as 1e-4; else by what\nis proven of the dataset"},
        {"trace", 0, HB_OPTION_TEXT, &options.job.trace, "FILE", HB_TRACE_HELP},
        {"same-as", 0, HB_OPTION_TEXT, &options.same_as, "OTHER.heb",
         "the same ciphertexts byte by byte, however many shards hold\nthem; OTHER is verified as well"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &options.job.device);
    hb_table_options(rows + TABLE, HB_TABLE_FILE_OPTIONS, &table);
    hb_limb_options(rows + LIMBS, &options.job.limbs);
    hb_parsed parsed;
    const hb_usage usage = {&hb_command_verify, rows, ROWS, 1, 1, 0};
    hb_status st = hb_options_parse(&usage, group, argc, argv, &parsed);
    if (st == HB_OK && parsed.help) {
        return HB_OK;
    }
    if (st == HB_OK && (options.key == NULL) != (options.against == NULL)) {
        st = HB_FAIL(HB_EUSAGE, "--key and --against go together: comparing values needs both");
    }
    st = st == HB_OK ? hb_session_check_stdin(group, options.key) : st;
    st = st == HB_OK && tolerance != NULL ? read_tolerance(tolerance, &options) : st;
    st = st == HB_OK ? read_table_words(&table, &options, &reading) : st;
    HB_GOTO(hb_agree(group, st));
    options.input = parsed.operands[0];
    options.reading = &reading;
    if (options.same_as != NULL) {
        HB_GOTO(verify_other(group, &parsed.common, &options));
    }
    st = hb_command_run_job(&verifying, group, &parsed.common, false, &options, &options.job);
done:
    hb_reading_clear(&reading);
    return st;
}

const hb_command hb_command_verify = {
    .name = "verify",
    .arguments = "IN.heb [--key SECRET.h5 --against TABLE [--tolerance NUMBER]] [--same-as OTHER.heb]",
    .summary = "check sums of a dataset, and compare it with a table or another",
    .ranks = true,
    .run = run};
