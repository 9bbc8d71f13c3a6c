#include "eval_request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "cli/trace.h"
#include "output/resume.h"

void hb_eval_request_clear(hb_eval_request *r)
{
    for (uint32_t i = 0; r->bindings != NULL && i < r->options.binding_count; i++) {
        hb_binding_clear(&r->bindings[i]);
    }
    free(r->bindings);
    hb_ranges_free(r->ranges, r->range_count);
    free(r->words);
    hb_job_file_clear(&r->file);
    hb_model_clear(&r->model);
    hb_reading_clear(&r->options.reading);
}

enum {
    OWN = 17,
    TABLE = OWN + HB_DEVICE_JOB_OPTIONS,
    LIMBS = TABLE + HB_TABLE_OPTIONS,
    ROWS = LIMBS + HB_LIMB_OPTIONS
};

static void fill_rows(hb_option rows[ROWS], hb_eval_words *w)
{
    *w = (hb_eval_words){.bootstrap = "auto", .sanitize = HB_NOT_GIVEN, .keep = 600};
    const hb_option own[] = {
        {"keys", 'k', HB_OPTION_TEXT, &w->keys, "DIR", "relinearization and rotation keys: what keygen --for makes"},
        {"model", 0, HB_OPTION_TEXT, &w->model, "NET.json",
         "in place of an expression: a trained model, x to y (jobs/model/README.md)"},
        {"range", 0, HB_OPTION_TEXT, &w->range, "NAME=LO..HI,...",
         "what values of an input, or of a column A.NAME, lie between, where its\n"
         "dataset does not say it, or of a name at each of its assignments: results\n"
         "that may wrap mod t are refused (65)"},
        {"wrap", 0, HB_OPTION_FLAG, &w->wrap, NULL,
         "let results wrap around mod t; their files say that they may have"},
        {"noise", 0, HB_OPTION_TEXT, &w->noise, "BOUND",
         "budget by: worst (default): proven; drawn (default of int-...): all but 2^-64\nof ciphertexts; expected: "
         "likely, cheaper; unknown: no bound"},
        {"precision", 0, HB_OPTION_ABOVE_0, &w->precision, "BITS",
         "for reals: bits behind the point that results keep, by the same bound"},
        {"compact", 0, HB_OPTION_TEXT, &w->compact, "BITS",
         "store results in the fewest limbs that keep so many bits (default: 10 of\n"
         "budget, all but 0.1 of precision); off: in all, to compute with further"},
        {"sanitize", 0, HB_OPTION_NUMBER, &w->sanitize, "BITS",
         "hide from key holders how results were computed, as hebatch sanitize does"},
        {"gap", 0, HB_OPTION_TEXT, &w->gap, "G",
         "for reals: comparisons are right from that far on, a share of the most\nthat sides differ by, as 2^-12 "
         "(default "
         "2^-8)"},
        {"bootstrap", 0, HB_OPTION_TEXT, &w->bootstrap, "WHEN",
         "bootstrapping where levels run out: auto (default), never, but for tables\n"
         "of lookup, which are applied by it; twice: more bits"},
        {"batch", 0, HB_OPTION_ABOVE_0, &w->batch, "BLOCKS",
         "row blocks computed at a time (default: as many as are fastest)"},
        {"resume", 0, HB_OPTION_FLAG, &w->resume, NULL, HB_RESUME_HELP},
        {"force", 'f', HB_OPTION_FLAG, &w->force, NULL,
         "replace the outputs, and what a killed job left (--resume goes on)"},
        {"keep", 0, HB_OPTION_DURATION, &w->keep, "TIME",
         "write checkpoints of sums over rows, and of steps, so often, for --resume\n"
         "after a kill (default 10m; 0: only when it is asked to stop)"},
        {"max-time", 0, HB_OPTION_DURATION, &w->job.max_time, "TIME", HB_DEADLINE_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w->job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w->dry_run, NULL,
         "check everything and print the plan; computes a second at most, to time it"}};
    _Static_assert(sizeof own / sizeof *own == OWN, "every row is there");
    memcpy(rows, own, sizeof own);
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w->job.device);
    hb_table_options(rows + TABLE, HB_TABLE_OPTIONS, &w->table);
    hb_limb_options(rows + LIMBS, &w->job.limbs);
}

/* off, or bits; where nothing is said results are compact. */
static hb_status parse_compact(const char *word, double *bits)
{
    uint64_t number;
    *bits = HB_COMPACT_AUTO;
    if (word == NULL) {
        return HB_OK;
    }
    if (strcmp(word, "off") == 0) {
        *bits = 0;
        return HB_OK;
    }
    if (hb_parse_number(word, &number) != HB_OK || number == 0) {
        return HB_FAIL(HB_EUSAGE, "--compact %.40s: it is off, or a number of bits above 0", word);
    }
    *bits = (double)number;
    return HB_OK;
}

/* Results that are sanitized are stored in the fewest limbs that hide. */
static hb_status parse_sanitize(const hb_eval_words *w, hb_eval_options *options)
{
    if (w->sanitize == HB_NOT_GIVEN) {
        return HB_OK;
    }
    if (w->sanitize < HB_SANITIZE_LEAST_BITS || w->sanitize > HB_SANITIZE_MOST_BITS) {
        return HB_FAIL(HB_EUSAGE, "--sanitize %" PRIu64 ": %d to %d bits", w->sanitize, HB_SANITIZE_LEAST_BITS,
                       HB_SANITIZE_MOST_BITS);
    }
    if (w->compact != NULL) {
        return HB_FAIL(HB_EUSAGE, "--compact: --sanitize stores results in the fewest limbs itself");
    }
    options->sanitize = (uint32_t)w->sanitize;
    return HB_OK;
}

static hb_status understand(const hb_eval_words *w, hb_eval_request *r)
{
    hb_eval_options *options = &r->options;
    static const char *const bounds[] = {
        [HB_QUALITY_WORST] = "worst", [HB_QUALITY_EXPECTED] = "expected", [HB_QUALITY_DRAWN] = "drawn", "unknown"};
    const size_t bound = w->noise != NULL ? hb_parse_choice(w->noise, bounds, HB_QUALITY_DRAWN + 2) : HB_QUALITY_WORST;
    const bool unknown = bound == HB_QUALITY_DRAWN + 1;
    if (bound > HB_QUALITY_DRAWN + 1) {
        return HB_FAIL(HB_EUSAGE, "--noise %s: it is worst, drawn, expected or unknown", w->noise);
    }
    if (unknown && w->precision > 0) {
        return HB_FAIL(HB_EUSAGE, "--precision asks for bits that --noise unknown does without");
    }
    static const char *const bootstraps[] = {
        [HB_BOOTSTRAP_AUTO] = "auto", [HB_BOOTSTRAP_NEVER] = "never", [HB_BOOTSTRAP_TWICE] = "twice"};
    const size_t bootstrap = hb_parse_choice(w->bootstrap, bootstraps, HB_BOOTSTRAP_TWICE + 1);
    if (bootstrap > HB_BOOTSTRAP_TWICE) {
        return HB_FAIL(HB_EUSAGE, "--bootstrap %s: it is auto, never or twice", w->bootstrap);
    }
    options->bootstrap = (hb_bootstrap_choice)bootstrap;
    options->job = w->job;
    options->wrap = w->wrap;
    options->trust = w->noise == NULL ? HB_QUALITY_BY_DEFAULT : unknown ? HB_QUALITY_EXPECTED : (hb_quality_trust)bound;
    options->hidden = unknown;
    options->batch = w->batch;
    options->bits = (double)w->precision;
    HB_TRY(parse_compact(w->compact, &options->compact));
    HB_TRY(parse_sanitize(w, options));
    HB_TRY(hb_parse_gap(w->gap, &options->gap));
    options->checkpoint_interval = w->keep;
    options->force = w->force;
    options->dry_run = w->dry_run;
    options->resume = w->resume;
    HB_TRY(hb_table_words_parse(&w->table, &options->reading));
    options->reading.columns_optional = options->reading.few_masks = true;
    if (w->keys != NULL) {
        options->keys = w->keys;
    }
    if (w->range != NULL) {
        HB_TRY(hb_ranges_parse(w->range, &r->ranges, &r->range_count));
        options->ranges = r->ranges;
        options->range_count = r->range_count;
    }
    return HB_OK;
}

static hb_status bind_words(hb_eval_request *r, char *const *word, size_t count)
{
    r->bindings = calloc(count + 1, sizeof *r->bindings);
    if (r->bindings == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu names", count);
    }
    r->options.bindings = r->bindings;
    for (size_t i = 0; i < count; i++) {
        r->options.binding_count++;
        HB_TRY(hb_binding_parse(word[i], &r->bindings[i]));
    }
    return HB_OK;
}

/* By its name: a job file that is not there is none of an expression. */
static hb_status is_job_file(const hb_parsed *parsed, bool *job)
{
    struct stat info;
    const char *word = parsed->operands[0];
    const size_t length = strlen(word);
    *job = length > 5 && strcmp(word + length - 5, ".json") == 0;
    if (*job && parsed->operand_count > 1) {
        return HB_FAIL(HB_EUSAGE, "%s: a job file binds all names itself; it does not go with '%s'", word,
                       parsed->operands[1]);
    }
    if (!*job && stat(word, &info) == 0 && S_ISREG(info.st_mode)) {
        return HB_FAIL(HB_EUSAGE, "%s: is a file where an expression is wanted; the name of a job file ends in .json",
                       word);
    }
    return HB_OK;
}

/* Takes the bindings of the file over. */
static hb_status bind_file(hb_eval_request *r)
{
    hb_job_file *file = &r->file;
    const uint32_t count = file->input_count + file->output_count;
    r->bindings = calloc((size_t)count + 1, sizeof *r->bindings);
    if (r->bindings == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu32 " names", count);
    }
    r->options.bindings = r->bindings;
    r->options.binding_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const bool input = i < file->input_count;
        hb_binding *from = input ? &file->inputs[i] : &file->outputs[i - file->input_count];
        r->bindings[i] = *from;
        r->bindings[i].side = input ? HB_BINDING_INPUT : HB_BINDING_OUTPUT;
        *from = (hb_binding){0};
    }
    r->options.expression = file->expression;
    r->options.keys = file->keys;
    r->options.ranges = file->ranges;
    r->options.range_count = file->range_count;
    return HB_OK;
}

/* argv[0], the words of the file, if there is one, and those behind argv[0]: so that the command line wins. Parsing
 * changes the order of words (cli/options.h), so that it is given a copy. */
static hb_status parse(hb_eval_request *r, const hb_command *command, const hb_group *group, int argc,
                       char *const *argv, hb_parsed *parsed)
{
    hb_option rows[ROWS];
    char **copy = r->words;
    const size_t more = r->file.option_count;
    copy[0] = argv[0];
    for (size_t i = 0; i < more; i++) {
        copy[1 + i] = r->file.options[i];
    }
    memcpy(copy + 1 + more, argv + 1, (size_t)argc * sizeof *copy); /* and the NULL behind them */
    fill_rows(rows, &r->said);
    const hb_usage usage = {command, rows, ROWS, 1, SIZE_MAX, more};
    return hb_options_parse(&usage, group, (int)more + argc, copy, parsed);
}

static hb_status new_words(hb_eval_request *r, size_t count)
{
    free(r->words);
    r->words = calloc(count + 1, sizeof *r->words);
    return r->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu words", count);
}

hb_status hb_eval_request_read(hb_eval_request *r, const hb_command *command, const hb_group *group, int argc,
                               char **argv, hb_parsed *parsed)
{
    const hb_eval_words *w = &r->said;
    HB_TRY(new_words(r, (size_t)argc));
    HB_TRY(parse(r, command, group, argc, argv, parsed));
    if (parsed->help) {
        return HB_OK;
    }
    bool job;
    if (w->model != NULL) {
        HB_TRY(hb_model_read(&r->model, w->model, w->table.follow_files));
        r->options.model = &r->model;
        r->options.expression = r->model.text;
        HB_TRY(bind_words(r, parsed->operands, parsed->operand_count));
        return understand(w, r);
    }
    HB_TRY(is_job_file(parsed, &job));
    if (job) {
        HB_TRY(hb_job_file_read(parsed->operands[0], &r->file));
        HB_TRY(bind_file(r));
        HB_TRY(new_words(r, (size_t)argc + r->file.option_count));
        HB_TRY(parse(r, command, group, argc, argv, parsed));
    } else {
        r->options.expression = parsed->operands[0];
        HB_TRY(bind_words(r, parsed->operands + 1, parsed->operand_count - 1));
    }
    return understand(w, r);
}
