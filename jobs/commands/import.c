/* hebatch import: keys, ciphertexts or plaintexts from files of Microsoft SEAL. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/misplaced_argument.h"
#include "cli/options.h"
#include "cli/params_options.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "commands.h"
#include "io/files/durable.h"
#include "io/table/table.h"
#include "seal/data.h"
#include "seal/files.h"
#include "seal/keys.h"

typedef struct words {
    const char *keys, *key, *key_id, *pack, *encoding, *security;
    uint64_t rows, columns, noise, budget, scale_bits, security_table;
    bool is_signed, is_complex, force, insecure;
} words;

static hb_status understand(const words *w, hb_seal_job *job)
{
    HB_TRY(hb_seal_layout(job, w->pack, w->encoding));
    const bool counts = w->rows != HB_NOT_GIVEN || w->columns != HB_NOT_GIVEN;
    job->shaped = counts || w->pack != NULL || w->encoding != NULL || w->is_signed || w->is_complex;
    job->is_signed = w->is_signed;
    job->is_complex = w->is_complex;
    job->rows = w->rows;
    job->columns = w->columns;
    job->force = w->force;
    if (w->noise != HB_NOT_GIVEN && w->noise > HB_MAX_LIMBS * HB_MODULUS_MAX_BITS) {
        return HB_FAIL(HB_EUSAGE, "--noise-bits %" PRIu64 ": no ciphertext has so many bits", w->noise);
    }
    if (w->noise != HB_NOT_GIVEN && w->budget != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--noise-bits and --noise-budget say the same: give one of them");
    }
    job->noise = w->noise != HB_NOT_GIVEN ? (double)w->noise : -1;
    job->budget = w->budget != HB_NOT_GIVEN ? (double)w->budget : -1;
    return HB_OK;
}

/* Chooses the parameters that parms.seal lacks. SEAL itself uses the table of 2018. */
static hb_status choose(const words *w, hb_seal_choice *choice)
{
    *choice = (hb_seal_choice){.security = {.level = 128, .table = HB_SECURITY_2018}, .insecure = w->insecure};
    if (w->scale_bits != HB_NOT_GIVEN) {
        choice->scale_bits = w->scale_bits < UINT32_MAX ? (uint32_t)w->scale_bits : UINT32_MAX;
    }
    return hb_security_choose(w->security, w->security_table, &choice->security);
}

static hb_status import_keys(const hb_seal_job *job, const words *w, const char *folder)
{
    hb_seal_choice choice;
    hb_seal_keys keys;
    char id[2 * HB_KEY_ID_BYTES + 1];
    HB_TRY(choose(w, &choice));
    uint8_t adopt[HB_KEY_ID_BYTES];
    if (w->key_id != NULL) {
        HB_TRY(hb_parse_hex(w->key_id, adopt, sizeof adopt));
    }
    HB_TRY(hb_seal_keys_import(folder, job->output, &choice, w->key_id != NULL ? adopt : NULL, &keys));
    hb_hex(id, keys.key_id, HB_KEY_ID_BYTES);
    if (keys.insecure_bits > 0) {
        hb_console_warn_insecure(job->group, keys.insecure_bits);
    }
    hb_console_log(job->group, job->common, "%s:%s%s%s %s", job->output,
                   keys.secret ? " secret (keep it private)," : "", keys.public_key ? " public," : "",
                   keys.relinearization ? " relinearization," : "", hb_human_things(keys.galois, "Galois key").text);
    if (!keys.checked) {
        hb_console_log(job->group, job->common, "%s: without the secret key nothing tells whether they are of one pair",
                       job->output);
    }
    hb_console_result(job->group, job->common, "%s", id);
    if (!job->common->json) {
        return HB_OK;
    }
    return hb_report_results(job->group, "import", hb_seal_keys_json(&keys, job->output));
}

/* kind: "ciphertexts"; thing: one of them. */
static hb_status report_data(const hb_seal_job *job, const hb_seal_data *data, const char *kind, const char *thing)
{
    const hb_header *header = &data->header;
    hb_console_result(job->group, job->common, "%s: %s, %s", job->output, hb_human_things(data->files, thing).text,
                      hb_human_table(header->schema.rows, header->schema.columns).text);
    if (!job->common->json) {
        return HB_OK;
    }
    return hb_report_results(job->group, "import",
                             json_pack("{s:s, s:o, s:I, s:I, s:I, s:i}", "kind", kind, "output",
                                       hb_report_text(job->output), "files", (json_int_t)data->files, "rows",
                                       (json_int_t)header->schema.rows, "columns", (json_int_t)header->schema.columns,
                                       "limbs", (int)header->limbs));
}

static hb_status import_dataset(const hb_seal_job *job, const char *key)
{
    hb_seal_data data = {.files = 0};
    hb_status st;
    HB_GOTO(hb_seal_dataset_import(job, key, &data));
    st = report_data(job, &data, "ciphertexts", "ciphertext");
done:
    hb_header_clear(&data.header);
    return st;
}

/* Parameters are those beside the first file. */
static hb_status import_table(const hb_seal_job *job, const words *w)
{
    hb_seal_data data = {.files = 0};
    hb_seal_choice choice;
    hb_params_spec spec;
    char *folder = NULL, *path = NULL;
    hb_status st;
    HB_GOTO(choose(w, &choice));
    HB_GOTO(hb_folder_of(job->files[0], &folder));
    HB_GOTO(hb_seal_path(folder, HB_SEAL_PARAMETERS, &path));
    HB_GOTO(hb_seal_parameters_load(path, choice.scale_bits, &spec));
    spec.security = choice.security;
    spec.insecure = choice.insecure;
    HB_GOTO(hb_seal_table_import(job, &spec, &data));
    st = report_data(job, &data, "plaintexts", "plaintext");
done:
    hb_header_clear(&data.header);
    free(folder);
    free(path);
    return st;
}

static bool is_table(const char *name)
{
    char *file, *dataset;
    if (hb_table_name_split(name, &file, &dataset) != HB_OK) {
        hb_clear_error();
        return false;
    }
    free(file);
    free(dataset);
    return true;
}

static void warn_of_order(const hb_seal_job *job, const hb_seal_files *files)
{
    const size_t i = hb_seal_files_misuse(files);
    if (i < files->count) {
        hb_console_warn(
            job->group,
            "warning: %s comes before %s, as the shell sorts, and so do their rows; a folder is taken in the "
            "order of its numbers",
            files->path[i - 1], files->path[i]);
    }
}

static hb_status import_data(hb_seal_job *job, const words *w, const hb_parsed *parsed)
{
    if (parsed->operand_count < 2) {
        return HB_FAIL(HB_EUSAGE, "the output is missing: --keys KEYS, or behind the files a dataset or table");
    }
    job->output = parsed->operands[parsed->operand_count - 1];
    if (w->key == NULL && !is_table(job->output)) {
        return HB_FAIL(HB_EUSAGE, "--key is missing: a file or directory of the keys that the ciphertexts are of");
    }
    if (w->key != NULL) {
        HB_TRY(hb_misplaced_dataset_name(job->output));
    }
    hb_seal_files files;
    hb_status st;
    HB_GOTO(hb_seal_files_list(&files, parsed->operands, parsed->operand_count - 1));
    job->files = files.path;
    job->file_count = files.count;
    job->folder = files.folder;
    warn_of_order(job, &files);
    st = w->key != NULL ? import_dataset(job, w->key) : import_table(job, w);
done:
    hb_seal_files_clear(&files);
    return st;
}

static hb_status import_any(hb_seal_job *job, const words *w, const hb_parsed *parsed)
{
    if (w->keys == NULL && w->key_id != NULL) {
        return HB_FAIL(HB_EUSAGE, "--key-id goes with --keys; data has the id of --key");
    }
    if (w->keys == NULL) {
        return import_data(job, w, parsed);
    }
    if (parsed->operand_count != 1 || w->key != NULL) {
        return HB_FAIL(HB_EUSAGE, "--keys imports the keys of one directory, and nothing else");
    }
    return import_keys(job, w, parsed->operands[0]);
}

enum { OWN_OPTIONS = 16 };

static void own_options(hb_option rows[OWN_OPTIONS], words *w)
{
    const hb_option own[] = {
        {"keys", 0, HB_OPTION_TEXT, &w->keys, "KEYS",
         "import keys: from parms.seal and secret.seal, public.seal, relin.seal,\ngalois.seal in DIR, as many as there "
         "are, into the directory KEYS, new\nor with keys of the same pair"},
        {"key-id", 0, HB_OPTION_TEXT, &w->key_id, "ID",
         "with --keys: the id of their pair, as the owner's (default: that of\nKEYS, else of keys.json beside the "
         "files, "
         "else of the public key)"},
        {"key", 'k', HB_OPTION_TEXT, &w->key, "KEY", "key file or directory that the ciphertexts are of"},
        {"rows", 0, HB_OPTION_NUMBER, &w->rows, "N",
         "of the table that they hold (default: index.json beside the files,\n"
         "else all that there is room for)"},
        {"columns", 0, HB_OPTION_NUMBER, &w->columns, "N", "of that table (default: likewise, else 1)"},
        {"pack", 0, HB_OPTION_TEXT, &w->pack, "ORDER", "likewise: columns (default) or rows"},
        {"encoding", 0, HB_OPTION_TEXT, &w->encoding, "KIND", "likewise: slots (default) or coefficients"},
        {"signed", 0, HB_OPTION_FLAG, &w->is_signed, NULL, "likewise: values from t/2 on are negative"},
        {"complex", 0, HB_OPTION_FLAG, &w->is_complex, NULL, "likewise, for CKKS: values are complex, not real"},
        {"noise-bits", 0, HB_OPTION_NUMBER, &w->noise, "BITS",
         "their noise is at most 2^BITS (default: as index.json says, else that\nof fresh ciphertexts); assumed, not "
         "proven"},
        {"noise-budget", 0, HB_OPTION_NUMBER, &w->budget, "BITS",
         "of BFV, the same as the budget that each has left, as SEAL's\ninvariant_noise_budget gives it to who has the "
         "secret"},
        {"scale-bits", 0, HB_OPTION_NUMBER, &w->scale_bits, "B",
         "with --keys, for CKKS: the scale of fresh ciphertexts, 2^B, which\nparms.seal does not say; those that are "
         "imported may have any"},
        {"force", 'f', HB_OPTION_FLAG, &w->force, NULL, "replace the output dataset or table"},
        {"security", 0, HB_OPTION_TEXT, &w->security, "BITS",
         "of parameters read from parms.seal: 128 (default), 192, 256, 128q, .."},
        {"security-table", 0, HB_OPTION_NUMBER, &w->security_table, "YEAR",
         "by which they have it: 2018, as SEAL goes by (default), or 2024"},
        {"insecure", 0, HB_OPTION_FLAG, &w->insecure, NULL, "accept parameters that do not reach it"}};
    _Static_assert(sizeof own / sizeof *own == OWN_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    words w = {.rows = HB_NOT_GIVEN,
               .columns = HB_NOT_GIVEN,
               .noise = HB_NOT_GIVEN,
               .budget = HB_NOT_GIVEN,
               .scale_bits = HB_NOT_GIVEN,
               .security_table = HB_NOT_GIVEN};
    hb_parsed parsed;
    hb_option rows[OWN_OPTIONS];
    own_options(rows, &w);
    const hb_usage usage = {&hb_command_import, rows, OWN_OPTIONS, 1, SIZE_MAX, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    hb_seal_job job = {.group = group, .common = &parsed.common, .output = w.keys};
    HB_TRY(understand(&w, &job));
    hb_stop_catch();
    return import_any(&job, &w, &parsed);
}

const hb_command hb_command_import = {.name = "import",
                                      .arguments = "DIR --keys KEYS | FILE.seal... DATA.heb --key KEY [OPTIONS]",
                                      .summary = "read keys, ciphertexts or plaintexts from files of Microsoft SEAL",
                                      .ranks = false,
                                      .run = run};
