#include "compile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "base/outward.h"
#include "cache.h"
#include "lang/analysis/error_analysis.h"
#include "lang/analysis/graph_print.h"
#include "lang/ir/semantics.h"
#include "lang/program/print.h"
#include "passes.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/ring_switch.h"

/* --- the preset that a failure names */

/* A source that was refused, and room to ask whether it would compile otherwise: too large for a stack. */
typedef struct question {
    const hb_program_source *source;
    const hb_syntax *syntax;
    hb_operand *operands;       /* [operand_count of the source] as presets have them; owned */
    hb_compilation attempt;     /* the one that was tried last, ... */
    hb_compile_refusal refusal; /* ... and why it was refused */
    const char *no_bootstraps;  /* the first preset that bootstraps and was refused, not for levels; NULL: none ... */
    hb_error cause;             /* ... for this */
} question;

static void close_question(question *q)
{
    free(q->operands);
    free(q);
}

/* NULL when out of memory. */
static question *open_question(const hb_program_source *source, const hb_syntax *syntax)
{
    question *q = calloc(1, sizeof *q);
    hb_operand *operands = malloc((source->operand_count + (size_t)1) * sizeof *operands);
    if (q == NULL || operands == NULL) {
        free(operands);
        free(q);
        return NULL;
    }
    q->source = source;
    q->syntax = syntax;
    q->operands = operands;
    return q;
}

/* Tries another source of the same text; the caller clears the attempt. */
static hb_status compile_other(question *q, const hb_program_source *other)
{
    q->refusal = (hb_compile_refusal){.hopeless = false};
    return hb_compile_attempts(&q->attempt, other, q->syntax, &q->refusal);
}

/* The parameters of a preset that hold values as the given ones do. */
static hb_status open_preset(const char *name, const hb_program_source *from, hb_params **out)
{
    hb_params_spec spec;
    const hb_scheme scheme = from->params->spec.scheme;
    HB_TRY(hb_params_preset(name, &spec));
    spec.insecure = false; /* presets for tests must not be used for data */
    if (spec.scheme != scheme) {
        return HB_FAIL(HB_ECONFIG, "%s is of another scheme", name);
    }
    HB_TRY(hb_semantics_of(scheme)->adapt(&spec, from->params));
    spec.joint = from->params->spec.joint; /* bounds, and what parts take, are of as many owners */
    return hb_params_open(&spec, out);
}

/* The limbs of rows that encrypt makes in smaller rings: those that these rings have room for, or all. */
typedef enum ring_limbs { LIMBS_OF_RING, ALL_LIMBS } ring_limbs;

static uint32_t fresh_limbs(const hb_params *params, const hb_operand *operand, ring_limbs limbs)
{
    hb_params_spec smaller;
    return operand->spread_first > 0 && limbs == LIMBS_OF_RING &&
                   hb_ring_switch_spec(params, params->spec.n >> operand->spread_first, &smaller) == HB_OK
               ? smaller.key_limbs
               : params->fresh_limbs;
}

/* Tries it with these parameters and fresh operands. The caller clears the attempt. */
static hb_status compile_fresh(question *q, const hb_params *params, hb_quality_trust trust, ring_limbs limbs)
{
    for (uint32_t i = 0; i < q->source->operand_count; i++) {
        hb_operand *operand = &q->operands[i];
        *operand = q->source->operands[i];
        operand->limbs = fresh_limbs(params, operand, limbs);
        if (operand->spread_first == 0 || limbs == ALL_LIMBS) { /* the key of the switch adds noise */
            operand->quality = hb_quality_fresh(params, true, HB_BINOMIAL);
        }
    }
    hb_program_source other = *q->source;
    other.params = params;
    other.operands = q->operands;
    other.trust = trust == HB_QUALITY_WORST ? hb_trust_by_default(&params->spec) : trust;
    return compile_other(q, &other);
}

static bool would_do(const char *name, question *q, hb_quality_trust trust)
{
    hb_params *params = NULL;
    if (open_preset(name, q->source, &params) != HB_OK) {
        return false;
    }
    const hb_status st = compile_fresh(q, params, trust, ALL_LIMBS);
    /* By the trust that was asked for: another one's cause would be of other bits. */
    if (st != HB_OK && trust == q->source->trust && q->no_bootstraps == NULL &&
        (st != HB_EDATA || q->refusal.bounded) && hb_params_can_bootstrap(params)) {
        q->no_bootstraps = name;
        q->cause = *hb_last_error();
    }
    hb_compilation_clear(&q->attempt);
    hb_params_close(params);
    return st == HB_OK;
}

/* Returns the smallest preset that would do, fresh operands given; NULL: none. */
static const char *find_preset(question *q, hb_quality_trust trust)
{
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        if (would_do(name, q, trust)) {
            break;
        }
    }
    return name;
}

/* The bits that are expected of the result that has the fewest, where likely errors are trusted; NAN: there is none. */
static double expected_bits(question *q)
{
    hb_program_source other = *q->source;
    other.trust = HB_QUALITY_EXPECTED;
    double bits = NAN;
    const bool good = compile_other(q, &other) == HB_OK;
    const hb_compilation *c = &q->attempt;
    for (uint32_t i = 0; i < other.output_count && good; i++) {
        const hb_value *value = &c->outputs[i]->value;
        for (uint32_t j = 0; j < value->columns; j++) {
            const hb_node *node = &c->lowering.graph.nodes[c->lowering.pool[value->first + j]];
            bits = fmin(bits, hb_node_shown_bits(&c->facts, node, HB_QUALITY_EXPECTED)); /* NAN: the other */
        }
    }
    hb_compilation_clear(&q->attempt);
    return bits;
}

/* Returns the narrowest gap of comparisons, wider than the given one, with which the parameters would do; 0: none. */
static double find_gap(question *q)
{
    static const double gaps[] = {0x1p-12, 0x1p-10, 0x1p-7, 0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2};
    hb_program_source other = *q->source;
    const double given = other.gap > 0 ? other.gap : other.bits > 0 ? 0 : HB_LOWERING_GAP;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        other.gap = gaps[i];
        if (gaps[i] <= given) {
            continue;
        }
        const bool good = compile_other(q, &other) == HB_OK;
        hb_compilation_clear(&q->attempt);
        if (good) {
            return gaps[i];
        }
    }
    return 0;
}

/* Says which gap would do; "" where none would. */
typedef struct gap_text {
    char text[128];
} gap_text;

static gap_text find_gap_text(question *q, const hb_compile_refusal *refusal)
{
    gap_text out = {""};
    const double gap = refusal->jumps ? find_gap(q) : 0;
    if (gap > 0) {
        snprintf(out.text, sizeof out.text,
                 "; --gap %.6g would do where no value is nearer to a threshold than this share of the largest", gap);
    }
    return out;
}

#define LOOKS "hebatch params suggest looks for others"

/* The words about parameters that would do in the place of refused ones. */
typedef struct remedy_text {
    char text[384];
} remedy_text;

/* Names a preset that would do, and says where it does by bootstrapping: no chain may be long enough. */
static remedy_text say_preset(const char *name, bool likely)
{
    hb_params_spec spec;
    remedy_text out;
    const bool bootstraps = hb_params_preset(name, &spec) == HB_OK && hb_spec_can_bootstrap(&spec);
    snprintf(out.text, sizeof out.text, "%s would do%s%s; " LOOKS, name, likely ? " with --noise expected" : "",
             bootstraps ? ", by bootstrapping" : "");
    return out;
}

/* Says that no preset would do, and why not one with bootstrapping, where levels alone were missing. */
static remedy_text say_none(const question *q, const hb_semantics *semantics, const hb_compile_refusal *refusal)
{
    remedy_text out;
    size_t length =
        (size_t)snprintf(out.text, sizeof out.text, "with %s none of the presets would do; ", semantics->kept);
    char *const end = out.text + length;
    if (q->no_bootstraps != NULL && !refusal->bounded) {
        const char *place = strstr(q->cause.text, "': "); /* where it ends: the cause has one already */
        snprintf(end, sizeof out.text - length, "with %s, which bootstraps, %s", q->no_bootstraps,
                 place != NULL ? place + 3 : q->cause.text);
    } else {
        snprintf(end, sizeof out.text - length, LOOKS);
    }
    return out;
}

/* Whether the parameters would do if the operands came as encrypt makes them. */
static bool would_do_fresh(question *q, ring_limbs limbs)
{
    const hb_status st = compile_fresh(q, q->source->params, q->source->trust, limbs);
    hb_compilation_clear(&q->attempt);
    return st == HB_OK;
}

/* The row from a smaller ring that has the fewest limbs, or NULL. */
static const hb_operand *find_ring_row(const question *q)
{
    const hb_operand *found = NULL;
    for (uint32_t i = 0; i < q->source->operand_count; i++) {
        const hb_operand *row = &q->source->operands[i];
        const bool fewer = row->spread_first > 0 && row->limbs < q->source->params->fresh_limbs;
        found = fewer && (found == NULL || row->limbs < found->limbs) ? row : found;
    }
    return found;
}

/* Says that a ring is too small; the largest of them has half the degree. */
static remedy_text say_ring(const question *q, const hb_operand *row)
{
    remedy_text out;
    snprintf(out.text, sizeof out.text,
             "%.64s comes from a ring of N = %zu in %" PRIu32 " limb%s: take %s, or a chain whose levels have fewer "
             "bits, of which that ring holds more",
             row->name, q->source->params->spec.n >> row->spread_first, row->limbs, row->limbs == 1 ? "" : "s",
             row->spread_first > 1 ? "a larger ring (keygen --ring)"
                                   : "the ring of the other datasets (encrypt --spread with their key)");
    return out;
}

/* Returns how the same would do if the way to bootstrap were not given, or NULL. */
static const char *find_bootstrapping(question *q)
{
    hb_program_source other = *q->source;
    if (other.bootstrap == HB_BOOTSTRAP_AUTO || !hb_params_can_bootstrap(other.params)) {
        return NULL;
    }
    other.bootstrap = HB_BOOTSTRAP_AUTO;
    const bool good = compile_other(q, &other) == HB_OK;
    const bool lowest = q->attempt.how.bootstraps == HB_BOOTSTRAPS_LOWEST;
    hb_compilation_clear(&q->attempt);
    return !good    ? NULL
           : lowest ? "these parameters would do with --bootstrap auto, by bootstrapping from the lowest level"
                    : "these parameters would do with --bootstrap auto, by bootstrapping";
}

/* Says which parameters would do: these, if they may bootstrap, or if the inputs came as encrypt makes them, or from no
 * smaller ring; else the smallest preset, fresh operands given. Where there is none, for reals, it names the expected
 * bits without a proof, or the preset that would do without one. */
static remedy_text find_remedy(question *q, const hb_compile_refusal *refusal)
{
    const hb_semantics *semantics = hb_semantics_of(q->source->params->spec.scheme);
    const bool proving = semantics->reals && q->source->trust == HB_QUALITY_WORST;
    const char *bootstrapping = find_bootstrapping(q);
    remedy_text out;
    if (bootstrapping != NULL) {
        snprintf(out.text, sizeof out.text, "%s", bootstrapping);
        return out;
    }
    if (would_do_fresh(q, LIMBS_OF_RING)) {
        return (remedy_text){"these parameters would do for inputs as encrypt makes them: take those, or results that "
                             "were stored with --compact off; what was computed, made compact, sanitized or encrypted "
                             "with --levels or --fewest has less left (hebatch info)"};
    }
    const hb_operand *row = find_ring_row(q);
    if (row != NULL && would_do_fresh(q, ALL_LIMBS)) {
        return say_ring(q, row);
    }
    const char *name = find_preset(q, q->source->trust);
    const double bits = name == NULL && proving ? expected_bits(q) : NAN;
    if (!isnan(bits)) {
        snprintf(out.text, sizeof out.text, "--noise expected computes it, right to 2^%.1f as expected; " LOOKS,
                 hb_decimal_up(-bits, 1));
        return out;
    }
    const char *likely = name == NULL && proving ? find_preset(q, HB_QUALITY_EXPECTED) : NULL;
    return name != NULL     ? say_preset(name, false)
           : likely != NULL ? say_preset(likely, true)
                            : say_none(q, semantics, refusal);
}

/* Records the cause of a refusal with what would do, and returns HB_EDATA. For comparisons of reals it also names the
 * narrowest gap that would do. */
static hb_status fail_with_remedy(const hb_program_source *source, const hb_syntax *syntax,
                                  const hb_compile_refusal *refusal)
{
    question *q = open_question(source, syntax);
    if (q == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for another compilation of an expression");
    }
    const remedy_text remedy = find_remedy(q, refusal);
    const gap_text gap = find_gap_text(q, refusal);
    close_question(q);
    return HB_FAIL(HB_EDATA, "%.*s; %s%s", 400 - (int)strlen(gap.text), refusal->cause.text, remedy.text, gap.text);
}

/* --- compiling */

/* The program takes the constants that its instructions number from the graph. */
static void take_constants(hb_program *program, hb_graph *graph)
{
    program->constants = graph->constants;
    program->constants.derived.known = NULL; /* which is the cache's */
    graph->constants = (hb_constants){0};
}

/* Completes the text forms, of the graph and of the program, and gives them to the program. */
static hb_status finish_listing(hb_compilation *c)
{
    const bool numbers = c->source->listing == HB_LISTING_WITH_NUMBERS;
    if (c->listing.to == NULL) {
        return HB_OK;
    }
    fputs(c->source->each_pass ? "what results use:\n" : "", c->listing.to);
    hb_facts_print(&c->facts, false, numbers, c->listing.to);
    hb_program_print(c->program, c->source->params, numbers, c->listing.to);
    const bool failed = ferror(c->listing.to) != 0 || fflush(c->listing.to) != 0;
    if (failed) {
        return HB_FAIL(HB_ENOMEM, "no memory for the text form of a program");
    }
    c->program->description.listing = strdup(c->listing.text);
    return c->program->description.listing != NULL ? HB_OK
                                                   : HB_FAIL(HB_ENOMEM, "no memory for the text form of a program");
}

static hb_known_table table_of(const hb_operand *operand)
{
    return operand->encrypted ? (hb_known_table){.cells = NULL}
                              : (hb_known_table){operand->schema, operand->source, operand->cells};
}

static bool are_known(const hb_compile_cache *cache, const hb_program_source *source)
{
    const bool reals = hb_semantics_of(source->params->spec.scheme)->reals;
    bool same = cache->tables != NULL && cache->table_count == source->operand_count &&
                cache->derived_of == cache->parsed && cache->derived.reals == reals;
    for (uint32_t i = 0; same && i < source->operand_count; i++) {
        const hb_known_table *x = &cache->tables[i], y = table_of(&source->operands[i]);
        same = x->schema == y.schema && x->source == y.source && x->cells == y.cells;
    }
    return same;
}

/* Forgets derived columns of another text, of other tables or of another scheme than those of the source. Its text was
 * parsed last. */
static hb_status take_tables(hb_compile_cache *cache, const hb_program_source *source)
{
    if (are_known(cache, source)) {
        return HB_OK;
    }
    hb_known_table *tables = malloc((source->operand_count + (size_t)1) * sizeof *tables);
    if (tables == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the operands of an expression");
    }
    for (uint32_t i = 0; i < source->operand_count; i++) {
        tables[i] = table_of(&source->operands[i]);
    }
    hb_derived_clear(&cache->derived);
    free(cache->tables);
    cache->tables = tables;
    cache->table_count = source->operand_count;
    cache->derived_of = cache->parsed;
    cache->derived.reals = hb_semantics_of(source->params->spec.scheme)->reals;
    return HB_OK;
}

static hb_status compile(hb_program *program, const hb_program_source *source, bool hints)
{
    hb_compilation c = {.source = source};
    hb_compile_refusal refusal = {.hopeless = false};
    HB_TRY(hb_passes_run(&c, HB_PASSES_OF_TEXT));
    HB_TRY(take_tables(source->cache, source));
    const hb_syntax *syntax = c.syntax;
    hb_status st = hb_compile_attempts(&c, source, syntax, &refusal);
    const bool refused = st == HB_EDATA;
    c.program = program;
    if (st == HB_OK) {
        st = hb_passes_run(&c, HB_PASSES_OF_PROGRAM);
        take_constants(program, &c.lowering.graph);
    }
    st = st == HB_OK ? finish_listing(&c) : st;
    hb_compilation_clear(&c);
    return refused && hints && !refusal.hopeless ? fail_with_remedy(source, syntax, &refusal) : st;
}

static hb_status compile_with_cache(hb_program *program, const hb_program_source *source, bool hints)
{
    hb_program_source cached = *source;
    hb_compile_cache *own = NULL;
    *program = (hb_program){0};
    /* Attempts share their results in a cache, and a refusal tries every preset. */
    if (source->cache == NULL) {
        HB_TRY(hb_compile_cache_open(&own));
        cached.cache = own;
    }
    hb_status st = compile(program, &cached, hints && cached.compact == 0);
    if (st == HB_EDATA && cached.compact != 0) { /* hints, and results that cannot be compact, are of all levels */
        hb_program_clear(program);
        *program = (hb_program){0};
        cached.compact = 0;
        st = compile(program, &cached, hints);
        for (uint32_t i = 0; st == HB_OK && i < program->output_count; i++) {
            hb_output *output = &program->outputs[i];
            const bool several = output->total && output->schema.columns > 1;
            output->unpacked = several ? HB_UNPACKED_BITS : HB_PACKED_OR_SINGLE;
        }
    }
    hb_compile_cache_close(own);
    return st;
}

hb_status hb_program_compile(hb_program *program, const hb_program_source *source)
{
    return compile_with_cache(program, source, false);
}

hb_status hb_program_compile_with_hint(hb_program *program, const hb_program_source *source)
{
    return compile_with_cache(program, source, true);
}
