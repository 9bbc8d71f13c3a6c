/* `bench limbs` from its words to its tables: parameters, numbers of ranks that share a ciphertext, and measuring each
 * of them. */
#include "limbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "bench_private.h"
#include "cli/params_options.h"
#include "cli/parse.h"
#include "limbs_private.h"
#include "machine/machine.h"
#include "ranks/level.h"

/* Writes a list of primes of one size each, one more than the limbs of a ciphertext: the last is for switching keys. */
static hb_status write_sizes(char *sizes, size_t bytes, const hb_bench_limbs_words *w)
{
    size_t at = 0;
    if (w->limbs >= HB_MAX_LIMBS || w->bits > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_EUSAGE, "--limbs is at most %d, and --bits %d: one more prime is for switching keys",
                       HB_MAX_LIMBS - 1, HB_PRIME_MAX_BITS);
    }
    for (uint64_t i = 0; i <= w->limbs; i++) {
        at += (size_t)snprintf(sizes + at, bytes - at, "%s%" PRIu64, i > 0 ? "," : "", w->bits);
    }
    return HB_OK;
}

hb_status hb_limbs_params_open(const hb_bench_limbs_words *w, hb_params **out)
{
    const bool own = w->n > 0 || w->limbs > 0;
    hb_option rows[HB_PARAMS_OPTIONS];
    hb_params_choice choice;
    hb_params_spec spec;
    char sizes[4 * HB_MAX_LIMBS] = "";
    *out = NULL;
    if (own && w->preset != NULL) {
        return HB_FAIL(HB_EUSAGE, "--params names a whole chain: leave out --n, --limbs and --bits, or --params");
    }
    /* Either a preset, or a chain of the user's with both numbers. */
    if (own && (w->n == 0 || w->limbs == 0)) {
        return HB_FAIL(HB_EUSAGE, "choose parameters with --params NAME, or with both --n N and --limbs COUNT");
    }
    hb_params_options(rows, &choice); /* for its defaults */
    choice.insecure = w->insecure;
    if (own) {
        HB_TRY(write_sizes(sizes, sizeof sizes, w));
        choice.n = w->n;
        choice.bits = sizes;
    } else {
        choice.preset = w->preset != NULL ? w->preset : "bfv-8192";
    }
    HB_TRY(hb_params_choose(&choice, &spec));
    return hb_params_open(&spec, out);
}

/* Numbers of ranks that share a ciphertext, ascending; brief: measured only for predictions. */
typedef struct limbs_ranks {
    uint32_t count, k[HB_LIMBS_MOST_K];
    bool brief[HB_LIMBS_MOST_K];
} limbs_ranks;

/* Adds a number in ascending order, unless it is there or there are too many. */
static void add(limbs_ranks *ranks, uint32_t k, bool brief)
{
    uint32_t at = 0;
    while (at < ranks->count && ranks->k[at] < k) {
        at++;
    }
    /* A number of the user's was added before, and stays as it is. */
    if (ranks->count == HB_LIMBS_MOST_K || (at < ranks->count && ranks->k[at] == k)) {
        return;
    }
    for (uint32_t i = ranks->count++; i > at; i--) {
        ranks->k[i] = ranks->k[i - 1];
        ranks->brief[i] = ranks->brief[i - 1];
    }
    ranks->k[at] = k;
    ranks->brief[at] = brief;
}

/* Adds the numbers that the user listed. */
static hb_status add_listed(const hb_bench_limbs_options *options, uint32_t size, limbs_ranks *ranks)
{
    uint64_t numbers[HB_LIMBS_MOST_K];
    size_t listed;
    const hb_status st = hb_parse_list(options->limbs.ranks, numbers, HB_LIMBS_MOST_K, &listed);
    if (st != HB_OK) {
        return HB_FAIL(st, "--limb-ranks: %s", hb_last_error()->text);
    }
    for (size_t i = 0; i < listed; i++) {
        if (numbers[i] == 0 || numbers[i] > options->params->fresh_limbs) {
            return HB_FAIL(HB_ECONFIG,
                           "--limb-ranks %" PRIu64 ": a ciphertext of %s has %" PRIu32 " limbs, and each "
                           "rank needs one",
                           numbers[i], options->params->name, options->params->fresh_limbs);
        }
        /* On one rank nothing is exchanged, so any k can be measured. */
        if (size > 1 && size % numbers[i] != 0) {
            return HB_FAIL(HB_EUSAGE, "--limb-ranks %" PRIu64 " does not divide the %" PRIu32 " ranks", numbers[i],
                           size);
        }
        add(ranks, (uint32_t)numbers[i], false);
    }
    return HB_OK;
}

/* Chooses the numbers that the options ask for, and powers of two up to 16 for predictions. HB_EUSAGE, HB_ECONFIG. */
static hb_status choose_ranks(const hb_group *group, const hb_bench_limbs_options *options, limbs_ranks *ranks)
{
    const uint32_t size = (uint32_t)group->size, most = 16, limbs = options->params->fresh_limbs;
    const bool listed = options->limbs.ranks != NULL && strcmp(options->limbs.ranks, "auto") != 0;
    ranks->count = 0;
    HB_TRY(hb_limb_choice_check(&options->limbs));
    /* Numbers that were asked for come first, because later ones are dropped where there are too many. */
    if (listed) {
        HB_TRY(add_listed(options, size, ranks));
    }
    for (uint32_t i = 1; !listed && i <= size && i <= limbs; i++) {
        if (size % i == 0) {
            add(ranks, i, false);
        }
    }
    /* Computing of one member of k needs no k ranks: so more ranks than there are can be predicted. */
    for (uint32_t i = 1; i <= most && i <= limbs; i *= 2) {
        add(ranks, i, listed || size > 1 || i > most / 2);
    }
    return HB_OK;
}

/* Measuring one k. */
typedef struct run {
    hb_group *group;
    const hb_common *common;
    const hb_bench_limbs_options *options;
    hb_limbs_results_k *results;
    hb_grid grid; /* zero where members exchange nothing */
    bool brief;   /* only the measurements for predictions */
} run;

/* Returns the member that has most limbs of a key, for shares that are measured by themselves. */
static uint32_t fullest(const hb_params *params, const hb_limb_map *map)
{
    uint32_t best = 0, most = 0;
    for (uint32_t m = 0; m < map->members; m++) {
        const uint32_t count = hb_limb_map_count(map, params->ids, params->key_limbs, m);
        best = count > most ? m : best;
        most = count > most ? count : most;
    }
    return best;
}

/* Measures everything of one shape. Collective. */
static hb_status measure_shape(run *r, hb_limbs_shape shape)
{
    hb_limbs_rig rig = {0};
    hb_grid *const grid = r->grid.all != NULL ? &r->grid : NULL;
    hb_exchange_cost cost = r->results->cost;
    /* All ranks have the rig, or none measures. */
    hb_status st = hb_agree(r->group, hb_limbs_rig_open(&rig, grid, r->options, &shape, &cost));
    if (st == HB_OK) {
        if (shape.exchange && shape.keys) { /* the first of this k, by which the others are judged */
            r->results->cost = cost;
            snprintf(r->results->exchange, sizeof r->results->exchange, "%s", rig.exchange);
        }
        r->results->queues = rig.shape.queues;
        r->results->dealt = r->options->params->division;
        st = hb_limbs_measure(r->group, &rig, r->brief, r->results);
    }
    hb_limbs_rig_clear(&rig);
    return st;
}

/* Takes as many ciphertexts as fit, and k times as many for the weak scaling if those fit as well. */
static void plan(const run *r, hb_limbs_shape *shape)
{
    hb_limbs_results_k *results = r->results;
    results->needed = hb_limbs_bytes(r->options, shape);
    /* Fewer ciphertexts take less, keys do not: with one that is too much this k is left out. */
    while (shape->count > 1 && results->needed > results->allowed) {
        shape->count /= 2;
        results->needed = hb_limbs_bytes(r->options, shape);
    }
    results->count = shape->count;
    results->fits = results->needed <= results->allowed;
    hb_limbs_shape larger = *shape;
    larger.count *= results->k;
    if (hb_limbs_bytes(r->options, &larger) <= results->allowed && !r->brief) {
        *shape = larger; /* for the weak scaling */
    }
}

/* Measures one k: with the other members, then a member's share alone, then conversions in both ways. Collective. */
static hb_status measure_k(run *r, hb_limbs_shape shape)
{
    hb_limbs_results_k *results = r->results;
    hb_params *params = r->options->params;
    HB_TRY(hb_limb_divide(params, shape.k, &r->options->speed, &results->cost));
    if (shape.k > 1 && !results->exchanged) {
        shape.member = fullest(params, &params->map);
    }
    plan(r, &shape);
    if (!results->fits) {
        return HB_OK;
    }
    hb_console_log(r->group, r->common, "%" PRIu32 " rank%s a ciphertext", shape.k, shape.k == 1 ? "" : "s");
    shape.exchange = shape.k > 1 && results->exchanged;
    /* Members together; on fewer ranks than k there are none. */
    if (shape.k == 1 || shape.exchange) {
        HB_TRY(measure_shape(r, shape));
    }
    if (shape.k == 1) {
        return HB_OK;
    }
    const bool exchanges[] = {false, true};
    /* An exchange of one thread leaves one queue: computing alone must be measured in as many. */
    shape.queues = results->queues > 0 ? results->queues : shape.queues;
    shape.count = results->count;
    shape.exchange = false;
    HB_TRY(measure_shape(r, shape));
    shape.keys = false;
    for (size_t i = 0; !r->brief && i < (results->exchanged ? 2 : 1); i++) {
        shape.exchange = exchanges[i];
        shape.division = HB_DIVIDE_BY_GATHERING;
        HB_TRY(measure_shape(r, shape));
        shape.division = HB_DIVIDE_BY_SLICES;
        HB_TRY(measure_shape(r, shape));
    }
    return HB_OK;
}

/* Returns the most members that exchange anything. */
static uint32_t most_members(const limbs_ranks *ranks)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < ranks->count; i++) {
        most = !ranks->brief[i] && ranks->k[i] > most ? ranks->k[i] : most;
    }
    return most;
}

/* Finds the values that all k share: queues and ciphertexts to begin with, and the least memory that a rank may take.
 * The batch suits a device that has the share of one of `members`, as jobs take it: so it is the same for all k.
 * Collective. */
static hb_status begin(hb_group *group, const hb_bench_limbs_options *options, uint32_t members, hb_limbs_shape *shape,
                       uint64_t *allowed)
{
    const hb_device *device = options->device;
    const hb_params *p = options->params;
    const uint32_t operands = 16, limbs = (p->fresh_limbs + members - 1) / members;
    const hb_bench_options usual = {.device = device, .batch = options->batch};
    const uint64_t share = hb_machine_memory_each((uint32_t)group->node_size);
    uint64_t least[] = {device->gpu ? device->memory : share, hb_bench_batch(&usual, &p->ring, limbs, operands)};
    HB_TRY(hb_level_least(group, least, sizeof least / sizeof *least));
    const uint64_t suitable = device->gpu ? 3 : 1, queues = device->queues > 0 ? device->queues : suitable;
    const uint64_t batch = least[1];
    *allowed = least[0];
    *shape = (hb_limbs_shape){.queues = (uint32_t)(queues < batch ? queues : batch), .keys = true};
    shape->count = (size_t)(batch / shape->queues);
    return HB_OK;
}

/* Measures one k, on a grid of its own. measured: the largest k whose exchange was measured; NULL: there is none.
 * Collective. */
static hb_status measure_one(run *r, uint32_t k, hb_limbs_shape shape, uint64_t allowed,
                             const hb_limbs_results_k *measured)
{
    const uint32_t size = (uint32_t)r->group->size;
    hb_limbs_results_k *results = r->results;
    *results = (hb_limbs_results_k){.k = k, .groups = size / k, .allowed = allowed};
    results->exchanged = k > 1 && size % k == 0 && !r->brief;
    results->cost = hb_limb_usual_cost(hb_limb_tries_nccl(&r->options->limbs, r->options->device));
    if (measured != NULL) {
        results->as_here = !results->exchanged && k > 1;
        results->cost = measured->cost;
    }
    shape.k = k;
    hb_status st = HB_OK;
    if (results->exchanged || k == 1) {
        HB_GOTO(hb_grid_open(&r->grid, r->group, k));
        /* On other ranks than these, each measures the share of a member that has most. */
        shape.member = (uint32_t)r->grid.members->rank;
    }
    st = measure_k(r, shape);
done:
    hb_grid_close(&r->grid);
    return st;
}

/* Measures all k. Collective, the same status on all ranks. HB_EUSAGE for a k that does not divide the number of ranks
 * (but on one rank computing is measured for any k), HB_ECONFIG for more ranks than limbs. A k whose keys do not fit
 * into the device's memory is left out of the measurements. */
static hb_status measure(hb_group *group, const hb_common *common, hb_bench_limbs_options *options,
                         hb_limbs_results *results)
{
    limbs_ranks ranks;
    hb_limbs_shape shape;
    uint64_t allowed;
    memset(results, 0, sizeof *results);
    HB_TRY(hb_agree(group, choose_ranks(group, options, &ranks)));
    HB_TRY(begin(group, options, most_members(&ranks), &shape, &allowed));
    const hb_limbs_results_k *measured = NULL;
    hb_status st = hb_limb_speed(group, options->device, options->params, &options->speed);
    results->count = ranks.count;
    /* One k after another, as each has the devices to itself: first those whose exchange is measured, by which the
     * others are predicted. */
    for (uint32_t i = 0; st == HB_OK && i < 2 * ranks.count; i++) {
        const uint32_t at = i % ranks.count;
        if (ranks.brief[at] != (i >= ranks.count)) {
            continue;
        }
        run r = {
            .group = group, .common = common, .options = options, .results = &results->k[at], .brief = ranks.brief[at]};
        HB_GOTO(measure_one(&r, ranks.k[at], shape, allowed, measured));
        measured = r.results->exchanged && r.results->fits ? r.results : measured;
    }
    HB_GOTO(st);
    st = hb_params_divide(options->params, 1);
done:
    return st;
}

static hb_status report(hb_group *group, const hb_bench_limbs_options *options, const hb_limbs_results *results,
                        const char *device)
{
    return hb_report_results(group, "bench",
                             json_pack("{s:{s:s, s:s}, s:o, s:f, s:o}", "device", "kind",
                                       options->device->gpu ? "gpu" : "cpu", "name", device, "params",
                                       hb_report_params(options->params), "seconds_each", options->seconds, "limbs",
                                       hb_bench_limbs_json(options, results)));
}

hb_status hb_bench_limbs_command(hb_group *group, const hb_common *common, const hb_bench_limbs_words *words,
                                 hb_bench_limbs_options options, const char *device)
{
    hb_status st;
    hb_limbs_results *results = malloc(sizeof *results); /* too large for a stack */
    HB_GOTO(hb_agree(group, results != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the results of a benchmark")));
    HB_GOTO(hb_agree(group, hb_limbs_params_open(words, &options.params)));
    const hb_params *p = options.params;
    /* A list of numbers here, where jobs have one number. */
    options.limbs.ranks = words->ranks;
    if (p->spec.insecure) {
        hb_console_warn_insecure(group, p->chain_bits);
    }
    HB_GOTO(measure(group, common, &options, results));
    hb_console_result(group, common,
                      "%s, N = %zu, %" PRIu32 " limbs and %" PRIu32 " for switching keys, %" PRIu32
                      " bits; %s, %d rank%s",
                      p->name, p->spec.n, p->data_limbs, p->key_limbs - p->data_limbs, p->chain_bits, device,
                      group->size, group->size == 1 ? "" : "s");
    hb_bench_print_limbs(group, common, &options, results);
    st = common->json ? hb_agree(group, report(group, &options, results, device)) : HB_OK;
done:
    free(results);
    hb_params_close(options.params);
    return st;
}
