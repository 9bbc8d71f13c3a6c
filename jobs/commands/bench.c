/* hebatch bench: the times of a job's pieces on this machine, beside their lower bounds; and of a whole job. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/nearest.h"
#include "base/prime.h"
#include "bench/bench.h"
#include "bench/job.h"
#include "bench/limbs.h"
#include "bench/plan.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "machine/machine.h"
#include "scheme/params.h"

enum { MOST_KINDS = 8 /* that can be named */ };

/* The words of the command line. */
typedef struct words {
    const char *preset, *scratch, *clock;
    double seconds;
    uint64_t batch, rows, n, limb_count, bits, special;
    uint32_t log_n; /* of n, for key switching; 0: that of the preset */
    bool all_sizes, sustained, processor, plan, insecure;
    bool literal; /* n, limb_count and bits stand for a preset of BFV */
    hb_device_choice device;
    hb_limb_choice limbs;
    const char *kinds[MOST_KINDS + 1];           /* NULL-terminated; empty: all pieces */
    const char *preset_given, *limb_ranks_given; /* NULL: not given */
} words;

typedef struct device_name {
    char text[sizeof(hb_device_name)];
} device_name;

/* Which time is taken. A GPU's work is none of this process's. */
static hb_status check_clock(const words *w, const hb_device *device)
{
    if (w->processor && device->gpu) {
        return HB_FAIL(HB_EUSAGE, "--clock cpu counts what the CPU does: it goes with --device cpu");
    }
    return HB_OK;
}

/* Returns the name of the GPU or of the CPU. */
static device_name name_of(const hb_device *device)
{
    device_name n;
    if (device->gpu) {
        snprintf(n.text, sizeof n.text, "%s", hb_device_name_of(device).text);
    } else {
        hb_machine_cpu(n.text, sizeof n.text);
    }
    return n;
}

static hb_status bench_plan(hb_group *group, const hb_common *common, const words *w)
{
    hb_device device;
    HB_TRY(hb_device_choose(&device, group, &w->device, NULL));
    return hb_bench_plan_command(group, common, &device);
}

static hb_status measure_pieces(hb_group *group, const hb_common *common, const words *w, const hb_params *params,
                                hb_bench_results *results)
{
    hb_device device;
    HB_TRY(hb_device_choose(&device, group, &w->device, NULL));
    HB_TRY(check_clock(w, &device));
    const hb_bench_options options = {.params = params,
                                      .device = &device,
                                      .kinds = w->kinds,
                                      .seconds = w->seconds,
                                      .batch = (size_t)w->batch,
                                      .log_n = w->log_n,
                                      .all_sizes = w->all_sizes,
                                      .sustained = w->sustained,
                                      .processor = w->processor};
    HB_TRY(hb_bench_run(&options, results));
    const device_name n = name_of(&device);
    const char *const core = device.gpu ? "" : ", one core";
    if (w->literal) {
        hb_console_result(group, common, "N = %" PRIu64 ", %" PRIu64 " primes of %" PRIu64 " bits, %s%s", w->n,
                          w->limb_count, w->bits, n.text, core);
    } else {
        hb_console_result(group, common, "%s, %s%s", w->preset, n.text, core);
    }
    hb_bench_print(group, common, results);
    if (!common->json) {
        return HB_OK;
    }
    json_t *report =
        hb_report_compose(group, "bench",
                          json_pack("{s:{s:s, s:s}, s:o, s:f}", "device", "kind", device.gpu ? "gpu" : "cpu", "name",
                                    n.text, "params", hb_report_params(params), "seconds_each", w->seconds),
                          hb_bench_json(results));
    if (report == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the results");
    }
    hb_report_print(report);
    json_decref(report);
    return HB_OK;
}

/* Gives the literal so many special primes, and as many a digit, beside as many primes of the data as it has: those
 * that it lacks are the next of its widest ones, and the largest of all are special. More bits than the table of
 * security allows are to be measured, not used. */
static hb_status widen(hb_params_spec *spec, uint64_t special)
{
    uint64_t primes[HB_MAX_LIMBS];
    const uint32_t data = hb_spec_data_limbs(spec);
    uint32_t bits = 0;
    if (data == 0 || special > HB_MAX_LIMBS - data) {
        return HB_FAIL(HB_EUSAGE, "--special %" PRIu64 ": chains have a prime of the data and at most %d in all",
                       special, HB_MAX_LIMBS);
    }
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        bits = hb_bit_length(spec->primes[i]) > bits ? hb_bit_length(spec->primes[i]) : bits;
    }
    HB_TRY(hb_find_primes(2 * spec->n, bits, HB_MAX_LIMBS, primes));
    spec->key_limbs = spec->key_limbs < data + special ? spec->key_limbs : data + (uint32_t)special;
    /* Among so many enough are new. */
    for (uint32_t i = 0; spec->key_limbs < data + special; i++) {
        bool there = false;
        for (uint32_t j = 0; j < spec->key_limbs; j++) {
            there = there || spec->primes[j] == primes[i];
        }
        if (!there) {
            spec->primes[spec->key_limbs++] = primes[i];
        }
    }
    for (uint32_t i = 0; i < special; i++) {
        const uint32_t last = spec->key_limbs - 1 - i;
        uint32_t largest = last;
        for (uint32_t j = 0; j < last; j++) {
            largest = spec->primes[j] > spec->primes[largest] ? j : largest;
        }
        const uint64_t prime = spec->primes[last];
        spec->primes[last] = spec->primes[largest];
        spec->primes[largest] = prime;
    }
    spec->special_limbs = spec->digit_limbs = (uint32_t)special;
    spec->insecure = true;
    return HB_OK;
}

/* Makes a BFV literal of the degree, primes of the data and bits that are given, and one special prime; its level of
 * security does not matter here either. */
static hb_status make_chain(hb_params_spec *spec, const words *w)
{
    enum { PLAIN_BITS = 20 };
    if (w->limb_count + 1 > HB_MAX_LIMBS) {
        return HB_FAIL(HB_EUSAGE, "--limbs %" PRIu64 ": chains have at most %d primes, one of them special",
                       w->limb_count, HB_MAX_LIMBS);
    }
    if (w->bits > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_EUSAGE, "--bits %" PRIu64 ": primes have at most %d", w->bits, HB_PRIME_MAX_BITS);
    }
    *spec = (hb_params_spec){.scheme = HB_BFV,
                             .n = w->n,
                             .key_limbs = (uint32_t)w->limb_count + 1,
                             .security = {.level = 128},
                             .insecure = true};
    HB_TRY(hb_find_primes(2 * w->n, PLAIN_BITS, 1, &spec->bfv.plain));
    return hb_find_primes(2 * w->n, (uint32_t)w->bits, spec->key_limbs, spec->primes);
}

/* Opens the parameters of the preset, or of a literal. Collective. */
static hb_status open_params(hb_group *group, const words *w, hb_params **params)
{
    hb_params_spec spec;
    *params = NULL;
    hb_status st = w->literal ? make_chain(&spec, w) : hb_params_preset(w->preset, &spec);
    if (st == HB_OK && w->special > 0) {
        st = widen(&spec, w->special);
    }
    st = hb_agree(group, st == HB_OK ? hb_params_open(&spec, params) : st);
    if (st != HB_OK) {
        hb_params_close(*params);
        *params = NULL;
    }
    return st;
}

static hb_status bench_pieces(hb_group *group, const hb_common *common, const words *w)
{
    hb_params *params;
    HB_TRY(open_params(group, w, &params));
    hb_bench_results *results = malloc(sizeof *results); /* too large for a stack */
    const hb_status st = results != NULL ? measure_pieces(group, common, w, params, results)
                                         : HB_FAIL(HB_ENOMEM, "no memory for the results of a benchmark");
    free(results);
    hb_params_close(params);
    return st;
}

/* Collective. */
static hb_status measure_job(hb_group *group, const hb_common *common, const words *w, const hb_params *params)
{
    const hb_bench_job_options options = {
        .params = params, .device = w->device, .limbs = w->limbs, .scratch = w->scratch, .rows = w->rows};
    hb_common told = *common; /* log and progress of the jobs, none of their results */
    told.json = true;
    hb_bench_job_results results;
    HB_TRY(hb_bench_job(group, &told, &options, &results));
    hb_bench_print_job(group, common, &options, &results);
    if (!common->json) {
        return HB_OK;
    }
    return hb_agree(group, hb_report_results(group, "bench",
                                             json_pack("{s:o, s:o}", "params", hb_report_params(params), "job",
                                                       hb_bench_job_json(&options, &results))));
}

/* Collective. */
static hb_status bench_job(hb_group *group, const hb_common *common, const words *w)
{
    hb_params *params;
    HB_TRY(open_params(group, w, &params));
    const hb_status st = measure_job(group, common, w, params);
    hb_params_close(params);
    return st;
}

/* Collective. */
static hb_status bench_limbs(hb_group *group, const hb_common *common, const words *w)
{
    const hb_bench_limbs_words given = {.preset = w->preset_given,
                                        .ranks = w->limb_ranks_given,
                                        .n = w->n,
                                        .limbs = w->limb_count,
                                        .bits = w->bits,
                                        .insecure = w->insecure};
    hb_device device;
    HB_TRY(hb_device_choose(&device, group, &w->device, NULL));
    const hb_bench_limbs_options options = {.device = &device,
                                            .limbs = w->limbs,
                                            .seconds = w->seconds,
                                            .batch = (size_t)w->batch,
                                            .sustained = w->sustained};
    return hb_bench_limbs_command(group, common, &given, options, name_of(&device).text);
}

/* Options that not every kind takes. */
enum { CHAIN = 1, SCRATCH = 2, PROCESSOR = 4, ALL_SIZES = 8, PLAN = 16, DEGREE = 32, INSECURE = 64 };
static const struct {
    unsigned option;
    const char *refusal;
} refusals[] = {{CHAIN, "--limbs is for `hebatch bench limbs`, and with --n for `hebatch bench bfv`"},
                {INSECURE, "--insecure is for `hebatch bench limbs`"},
                {DEGREE, "--n is for `hebatch bench switch`, `hebatch bench bfv` and `hebatch bench limbs`"},
                {PROCESSOR, "--clock cpu is not for job, limbs and --plan: they wait for others"},
                {ALL_SIZES, "--all-sizes is for `hebatch bench ntt`"},
                {PLAN, "--plan is for `hebatch bench ntt`, and of all sizes"}};

/* The kinds of measurements: pieces, on one rank, any of them in one table; or one of the others, on any number of
 * ranks. */
static const struct kind {
    const char *name;
    bool piece;
    unsigned takes, requirements; /* of those options; several pieces take the options of each */
    hb_status (*run)(hb_group *group, const hb_common *common, const words *w);
} kinds[] = {{"ntt", true, PROCESSOR | ALL_SIZES | PLAN, 0, bench_pieces},
             {"encode", true, PROCESSOR, 0, bench_pieces},
             {"keygen", true, PROCESSOR, 0, bench_pieces},
             {"encrypt", true, PROCESSOR, 0, bench_pieces},
             {"decrypt", true, PROCESSOR, 0, bench_pieces},
             {"pack", true, PROCESSOR, 0, bench_pieces},
             {"digest", true, PROCESSOR, 0, bench_pieces},
             {"sample", true, PROCESSOR, 0, bench_pieces},
             {"pointwise", true, PROCESSOR, 0, bench_pieces},
             {"convert", true, PROCESSOR, 0, bench_pieces},
             {"link", true, PROCESSOR, 0, bench_pieces},
             {"switch", true, PROCESSOR | DEGREE, 0, bench_pieces},
             {"bfv", true, PROCESSOR | DEGREE | CHAIN, 0, bench_pieces},
             {"ckks", true, PROCESSOR, 0, bench_pieces},
             {"circuits", true, PROCESSOR, 0, bench_pieces},
             {"job", false, 0, SCRATCH, bench_job},
             {"limbs", false, CHAIN | DEGREE | INSECURE, 0, bench_limbs}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* NULL: there is none of that name. */
static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static hb_status refuse_kind(const char *name)
{
    const char *names[KINDS + 1] = {NULL};
    for (size_t i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
    }
    const char *near = hb_nearest(name, names);
    return HB_FAIL(HB_EUSAGE, "nothing to measure is called '%s'%s%s", name,
                   near != NULL ? "; did you mean " : "; hebatch bench --help lists what there is",
                   near != NULL ? near : "");
}

/* Checks the operands: known kinds that can be measured together. *all: their union. */
static hb_status check_kinds(const hb_parsed *parsed, words *w, struct kind *all)
{
    /* Without any, all pieces of the preset. */
    *all = (struct kind){.piece = true, .takes = PROCESSOR | DEGREE | CHAIN, .run = bench_pieces};
    if (parsed->operand_count == 0) {
        all->takes = PROCESSOR;
    }
    for (size_t i = 0; i < parsed->operand_count; i++) {
        const struct kind *kind = find_kind(parsed->operands[i]);
        if (kind == NULL) {
            return refuse_kind(parsed->operands[i]);
        }
        w->kinds[i] = kind->name;
        all->takes &= kind->takes;
        if (parsed->operand_count == 1) {
            *all = *kind;
        } else if (!kind->piece) {
            return HB_FAIL(HB_EUSAGE, "%s is measured alone: leave out the other kinds", kind->name);
        }
    }
    return HB_OK;
}

/* Checks that the kinds take the given options. */
static hb_status check_options(const words *w, const struct kind *all)
{
    const unsigned given = (w->limb_count > 0 ? CHAIN : 0) | (w->insecure ? INSECURE : 0) | (w->n > 0 ? DEGREE : 0) |
                           (w->processor ? PROCESSOR : 0) | (w->all_sizes ? ALL_SIZES : 0) | (w->plan ? PLAN : 0);
    unsigned takes = all->takes;
    if (w->plan) { /* it is of all sizes, and of a GPU */
        takes &= w->all_sizes ? ~(unsigned)PLAN : ~(unsigned)PROCESSOR;
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if ((given & ~takes & refusals[i].option) != 0) {
            return HB_FAIL(HB_EUSAGE, "%s", refusals[i].refusal);
        }
    }
    if ((all->requirements & SCRATCH) != 0 && (w->scratch == NULL || w->scratch[0] == '\0')) {
        return HB_FAIL(HB_EUSAGE, "--scratch DIR is missing: where the job reads and writes");
    }
    return HB_OK;
}

static hb_status check(const hb_group *group, const hb_parsed *parsed, words *w, struct kind *all)
{
    const uint64_t most_batch = (uint64_t)1 << 24;
    HB_TRY(check_kinds(parsed, w, all));
    w->processor = strcmp(w->clock, "cpu") == 0;
    if (!w->processor && strcmp(w->clock, "wall") != 0) {
        return HB_FAIL(HB_EUSAGE, "--clock %s: there are wall and cpu", w->clock);
    }
    HB_TRY(check_options(w, all));
    if (all->piece && group->size > 1) {
        return HB_FAIL(HB_EUSAGE, "runs on one rank but for `bench job` and `bench limbs`; this group has %d",
                       group->size);
    }
    if (all->piece && w->n > 0) {
        if (w->n < 8192 || w->n > 65536 || (w->n & (w->n - 1)) != 0) {
            return HB_FAIL(HB_EUSAGE, "--n of `hebatch bench switch` and `bench bfv` is 8192, 16384, 32768 or 65536");
        }
        w->log_n = 0;
        while ((uint64_t)1 << w->log_n < w->n) {
            w->log_n++;
        }
    }
    if (all->piece && (all->takes & CHAIN) != 0 && (w->n > 0) != (w->limb_count > 0)) {
        return HB_FAIL(HB_EUSAGE, "--n and --limbs stand for a preset of `hebatch bench bfv` together");
    }
    w->literal = all->piece && w->limb_count > 0;
    if (w->literal && w->preset_given != NULL) {
        return HB_FAIL(HB_EUSAGE, "--params names a chain, --n and --limbs make another: give one of them");
    }
    if (w->batch > most_batch) {
        return HB_FAIL(HB_EUSAGE, "--batch is at most 2^24");
    }
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 14, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    words w = {.preset = "bfv-8192", .clock = "wall", .seconds = 0.5, .rows = 1000000, .bits = 50};
    hb_parsed parsed;
    hb_option rows[ROWS] = {
        {"params", 'p', HB_OPTION_TEXT, &w.preset, "NAME", "preset (default bfv-8192)"},
        {"seconds", 0, HB_OPTION_DURATION, &w.seconds, "TIME", "for each line of the table (default 0.5s)"},
        {"batch", 0, HB_OPTION_NUMBER, &w.batch, "COUNT",
         "ciphertexts a call (default: 4 on a CPU, on a GPU 256 MiB of them);\n1: how long one takes alone"},
        {"sustained", 0, HB_OPTION_FLAG, &w.sustained, NULL,
         "on a GPU: no pauses between samples, so it may lower its clock"},
        {"clock", 0, HB_OPTION_TEXT, &w.clock, "WHICH",
         "on a CPU: wall (default), or cpu: of this process; not job, limbs"},
        {"all-sizes", 0, HB_OPTION_FLAG, &w.all_sizes, NULL, "ntt: for every N from 2^10 to 2^17"},
        {"plan", 0, HB_OPTION_FLAG, &w.plan, NULL,
         "ntt: time all kernels that a transform can take on this GPU, and\nkeep which are fastest for later runs"},
        {"scratch", 0, HB_OPTION_TEXT, &w.scratch, "DIR", "job: folder that it works in; left as it was"},
        {"rows", 0, HB_OPTION_NUMBER, &w.rows, "COUNT", "job: of its table of 16 columns (default 1000000)"},
        {"n", 0, HB_OPTION_ABOVE_0, &w.n, "N",
         "switch: ring degree, 8192 to 65536; bfv and limbs: instead of a preset, 8192 to\n65536, or limbs: 1024 to "
         "131072 ..."},
        {"limbs", 0, HB_OPTION_ABOVE_0, &w.limb_count, "COUNT",
         "... limbs of a ciphertext, beside one more for switching keys ..."},
        {"special", 0, HB_OPTION_ABOVE_0, &w.special, "COUNT",
         "bfv, ckks: so many special primes, and as many a digit of key switching, beside\nthe preset's primes of the "
         "data: with what security does not matter here"},
        {"bits", 0, HB_OPTION_ABOVE_0, &w.bits, "B", "... and bits of each of their primes (default 50)"},
        {"insecure", 0, HB_OPTION_FLAG, &w.insecure, NULL, "limbs: allow a chain above the security table"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w.device);
    hb_limb_options(rows + LIMBS, &w.limbs);
    const char *const usual_preset = w.preset, *const usual_ranks = w.limbs.ranks;
    const hb_usage usage = {&hb_command_bench, rows, ROWS, 0, MOST_KINDS, 0};
    hb_status st = hb_options_parse(&usage, group, argc, argv, &parsed);
    if (st == HB_OK && parsed.help) {
        return HB_OK;
    }
    w.preset_given = w.preset != usual_preset ? w.preset : NULL;
    w.limb_ranks_given = w.limbs.ranks != usual_ranks ? w.limbs.ranks : NULL;
    struct kind all = {0};
    HB_TRY(hb_agree(group, st == HB_OK ? check(group, &parsed, &w, &all) : st));
    return (w.plan ? bench_plan : all.run)(group, &parsed.common, &w);
}

const hb_command hb_command_bench = {
    .name = "bench",
    .arguments = "[OPTIONS] [ntt | encode | keygen | encrypt | decrypt | pack | digest | "
                 "link | sample | pointwise | convert | switch | bfv | ckks | circuits | job | limbs] ...",
    .summary = "time the pieces of a job, or a whole job, beside what bounds them",
    .notes = "limbs: --limb-ranks takes a list as 1,2,4 (default: all that the ranks divide into)",
    .ranks = true,
    .run = run};
