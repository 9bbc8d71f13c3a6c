/* The results of an expression under parameters that it does not exhaust: their names, their ranges, and the values
 * that parameters must hold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/prime.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"
#include "scheme/codec.h"
#include "scheme/quality.h"
#include "search.h"

/* Whether some statement reads a name. */
static hb_status reads_name(const char *text, const char *name, bool *reads)
{
    hb_syntax s;
    hb_status st;
    *reads = false;
    HB_GOTO(hb_syntax_parse(&s, text, hb_lang_functions));
    for (uint32_t i = 0; i < s.count; i++) {
        *reads |= s.items[i].kind == HB_ITEM_NAME && hb_item_is(&s, &s.items[i], name);
    }
done:
    hb_syntax_clear(&s);
    return st;
}

/* Whether a name is for other statements alone: one reads it, and it can be no result. */
static hb_status is_between(hb_trials *s, const hb_params_spec *spec, char *name, bool *between)
{
    char *only[] = {name, NULL}, **all = s->assigns;
    const uint32_t count = s->assign_count;
    hb_suggestion trial = {0};
    HB_TRY(reads_name(s->request->expression, name, between));
    if (*between) {
        s->assigns = only;
        s->assign_count = 1;
        *between = hb_trial(s, spec, true, &trial) == HB_EUSAGE;
        hb_suggestion_clear(&trial);
        s->assigns = all;
        s->assign_count = count;
    }
    return HB_OK;
}

/* Puts names that are for other statements alone, as that of a number or of a plain table, behind the results. */
static hb_status set_apart(hb_trials *s, const hb_params_spec *spec)
{
    uint32_t results = 0;
    for (uint32_t i = 0; i < s->assign_count; i++) {
        char *const name = s->assigns[i];
        bool between;
        HB_TRY(is_between(s, spec, name, &between));
        if (!between) {
            memmove(s->assigns + results + 1, s->assigns + results, (i - results) * sizeof(char *));
            s->assigns[results++] = name;
        }
    }
    s->assign_count = results;
    return HB_OK;
}

/* Notes the result that leaves least, which asks for the parameters: bits of budget, or for reals levels. */
static void note_deepest(hb_trials *s, const hb_suggestion *trial)
{
    const bool real = hb_codec_cell_type(s->request->scheme) == HB_CELL_REAL;
    double least = INFINITY;
    for (uint32_t i = 0; i < trial->program.output_count; i++) {
        const hb_output *o = &trial->program.outputs[i];
        const double left = real ? o->limbs : hb_quality_bits(trial->params, o->limbs, o->quality.worst);
        if (left < least) {
            least = left;
            snprintf(s->deepest, sizeof s->deepest, "%.64s", o->name);
            s->deepest_at = o->at;
        }
    }
    s->several = trial->program.output_count > 1;
}

/* Notes the interval of plain columns that the program loads unchanged. */
static void hold_loads(hb_trials *s, const hb_search *search, const hb_instruction *code, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t of = code[i].operand, column = code[i].column;
        if (hb_operations[code[i].op].loads && of < s->read_count && !s->operands[of].encrypted &&
            column < s->schemas[of].columns) {
            search->hold(s, s->operands[of].column_ranges[column], s->schemas[of].column[column].is_signed);
        }
    }
}

static void hold_plain(hb_trials *s, const hb_search *search, const hb_program *program)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        hold_loads(s, search, program->passes[p].rows, program->passes[p].row_count);
        hold_loads(s, search, program->passes[p].totals, program->passes[p].total_count);
    }
}

/* Completes the literal and compiles under it; *trial is cleared before. */
static hb_status try_begin(hb_trials *s, const hb_search *search, hb_params_spec *spec, hb_suggestion *trial)
{
    hb_suggestion_clear(trial);
    HB_TRY(search->begin(s, spec));
    return hb_trial(s, spec, true, trial);
}

/* Names that can be no result are set apart, and it is tried again. */
static hb_status try_apart(hb_trials *s, const hb_search *search, hb_params_spec *spec, hb_suggestion *trial)
{
    const hb_params_spec empty = *spec;
    hb_status st = try_begin(s, search, spec, trial);
    if (st == HB_EUSAGE && trial->params != NULL) {
        const uint32_t before = s->assign_count;
        HB_TRY(set_apart(s, spec));
        s->assign_count = s->assign_count > 0 ? s->assign_count : before;
        *spec = empty;
        st = try_begin(s, search, spec, trial);
    }
    return st;
}

/* The same, from a literal without a chain's completion, with room for numbers of so many bits beside the tables. */
static hb_status try_room(hb_trials *s, const hb_search *search, uint32_t bits, hb_params_spec *spec,
                          hb_suggestion *trial)
{
    const hb_params_spec empty = *spec;
    const hb_bfv_requirements tables = s->bfv;
    if (!search->room(s, bits)) {
        return HB_EUSAGE;
    }
    const hb_status st = try_apart(s, search, spec, trial);
    s->bfv = st == HB_OK ? s->bfv : tables;
    *spec = st == HB_OK ? *spec : empty;
    return st;
}

/* Where parameters just hold the tables, constants may be more than they hold: finds the fewest bits that do. Other
 * faults of an expression are the same for any number of bits, and most bits leave least for products. */
static hb_status begin_with_room(hb_trials *s, const hb_search *search, hb_params_spec *spec, hb_suggestion *trial)
{
    /* Bits: fewer than every t that batches holds, as t > 2N; the most that one t holds; those of any constant. */
    enum { FEWEST = HB_MIN_LOG_N, ONE = HB_PRIME_MAX_BITS - 1, WORD = 64 };
    const hb_params_spec empty = *spec;
    const hb_bfv_requirements tables = s->bfv;
    hb_status st = try_begin(s, search, spec, trial);
    if (st != HB_EUSAGE) {
        return st;
    }
    *spec = empty;
    if (search->room == NULL || !search->room(s, ONE)) {
        return try_apart(s, search, spec, trial);
    }
    s->bfv = tables;
    uint32_t low = FEWEST, high = ONE;
    st = try_room(s, search, high, spec, trial);
    if (st == HB_EUSAGE) {
        low = high = WORD;
        st = try_room(s, search, high, spec, trial);
    }
    if (st == HB_EUSAGE) {
        return st;
    }
    for (uint32_t bits = low; low < high; bits = (low + high) / 2) { /* the fewest may do, and `high` does */
        s->bfv = tables;
        *spec = empty;
        const bool few = try_room(s, search, bits, spec, trial) == HB_EUSAGE;
        low = few ? bits + 1 : low;
        high = few ? high : bits;
    }
    s->bfv = tables;
    *spec = empty;
    return try_room(s, search, high, spec, trial);
}

hb_status hb_trials_find_results(hb_trials *s)
{
    enum { PRIMES = 60 };
    const hb_search *search = s->search;
    uint32_t bits[PRIMES];
    hb_params_spec spec = {.scheme = s->request->scheme,
                           .n = (size_t)1 << HB_RING_MAX_LOG_N,
                           .key_limbs = PRIMES,
                           .security = hb_security_default(),
                           .insecure = true};
    hb_suggestion trial = {0};
    hb_status st;
    for (uint32_t i = 0; i < PRIMES; i++) {
        bits[i] = HB_PRIME_MAX_BITS;
    }
    HB_GOTO(hb_create_primes(spec.n, bits, PRIMES, spec.primes));
    const hb_bfv_requirements tables = s->bfv;
    st = begin_with_room(s, search, &spec, &trial);
    if (st == HB_EDATA && search->endless != NULL) {
        s->bfv = tables;
        HB_GOTO(search->endless(&spec));
        st = begin_with_room(s, search, &spec, &trial);
    }
    HB_GOTO(st);
    hold_plain(s, search, &trial.program);
    note_deepest(s, &trial);
    for (uint32_t i = 0; i < trial.program.output_count; i++) {
        HB_GOTO(search->take(s, &trial.program.outputs[i]));
    }
    s->bfv.each_least = trial.program.plain_least;
    s->bfv.plain_least =
        trial.program.plain_least > s->bfv.plain_least ? trial.program.plain_least : s->bfv.plain_least;
done:
    hb_suggestion_clear(&trial);
    return st;
}
