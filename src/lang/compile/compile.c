#include "compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "cache.h"
#include "lang/analysis/graph_print.h"
#include "lang/ir/semantics.h"
#include "lang/program/print.h"
#include "passes.h"
#include "preset_hint.h"

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
    hb_program_print(c->program, numbers, c->listing.to);
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
    return refused && hints && !refusal.hopeless ? hb_fail_with_preset(source, syntax, &refusal) : st;
}

static hb_status compile_with_cache(hb_program *program, const hb_program_source *source, bool hints)
{
    hb_program_source cached = *source;
    hb_compile_cache *own = NULL;
    *program = (hb_program){0};
    /* An attempt finds what those before it found, and a refusal tries every preset. */
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
