/* hebatch export: keys, ciphertexts or a plain table as files of Microsoft SEAL. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/params_options.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "commands.h"
#include "io/dataset/file_kind.h"
#include "seal/data.h"
#include "seal/keys.h"

typedef struct words {
    const char *compress, *version, *pack, *encoding;
    bool seeded;
    hb_params_choice params;
} words;

static hb_status understand_style(const words *w, hb_seal_style *style)
{
    static const char *const names[] = {[HB_SEAL_PLAIN] = "none", [HB_SEAL_ZLIB] = "zlib", [HB_SEAL_ZSTD] = "zstd"};
    const char *v = w->version;
    const size_t kind = hb_parse_choice(w->compress, names, HB_SEAL_ZSTD + 1);
    if (kind > HB_SEAL_ZSTD) {
        return HB_FAIL(HB_EUSAGE, "--compress %s: expected none, zlib or zstd", w->compress);
    }
    const bool three = strcmp(v, "3.6") == 0 || strcmp(v, "3.7") == 0;
    if (!three && (strncmp(v, "4.", 2) != 0 || v[2] < '0' || v[2] > '4' || v[3] != '\0')) {
        return HB_FAIL(HB_EUSAGE, "--seal %s: files of 3.6, 3.7 and 4.0 to 4.4 can be written", v);
    }
    *style = (hb_seal_style){(hb_seal_compression)kind, {(uint8_t)(v[0] - '0'), (uint8_t)(v[2] - '0')}};
    return HB_OK;
}

static hb_status export_keys(const hb_seal_job *job, const words *w, const char *directory)
{
    hb_seal_keys keys;
    char id[2 * HB_KEY_ID_BYTES + 1];
    HB_TRY(hb_seal_keys_export(directory, job->output, job->style, w->seeded, &keys));
    hb_hex(id, keys.key_id, HB_KEY_ID_BYTES);
    if (keys.secret) {
        hb_console_log(job->group, job->common, "secret key %s/" HB_SEAL_SECRET ": keep it private", job->output);
    }
    if (keys.fresh) {
        hb_console_log(job->group, job->common,
                       "relinearization and Galois keys are made anew of the same secret: not the words of those in %s",
                       directory);
    }
    hb_console_result(job->group, job->common, "%s: key pair %s,%s%s%s %s", job->output, id,
                      keys.secret ? " secret," : "", keys.public_key ? " public," : "",
                      keys.relinearization ? " relinearization," : "", hb_human_things(keys.galois, "Galois key").text);
    if (!job->common->json) {
        return HB_OK;
    }
    return hb_report_results(job->group, "export", hb_seal_keys_json(&keys, job->output));
}

/* kind: "ciphertexts"; thing: one of them. */
static hb_status report_data(const hb_seal_job *job, const hb_seal_data *data, const char *kind, const char *thing)
{
    hb_console_result(job->group, job->common, "%s: %s of %s", job->output, hb_human_things(data->files, thing).text,
                      hb_human_table(data->header.schema.rows, data->header.schema.columns).text);
    if (!job->common->json) {
        return HB_OK;
    }
    return hb_report_results(job->group, "export",
                             json_pack("{s:s, s:o, s:I, s:I, s:I}", "kind", kind, "output", hb_report_text(job->output),
                                       "files", (json_int_t)data->files, "rows", (json_int_t)data->header.schema.rows,
                                       "columns", (json_int_t)data->header.schema.columns));
}

static hb_status export_dataset(const hb_seal_job *job, const char *dataset)
{
    hb_seal_data data = {.files = 0};
    hb_status st;
    HB_GOTO(hb_seal_dataset_export(job, dataset, &data));
    st = report_data(job, &data, "ciphertexts", "ciphertext");
done:
    hb_header_clear(&data.header);
    return st;
}

static hb_status export_table(const hb_seal_job *job, const words *w, const char *table)
{
    hb_params_spec spec;
    hb_seal_data data = {.files = 0};
    hb_status st;
    HB_GOTO(hb_params_choose(&w->params, &spec));
    HB_GOTO(hb_seal_table_export(job, table, &spec, &data));
    st = report_data(job, &data, "plaintexts", "plaintext");
done:
    hb_header_clear(&data.header);
    return st;
}

/* A table has no file of exactly its name, if it is in HDF5, or one that ends in .csv. */
static bool is_table(const char *name)
{
    struct stat status;
    const size_t length = strlen(name);
    return stat(name, &status) != 0 ||
           (!S_ISDIR(status.st_mode) && length > 4 && strcmp(name + length - 4, ".csv") == 0);
}

static hb_status export(const hb_seal_job *job, const words *w, const char *input)
{
    hb_file_kind kind = HB_FILE_KEYS;
    const bool table = is_table(input);
    if (!table) {
        HB_TRY(hb_file_kind_of(input, &kind));
    }
    if (w->seeded && (table || kind != HB_FILE_KEYS)) {
        return HB_FAIL(HB_EUSAGE, "--seeded works on a directory of keys, and %s is no directory of keys", input);
    }
    if (table) {
        return export_table(job, w, input);
    }
    if (kind == HB_FILE_KEY || kind == HB_FILE_SWITCH_KEY) {
        return HB_FAIL(HB_EUSAGE, "%s: is one key; give the directory of its pair", input);
    }
    if (kind == HB_FILE_JOINT) {
        return HB_FAIL(HB_EUSAGE,
                       "%s: files of owners of joint keys stay with hebatch; the keys that come of them can "
                       "be exported",
                       input);
    }
    return kind == HB_FILE_KEYS ? export_keys(job, w, input) : export_dataset(job, input);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 5, ROWS = OWN + HB_PARAMS_OPTIONS };
    words w = {.compress = "none", .version = "3.7"};
    hb_parsed parsed;
    hb_option rows[ROWS] = {
        {"compress", 'c', HB_OPTION_TEXT, &w.compress, "HOW",
         "none (default: every build of SEAL reads it), zlib or zstd"},
        {"seal", 0, HB_OPTION_TEXT, &w.version, "VERSION",
         "release of SEAL whose files to write: 3.7 (default; releases of 4.x read\n"
         "it), 3.6, or 4.0 to 4.4, which only the same and 4.4 read"},
        {"seeded", 0, HB_OPTION_FLAG, &w.seeded, NULL,
         "relinearization and Galois keys in half the bytes: made anew, with the\n"
         "secret key in KEYS, from seeds that SEAL expands"},
        {"pack", 0, HB_OPTION_TEXT, &w.pack, "ORDER", "of a plain table, as for encrypt: columns (default) or rows"},
        {"encoding", 0, HB_OPTION_TEXT, &w.encoding, "KIND", "likewise: slots (default) or coefficients"}};
    hb_params_options(rows + OWN, &w.params);
    const hb_usage usage = {&hb_command_export, rows, ROWS, 2, 2, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    hb_seal_job job = {.group = group, .common = &parsed.common, .output = parsed.operands[1]};
    HB_TRY(understand_style(&w, &job.style));
    HB_TRY(hb_seal_layout(&job, w.pack, w.encoding));
    hb_stop_catch();
    return export(&job, &w, parsed.operands[0]);
}

const hb_command hb_command_export = {.name = "export",
                                      .arguments = "KEYS | DATA.heb | TABLE --params NAME  DIR [OPTIONS]",
                                      .summary = "write keys, ciphertexts or plaintexts as files of Microsoft SEAL",
                                      .ranks = false,
                                      .run = run};
