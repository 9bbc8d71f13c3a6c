#include "attempts.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "lang/ir/semantics.h"
#include "passes.h"
#include "scheme/bootstrap.h"
#include "scheme/params.h"

/* Functions have as few bits as do: the error of an approximation is a share of the result's, or several times it where
 * it is multiplied afterwards. More bits are also other degrees, with smaller errors of evaluation. */
#define BITS(bits, shortest, bootstraps)            \
    {                                               \
        bits, shortest, bootstraps, false, 0, false \
    }
#define BITS_UPWARDS(shortest, bootstraps)                                                             \
    BITS(0, shortest, bootstraps), BITS(1, shortest, bootstraps), BITS(3, shortest, bootstraps),       \
        BITS(6, shortest, bootstraps), BITS(10, shortest, bootstraps), BITS(15, shortest, bootstraps), \
        BITS(21, shortest, bootstraps)

/* Where likely errors are trusted and levels are too few for compositions that are proven, shorter ones do; comparisons
 * of integers have ways with more products and less depth; rows for all others do without a mask. Values are
 * bootstrapped where they have to be, and from the lowest level, which leaves fewer bits and levels, where they have no
 * others left. */
static const hb_attempt attempts[] = {
    BITS_UPWARDS(false, HB_BOOTSTRAPS_NONE),   BITS_UPWARDS(true, HB_BOOTSTRAPS_NONE),
    BITS_UPWARDS(false, HB_BOOTSTRAPS_USUAL),  BITS_UPWARDS(true, HB_BOOTSTRAPS_USUAL),
    BITS_UPWARDS(false, HB_BOOTSTRAPS_LOWEST), BITS_UPWARDS(true, HB_BOOTSTRAPS_LOWEST),
};

/* The source, and the common start of all attempts. */
typedef struct search {
    const hb_program_source *source;
    const hb_syntax *syntax;
    hb_checked *checked; /* from the first attempt on that is lowered */
} search;

/* Facts from refused attempts about the attempts behind them. */
typedef struct outlook {
    bool misses;  /* functions of more bits may be the remedy */
    bool shorter; /* there is something shorter */
    bool none;    /* nothing helps */
    bool stuck;   /* values that have to be bootstrapped are below the levels where that begins */
} outlook;

static bool is_tried(const hb_attempt *row, const outlook *after, const hb_program_source *source)
{
    const bool never = after->none || source->bootstrap == HB_BOOTSTRAP_NEVER;
    if (row->bootstraps != HB_BOOTSTRAPS_NONE && (never || !hb_params_can_bootstrap(source->params))) {
        return false;
    }
    if (row->bootstraps == HB_BOOTSTRAPS_LOWEST &&
        (!after->stuck || source->bootstrap == HB_BOOTSTRAP_TWICE || !hb_bootstraps_lowest(source->params, 0))) {
        return false;
    }
    return row->bits > 0 ? after->misses : !row->shortest || after->shorter;
}

/* Whether the search goes on: functions of more bits may take too many operations, or more levels than the parameters
 * have. */
static bool is_refusal(const hb_attempt *row, hb_status st)
{
    return st == HB_EDATA || (row->bits > 0 && (st == HB_EUSAGE || st == HB_ECONFIG));
}

static outlook outlook_of(const hb_compilation *c)
{
    const hb_lowering *l = &c->lowering;
    const bool longer = l->longer && c->source->trust != HB_QUALITY_WORST;
    return (outlook){.misses = c->misses,
                     .shorter = longer || l->predicates.deeper || l->masked,
                     .none = l->hopeless,
                     .stuck = l->stuck || c->how.bootstraps == HB_BOOTSTRAPS_LOWEST};
}

void hb_compilation_clear(hb_compilation *c)
{
    if (c->listing.to != NULL) {
        (void)fclose(c->listing.to); /* in memory */
        free(c->listing.text);
    }
    hb_checked_leave(c->checked);
    hb_emission_clear(&c->emission);
    free(c->stores);
    hb_facts_clear(&c->facts);
    if (!c->kept) {
        free(c->outputs);
        hb_lower_clear(&c->lowering);
    }
    *c = (hb_compilation){0};
}

/* Nothing is made yet. */
static hb_status begin(hb_compilation *c, const search *tried, hb_attempt how)
{
    const hb_program_source *source = tried->source;
    *c = (hb_compilation){
        .source = source, .syntax = tried->syntax, .how = how, .checked = hb_checked_share(tried->checked)};
    if (source->listing == HB_LISTING_NONE) {
        return HB_OK;
    }
    c->listing.to = open_memstream(&c->listing.text, &c->listing.size);
    return c->listing.to != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the text form of a program");
}

/* --- graphs that attempts have in common */

/* Whether two operands are the same but for levels and errors, which graphs of such schemes do not depend on; *up: by
 * how many limbs the second is above the first. Bytes that no member has count, too: at worst they differ. */
static bool same_operand(const hb_operand *x, const hb_operand *y, int64_t *up)
{
    hb_operand at_level;
    memcpy(&at_level, y, sizeof at_level);
    at_level.limbs = x->limbs;
    memcpy(&at_level.quality, &x->quality, sizeof x->quality);
    *up = (int64_t)y->limbs - x->limbs;
    return memcmp(x, &at_level, sizeof at_level) == 0;
}

/* Whether the kept graph is that of the source and the attempt; *up: by how many limbs its levels are higher. */
static bool is_of(const hb_lowered_graph *kept, const hb_compile_cache *cache, const hb_compilation *c, int64_t *up)
{
    const hb_program_source *from = c->source;
    const hb_graph *g = &kept->lowering.graph;
    const hb_semantics *semantics = hb_semantics_of(from->params->spec.scheme);
    if (kept->operands == NULL || kept->parsed != cache->parsed || kept->shortest != c->how.shortest ||
        kept->measured != from->measured || g->operands != from->operands || g->operand_count != from->operand_count ||
        semantics->alike == NULL || !semantics->alike(&kept->spec, &from->params->spec)) {
        return false;
    }
    bool any = false;
    *up = 0;
    for (uint32_t i = 0; i < g->operand_count; i++) {
        int64_t own;
        if (!same_operand(&kept->operands[i], &from->operands[i], &own)) {
            return false;
        }
        if (from->operands[i].encrypted) {
            if (any && own != *up) {
                return false;
            }
            *up = own;
            any = true;
        }
    }
    return true;
}

/* Brings all ciphertexts to higher or lower levels; false: some would have none. */
static bool move_levels(hb_graph *g, int64_t up)
{
    const int64_t least = hb_graph_level_limbs(g);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->nodes[i].shape.plain && g->nodes[i].shape.limbs + up < least) {
            return false;
        }
    }
    for (uint32_t i = 0; i < g->count; i++) {
        g->nodes[i].shape.limbs += g->nodes[i].shape.plain ? 0 : (uint32_t)up;
    }
    return true;
}

static bool same_outputs(const hb_lowered_graph *kept, const hb_compilation *c)
{
    const hb_syntax *s = c->syntax;
    for (uint32_t i = 0; i < c->source->output_count; i++) {
        if (i >= kept->output_count || !hb_item_is(s, kept->outputs[i]->item, c->source->outputs[i])) {
            return false;
        }
    }
    return kept->output_count == c->source->output_count;
}

/* Takes the graph and the results of a compilation from the cache, if they are there, at the levels of its operands. */
static void find_graph(hb_compilation *c)
{
    const hb_program_source *from = c->source;
    hb_compile_cache *cache = from->cache;
    for (uint32_t i = 0; i < HB_LOWERED_KEPT && from->compact == 0 && c->how.bootstraps == HB_BOOTSTRAPS_NONE; i++) {
        hb_lowered_graph *kept = &cache->lowered[i];
        hb_graph *g = &kept->lowering.graph;
        int64_t up;
        if (!is_of(kept, cache, c, &up) || !same_outputs(kept, c)) {
            continue;
        }
        g->params = from->params;
        g->spec = &from->params->spec;
        if (!move_levels(g, up)) {
            continue;
        }
        memcpy(kept->operands, from->operands, from->operand_count * sizeof *kept->operands);
        c->lowering = kept->lowering;
        c->outputs = kept->outputs;
        c->kept = true;
        return;
    }
}

/* Keeps them, once they are complete, if levels are all that other parameters change of them. They are the cache's
 * then. */
static void keep_graph(hb_compilation *c)
{
    const hb_program_source *from = c->source;
    hb_compile_cache *cache = from->cache;
    const hb_graph *g = &c->lowering.graph;
    /* Results of a level of their own, and derived columns and tables that the program takes, change the graph. */
    if (c->kept || c->facts.graph == NULL || g->unplaced || g->semantics->alike == NULL || from->compact != 0 ||
        c->how.bootstraps != HB_BOOTSTRAPS_NONE || g->constants.derived.count > 0 || g->constants.tables.count > 0) {
        return;
    }
    hb_lowered_graph *kept = &cache->lowered[cache->next];
    hb_operand *operands = malloc((from->operand_count + (size_t)1) * sizeof *operands);
    if (operands == NULL) {
        return; /* it is lowered again */
    }
    memcpy(operands, from->operands, from->operand_count * sizeof *operands);
    hb_lowered_graph_clear(kept);
    *kept = (hb_lowered_graph){.lowering = c->lowering,
                               .outputs = c->outputs,
                               .output_count = from->output_count,
                               .operands = operands,
                               .spec = from->params->spec,
                               .parsed = cache->parsed,
                               .shortest = c->how.shortest,
                               .measured = from->measured};
    cache->next = (cache->next + 1) % HB_LOWERED_KEPT;
    c->kept = true;
}

/* --- the search */

/* Makes the graph of an attempt, from the types of the attempts before it. */
static hb_status make_graph(hb_compilation *c, search *tried)
{
    find_graph(c);
    if (!c->kept && c->checked == NULL) {
        HB_TRY(hb_passes_run(c, HB_PASSES_OF_SOURCE));
        tried->checked = hb_checked_share(c->checked);
    }
    return hb_passes_run(c, HB_PASSES_OF_GRAPH);
}

static hb_status try_once(hb_compilation *c, search *tried, hb_attempt how, hb_compile_refusal *refusal)
{
    hb_compilation_clear(c);
    HB_TRY(begin(c, tried, how));
    const hb_status st = make_graph(c, tried);
    refusal->jumps = refusal->jumps || c->lowering.approximations.jumps;
    keep_graph(c);
    return st;
}

static bool has(const hb_graph *g, hb_opcode op)
{
    uint32_t i = 0;
    while (i < g->count && g->nodes[i].op != op) {
        i++;
    }
    return i < g->count;
}

/* Placement adds up what operations usually take of the noise budget of integers. Where exact bounds then do not hold,
 * it is tried again with more in reserve; at last the first refusal stays. */
static hb_status try_reserves(hb_compilation *c, search *tried, hb_attempt how, hb_compile_refusal *refusal)
{
    static const uint32_t reserves[] = {1, 2, 3, 5, 8};
    hb_status st = try_once(c, tried, how, refusal);
    if (st != HB_EDATA || !c->bounds || !hb_compilation_refreshes(c)) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    for (size_t i = 0; i < sizeof reserves / sizeof *reserves && st == HB_EDATA; i++) {
        how.reserve = reserves[i];
        st = try_once(c, tried, how, refusal);
    }
    if (st == HB_EDATA) {
        hb_set_error(&cause);
    }
    return st;
}

/* Two row blocks as one have the errors of both, and take no level more. So each goes alone where a program that has
 * such ones is refused for its errors; another refusal stays. */
static hb_status try_row(hb_compilation *c, search *tried, const hb_attempt *row, bool always,
                         hb_compile_refusal *refusal)
{
    hb_attempt how = *row;
    how.always = always;
    const hb_status st = try_reserves(c, tried, how, refusal);
    if (st != HB_EDATA || !c->bounds || c->lowering.hopeless || !has(&c->lowering.graph, HB_OP_COUPLE)) {
        return st;
    }
    how.apart = true;
    return try_once(c, tried, how, refusal);
}

static hb_status try_rows(hb_compilation *c, search *tried, bool always, hb_compile_refusal *refusal)
{
    outlook after = {.misses = false};
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const hb_attempt *row = &attempts[i];
        if (!is_tried(row, &after, tried->source)) {
            after.misses = false;
            continue;
        }
        const hb_status st = try_row(c, tried, row, always, refusal);
        if (!is_refusal(row, st)) {
            return st;
        }
        if (row->bits > 0 && (st != HB_EDATA || !c->misses)) { /* no level is left for longer polynomials */
            after.misses = false;
            continue;
        }
        after = outlook_of(c);
        /* Longer polynomials lose bits in other ways, and shorter ones are less exact. So the plainest attempt gives
         * the reason, with bootstraps where they are possible, and from the lowest level where that gives levels, or
         * gives none only because values are too large. */
        if (row->bits == 0 && !row->shortest && (row->bootstraps != HB_BOOTSTRAPS_LOWEST || !c->lowering.stuck)) {
            refusal->cause = *hb_last_error();
            refusal->bounded = c->bounds;
        }
    }
    refusal->hopeless = after.none;
    hb_set_error(&refusal->cause);
    return HB_EDATA;
}

/* A node that is a public number by its range is no ciphertext, and functions of reals refuse it. Where a program is
 * refused for that, functions whose results are such numbers are approximated, too. */
static hb_status try_all(hb_compilation *c, search *tried, hb_compile_refusal *refusal)
{
    const bool reals = hb_semantics_of(tried->source->params->spec.scheme)->reals;
    const hb_status st = try_rows(c, tried, false, refusal);
    if (st != HB_EUSAGE || !reals || !has(&c->lowering.graph, HB_OP_KNOWN)) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    hb_compile_refusal other = *refusal;
    const hb_status again = try_rows(c, tried, true, &other);
    if (again == HB_OK || again == HB_ENOMEM) {
        return again;
    }
    hb_set_error(&cause);
    return st;
}

hb_status hb_compile_attempts(hb_compilation *c, const hb_program_source *source, const hb_syntax *syntax,
                              hb_compile_refusal *refusal)
{
    search tried = {source, syntax, NULL};
    *c = (hb_compilation){.source = source};
    const hb_status st = try_all(c, &tried, refusal);
    hb_checked_leave(tried.checked);
    return st;
}
