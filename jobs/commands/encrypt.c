/* hebatch encrypt: a table to a ciphertext dataset. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cells/column_values.h"
#include "batch/cells/table_missing.h"
#include "batch/cells/table_options.h"
#include "batch/job/run_report.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/trace.h"
#include "commands.h"
#include "lang/program/range.h"
#include "output/output_job.h"
#include "output/resume.h"
#include "run_job.h"
#include "scheme/codec.h"
#include "tables/encrypt_job.h"

/* The words of the command line. */
typedef struct words {
    const char *key, *key_id, *pack, *encoding, *errors, *range, *test_seed;
    uint64_t block, levels;
    hb_texts pairs;
    hb_table_words table;
    bool append, fill, spread, fewest, force, resume, dry_run;
    hb_reading reading;
    hb_job_options job;
} words;

static hb_status choose(const char *option, const char *word, const char *first, const char *second, bool *is_second)
{
    *is_second = strcmp(word, second) == 0;
    if (!*is_second && strcmp(word, first) != 0) {
        return HB_FAIL(HB_EUSAGE, "--%s %s: it is %s or %s", option, word, first, second);
    }
    return HB_OK;
}

static hb_status choose_packing(const char *word, hb_packing_choice *choice)
{
    static const char *const names[] = {
        [HB_CHOOSE_COLUMNS] = "columns", [HB_CHOOSE_ROWS] = "rows", [HB_CHOOSE_BEST] = "auto"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(word, names[i]) == 0) {
            *choice = (hb_packing_choice)i;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--pack %s: it is columns, rows or auto", word);
}

/* Refuses options for facts that the existing dataset says; a new one has the scales of --scale alone. */
static hb_status check_append(const words *w)
{
    const struct {
        const char *name;
        bool given;
    } others[] = {{"--pack", w->pack != NULL},
                  {"--block", w->block > 0},
                  {"--encoding", w->encoding != NULL},
                  {"--fill", w->fill},
                  {"--spread", w->spread},
                  {"--fewest", w->fewest},
                  {"--levels", w->levels != HB_NOT_GIVEN},
                  {"--pair", w->pairs.count > 0},
                  {"--columns", w->table.columns != NULL}};
    if (!w->append) { /* else the dataset has scales */
        return hb_table_words_check_round(&w->table);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].given) {
            const bool columns = strcmp(others[i].name, "--columns") == 0;
            return HB_FAIL(HB_EUSAGE, "%s cannot be given with --append: %s", others[i].name,
                           columns ? "the dataset's columns are read"
                                   : "rows are appended as those of the dataset are");
        }
    }
    return HB_OK;
}

/* A row in one ciphertext has one packing. */
static hb_status check_spread(const words *w)
{
    const char *other = w->fill               ? "--fill"
                        : w->pack != NULL     ? "--pack"
                        : w->block > 0        ? "--block"
                        : w->encoding != NULL ? "--encoding"
                                              : NULL;
    return !w->spread || other == NULL
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--spread puts the numbers of a row into one ciphertext: leave %s out", other);
}

/* Parses "measured", or ranges of columns; NULL: no ranges. */
static hb_status parse_ranges(const char *text, hb_encrypt_ranges *ranges)
{
    *ranges = (hb_encrypt_ranges){.measured = text != NULL && strcmp(text, "measured") == 0};
    return text == NULL || ranges->measured ? HB_OK : hb_ranges_parse_columns(text, &ranges->declared, &ranges->count);
}

static hb_status understand(words *w, const hb_parsed *parsed, hb_encrypt_options *options)
{
    bool coefficients, binomial;
    if (w->key == NULL) {
        return HB_FAIL(HB_EUSAGE, "--key FILE is missing: the secret or the public key to encrypt with");
    }
    hb_packing_choice packing = HB_CHOOSE_COLUMNS;
    HB_TRY(check_append(w));
    HB_TRY(choose_packing(w->pack != NULL ? w->pack : "columns", &packing));
    if (w->block > 0 && packing != HB_CHOOSE_ROWS) {
        return HB_FAIL(HB_EUSAGE, "--block is for --pack rows");
    }
    HB_TRY(check_spread(w));
    HB_TRY(choose("encoding", w->encoding != NULL ? w->encoding : "slots", "slots", "coefficients", &coefficients));
    HB_TRY(choose("errors", w->errors, "gaussian", "binomial", &binomial));
    *options = (hb_encrypt_options){.job = w->job,
                                    .key = w->key,
                                    .key_id = w->key_id,
                                    .tables = {(const char *const *)parsed->operands, parsed->operand_count - 1},
                                    .output = parsed->operands[parsed->operand_count - 1],
                                    .pairs = &w->pairs,
                                    .packing = packing,
                                    .block = w->block,
                                    .encoding = w->spread      ? HB_ENCODE_SPREAD
                                                : coefficients ? HB_ENCODE_COEFFICIENTS
                                                               : HB_ENCODE_SLOTS,
                                    .level = {w->levels != HB_NOT_GIVEN, w->levels, w->fewest},
                                    .errors = binomial ? HB_BINOMIAL : HB_GAUSSIAN,
                                    .reading = &w->reading,
                                    .fill = w->fill,
                                    .spread = w->spread,
                                    .append = w->append,
                                    .force = w->force,
                                    .dry_run = w->dry_run,
                                    .resume = w->resume,
                                    .test_seed = w->test_seed != NULL};
    HB_TRY(hb_table_words_parse(&w->table, &w->reading));
    w->reading.may_mask = !w->append && !w->fill && !w->spread && w->pairs.count == 0 && w->table.digits.count == 0;
    HB_TRY(parse_ranges(w->range, &options->ranges));
    if (w->test_seed != NULL) {
        HB_TRY(hb_parse_hex(w->test_seed, options->root.bytes, sizeof options->root.bytes));
    }
    return HB_OK;
}

static json_t *times_json(const hb_encrypt_job *job)
{
    const double wall = job->base.job.times.wall > 0 ? job->base.job.times.wall : 1e-9,
                 bytes = (double)job->base.job.counts.bytes;
    json_t *times = hb_job_times_json(&job->base.job.job_times, &job->base.job.times),
           *rates =
               json_pack("{s:f, s:f}", "ciphertexts_per_second",
                         bytes / (double)job->base.job.plan.ciphertext_bytes / wall, "bytes_per_second", bytes / wall);
    if (times == NULL || rates == NULL || json_object_update(times, rates) != 0) {
        json_decref(times);
        times = NULL;
    }
    json_decref(rates);
    return times;
}

/* The facts that are known before the run. */
static json_t *describe(const hb_job *base)
{
    const hb_encrypt_job *job = (const hb_encrypt_job *)base;
    const hb_encrypt_options *options = &job->options;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->base.job.session.key_id, HB_KEY_ID_BYTES);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:I, s:s, s:I, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "table",
        hb_report_tables(options->tables), "missing", hb_table_missing_json(job->table), "left_out",
        hb_left_out_json(&job->header.schema), "output", hb_report_text(options->output), "column",
        hb_report_columns(&job->header.schema), "key_id", id, "key_kind", job->header.seeded ? "secret" : "public",
        "appended", (json_int_t)(job->options.append ? job->header.schema.rows - job->append_plan.growth.rows : 0),
        "packing", job->header.order == HB_PACK_ROWS ? "rows" : "columns", "block", (json_int_t)job->header.block,
        "encoding", hb_encoding_words[options->encoding], "errors",
        options->errors == HB_BINOMIAL ? "binomial" : "gaussian", "insecure_test_seed", (int)options->test_seed,
        "params", hb_report_params(job->base.job.session.params), "plan", hb_plan_json(&job->base.job.plan), "limbs",
        hb_plan_limbs_json(&job->base.job.plan.limbs, &job->base.job.exchanged), "device",
        hb_device_json(&job->base.job.device, job->base.job.session.engine));
}

static json_t *results(const hb_job *base, hb_status status)
{
    const hb_encrypt_job *job = (const hb_encrypt_job *)base;
    return hb_output_job_json(&job->base, base->units_done, times_json(job), status);
}

static void print_result(const hb_job *base, const char *sum)
{
    const hb_encrypt_job *job = (const hb_encrypt_job *)base;
    const uint64_t rows = job->header.schema.rows;
    char appended[160] = "";
    if (job->options.append) {
        snprintf(appended, sizeof appended, "%s, %s of them new, ", hb_human_things(rows, "row").text,
                 hb_human_things(rows - job->append_plan.growth.rows, "row").text);
    }
    char left_out[HB_LEFT_OUT_TEXT + 2] = "";
    if (job->header.schema.left_out.rows > 0) {
        hb_left_out_text(left_out, &job->header.schema.left_out, rows);
        strcat(left_out, ", ");
    }
    hb_console_result(job->base.job.group, job->base.job.common, "%s: %s%s%s, %s, sum %s", job->options.output,
                      left_out, appended, hb_human_things(job->header.ciphertexts, "ciphertext").text,
                      hb_human_bytes((double)job->base.job.plan.stored_bytes).text, sum);
}

static void warn(const hb_encrypt_job *job)
{
    if (job->base.job.session.params->spec.insecure) {
        hb_console_warn_insecure(job->base.job.group, job->base.job.session.params->chain_bits);
    }
    if (job->options.test_seed) {
        hb_console_warn(job->base.job.group,
                        "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE CAN DECRYPT THE OUTPUT");
    }
    const hb_schema *table = hb_table_schema(job->table);
    if (table->rows == 0 && table->left_out.rows == 0) {
        hb_console_warn(job->base.job.group, "%s has no rows", job->options.tables.name[0]);
    }
    /* The measured range of one row says its number; that of many rows says the extremes alone. */
    if (job->measured && job->header.schema.rows == 1) {
        const bool reals = job->header.cells == HB_CELL_REAL;
        hb_console_warn(job->base.job.group,
                        "%s has one row: its measured ranges, PUBLIC, say each number%s; --range says others",
                        job->options.tables.name[0], reals ? " to a factor of two, and its sign" : "");
    }
}

/* Prints rows within slots, and the choice of them. */
static void print_packing(const hb_encrypt_job *job, bool results)
{
    const hb_header *header = &job->header;
    const hb_speaker say = hb_console_speaker(results);
    const char *why = job->options.packing == HB_CHOOSE_BEST ? ", which takes less time to compute with" : "";
    if (header->order == HB_PACK_COLUMNS && why[0] != '\0') {
        say(job->base.job.group, job->base.job.common, "packing      columns: a ciphertext holds values of one%s", why);
    }
    if (header->block > 0) {
        say(job->base.job.group, job->base.job.common, "packing      rows in blocks of %s, %s a ciphertext%s",
            hb_human_things(header->block, "slot").text, hb_human_things(header->capacity / header->block, "row").text,
            why);
    }
}

/* Prints the level, where it is not that of all fresh ciphertexts. */
static void print_level(const hb_encrypt_job *job, bool results)
{
    const hb_params *params = job->base.job.session.params;
    const uint32_t limbs = job->header.limbs;
    if (limbs < params->fresh_limbs) {
        hb_console_speaker(results)(job->base.job.group, job->base.job.common,
                                    "level        %" PRIu32 " of %" PRIu32 ": %" PRIu32 " of %" PRIu32 " limbs",
                                    hb_params_level(params, limbs), hb_params_level(params, params->fresh_limbs), limbs,
                                    params->fresh_limbs);
    }
}

/* Anyone who exchanges the key reads all that is encrypted from then on, so its id is said each time. */
static void print_key(const hb_encrypt_job *job, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->base.job.session.key_id, HB_KEY_ID_BYTES);
    say(job->base.job.group, job->base.job.common, "key          %s, %s", id, job->header.seeded ? "secret" : "public");
}

/* Prints the rows that come to a dataset, and the units that are made. */
static void print_growth(const hb_encrypt_job *job, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    const hb_growth *growth = &job->append_plan.growth;
    if (job->options.append) {
        say(job->base.job.group, job->base.job.common, "append       %s behind %s; %s of %" PRIu64 " are made",
            hb_human_things(job->header.schema.rows - growth->rows, "row").text,
            hb_human_things(growth->rows, "row").text,
            hb_human_things(job->base.job.plan.units - growth->first_unit, "unit").text, job->base.job.plan.units);
    }
}

/* Columns of integers for which no range is declared, though one is for others; categories and truth values need
 * none. */
static void print_undeclared(const hb_encrypt_job *job, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    const hb_schema *schema = &job->header.schema;
    uint64_t count = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        count += !schema->column[c].ranged && !hb_column_domain(&schema->column[c]).known;
    }
    if (count > 0 && job->options.ranges.count > 0 && !job->options.append && job->header.cells == HB_CELL_INTEGER) {
        say(job->base.job.group, job->base.job.common,
            "ranges       %s without a range: the files tell whether values are negative, PUBLIC",
            hb_human_things(count, "column").text);
    }
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_encrypt_job *job = (const hb_encrypt_job *)base;
    if (job->base.job.options.residue > 0) {
        return HB_OK;
    }
    hb_group *group = job->base.job.group;
    const hb_common *common = job->base.job.common;
    warn(job);
    hb_plan_print(&job->base.job.plan, group, common, dry_run);
    print_key(job, dry_run);
    print_level(job, dry_run);
    print_packing(job, dry_run);
    print_growth(job, dry_run);
    hb_table_missing_print(group, common, job->table, dry_run);
    hb_deadline_print(&job->base.job.deadline, group, common, dry_run);
    if (job->measured || job->options.ranges.count > 0) {
        hb_columns_print(group, common, &job->header.schema, dry_run ? HB_COLUMNS_RESULTS : HB_COLUMNS_LOG);
    }
    print_undeclared(job, dry_run);
    if (job->measured) {
        hb_console_log(group, common, "ranges       %s: stored, PUBLIC; --range says others",
                       job->header.cells == HB_CELL_REAL ? "rounded outwards to powers of two"
                                                         : "measured, the least and the most value of each column");
    }
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_encrypt_job_open((hb_encrypt_job *)base, group, common, options);
}

static hb_status report_failure(hb_group *group, const hb_job *base, void *context, hb_status status)
{
    (void)base;
    const hb_encrypt_options *options = context;
    json_t *facts =
        json_pack("{s:o, s:o}", "table", hb_report_tables(options->tables), "output", hb_report_text(options->output));
    return hb_run_report_dataset_failure(group, "encrypt", facts, options->output, options->resume || options->force,
                                         status);
}

static const hb_job_command job_command = {.name = "encrypt",
                                           .bytes = sizeof(hb_encrypt_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .results = results,
                                           .print_result = print_result,
                                           .describe = describe,
                                           .report_failure = report_failure};

/* Options of encrypt alone. */
enum { OWN_OPTIONS = 19 };

static void own_options(hb_option rows[OWN_OPTIONS], words *w)
{
    const hb_option own[] = {
        {"key", 'k', HB_OPTION_TEXT, &w->key, "FILE", "secret.h5 (half the bytes) or public.h5; -: standard input"},
        {"key-id", 0, HB_OPTION_TEXT, &w->key_id, "ID", "refuse another key than this, whose id keygen and info print"},
        {"pack", 0, HB_OPTION_TEXT, &w->pack, "ORDER",
         "columns (default): a ciphertext holds values of one column; rows: whole\nrows; auto: for reals the "
         "order that computes W @ x faster"},
        {"block", 0, HB_OPTION_ABOVE_0, &w->block, "SLOTS",
         "for reals by rows: slots of a row, a power of two (default: the least), and of results"},
        {"encoding", 0, HB_OPTION_TEXT, &w->encoding, "KIND",
         "slots (default): values add and multiply; coefficients: any t, they add,\nand under int-16-table-... "
         "they have tables (hebatch help integers)"},
        {"errors", 0, HB_OPTION_TEXT, &w->errors, "KIND", "gaussian (default, sigma 3.2) or binomial"},
        {"range", 0, HB_OPTION_TEXT, &w->range, "A=LO..HI,..",
         "values and signs of columns: LEAST..MOST, COLUMN=LEAST..MOST,..., or measured;\nPUBLIC, and so are measured "
         "extremes; of reals, powers of 2"},
        {"pair", 0, HB_OPTION_TEXTS, &w->pairs, "Z=A,B",
         "two columns of reals as one, in half the ciphertexts; repeatable"},
        {"fill", 0, HB_OPTION_FLAG, &w->fill, NULL,
         "a table of one row: it stands in the place of every row of others"},
        {"spread", 0, HB_OPTION_FLAG, &w->spread, NULL,
         "the same in one ciphertext, which eval, with keys, spreads over columns"},
        {"levels", 0, HB_OPTION_NUMBER, &w->levels, "N",
         "levels that are left for products (default: all that there are); fewer take fewer bytes"},
        {"fewest", 0, HB_OPTION_FLAG, &w->fewest, NULL,
         "the fewest levels: reals are bootstrapped with all bits (boot-*), integers just decrypt"},
        {"append", 0, HB_OPTION_FLAG, &w->append, NULL,
         "OUT.heb is there, and gets the rows behind its own, with its meanings"},
        {"resume", 0, HB_OPTION_FLAG, &w->resume, NULL, HB_RESUME_HELP},
        {"force", 'f', HB_OPTION_FLAG, &w->force, NULL, HB_FORCE_HELP},
        {"max-time", 0, HB_OPTION_DURATION, &w->job.max_time, "TIME", HB_DEADLINE_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w->job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w->dry_run, NULL, "print the plan and do nothing"},
        {"insecure-test-seed", 0, HB_OPTION_SEED, &w->test_seed, "HEX",
         "tests only: the same 64 hexadecimal digits give the same bytes"}};
    _Static_assert(sizeof own / sizeof *own == OWN_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum {
        TABLE = OWN_OPTIONS + HB_DEVICE_JOB_OPTIONS,
        LIMBS = TABLE + HB_TABLE_COLUMN_OPTIONS,
        ROWS = LIMBS + HB_LIMB_OPTIONS
    };
    words w = {.levels = HB_NOT_GIVEN, .errors = "gaussian"};
    hb_option rows[ROWS];
    own_options(rows, &w);
    hb_device_options(rows + OWN_OPTIONS, HB_DEVICE_JOB_OPTIONS, &w.job.device);
    hb_table_options(rows + TABLE, HB_TABLE_COLUMN_OPTIONS, &w.table);
    hb_limb_options(rows + LIMBS, &w.job.limbs);
    hb_parsed parsed;
    hb_encrypt_options options = {0};
    hb_output_found found = {0};
    const hb_usage usage = {&hb_command_encrypt, rows, ROWS, 2, HB_MOST_TABLES, 0};
    hb_status st = hb_options_parse(&usage, group, argc, argv, &parsed);
    if (st == HB_OK && parsed.help) {
        return HB_OK;
    }
    st = st == HB_OK ? hb_session_check_stdin(group, w.key) : st;
    st = hb_agree(group, st == HB_OK ? understand(&w, &parsed, &options) : st);
    options.found = &found;
    st = st == HB_OK ? hb_command_run_job(&job_command, group, &parsed.common, w.dry_run, &options, &options.job) : st;
    hb_reading_clear(&w.reading);
    hb_ranges_free(options.ranges.declared, options.ranges.count);
    hb_wipe(&options, sizeof options);
    return st;
}

const hb_command hb_command_encrypt = {.name = "encrypt",
                                       .arguments = "--key FILE TABLE... OUT.heb [OPTIONS]",
                                       .summary = "encrypt a table, or several as one, into a ciphertext dataset",
                                       .ranks = true,
                                       .run = run};
