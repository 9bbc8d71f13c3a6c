#include "preset_hint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outward.h"
#include "lang/analysis/error_analysis.h"
#include "lang/ir/semantics.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* A source that was refused, and room for its operands as presets have them. */
typedef struct question {
    const hb_program_source *source;
    const hb_syntax *syntax;
    hb_operand *operands; /* [operand_count of the source] */
} question;

/* The parameters of a preset that hold values as the given ones do. */
static hb_status open_preset(const char *name, const hb_program_source *from, hb_params **out)
{
    hb_params_spec spec;
    const hb_scheme scheme = from->params->spec.scheme;
    HB_TRY(hb_params_preset(name, &spec));
    spec.insecure = false; /* those for tests are for nobody's data */
    if (spec.scheme != scheme) {
        return HB_FAIL(HB_ECONFIG, "%s is of another scheme", name);
    }
    HB_TRY(hb_semantics_of(scheme)->adapt(&spec, from->params));
    return hb_params_open(&spec, out);
}

static bool would_do(const char *name, const question *q, hb_quality_trust trust)
{
    hb_params *params = NULL;
    if (open_preset(name, q->source, &params) != HB_OK) {
        return false;
    }
    for (uint32_t i = 0; i < q->source->operand_count; i++) {
        q->operands[i] = q->source->operands[i];
        q->operands[i].limbs = params->fresh_limbs;
        q->operands[i].quality = hb_quality_fresh(params, true, HB_BINOMIAL);
    }
    hb_program_source other = *q->source;
    other.params = params;
    other.operands = q->operands;
    other.trust = trust;
    hb_compilation c;
    hb_compile_refusal refusal = {.hopeless = false};
    const bool good = hb_compile_attempts(&c, &other, q->syntax, &refusal) == HB_OK;
    hb_compilation_clear(&c);
    hb_params_close(params);
    return good;
}

/* Returns the smallest preset that would do, fresh operands given; NULL: none. */
static const char *find_preset(const question *q, hb_quality_trust trust)
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
static double expected_bits(const question *q)
{
    hb_program_source other = *q->source;
    other.trust = HB_QUALITY_EXPECTED;
    hb_compilation c;
    hb_compile_refusal refusal = {.hopeless = false};
    double bits = NAN;
    const bool good = hb_compile_attempts(&c, &other, q->syntax, &refusal) == HB_OK;
    for (uint32_t i = 0; i < other.output_count && good; i++) {
        const hb_value *value = &c.outputs[i]->value;
        for (uint32_t j = 0; j < value->columns; j++) {
            const hb_node *node = &c.lowering.graph.nodes[c.lowering.pool[value->first + j]];
            bits = fmin(bits, hb_node_shown_bits(&c.facts, node, HB_QUALITY_EXPECTED)); /* NAN: the other */
        }
    }
    hb_compilation_clear(&c);
    return bits;
}

/* Returns the narrowest gap of comparisons, wider than the given one, with which the parameters would do; 0: none. */
static double find_gap(const hb_program_source *source, const hb_syntax *syntax)
{
    static const double gaps[] = {0x1p-12, 0x1p-10, 0x1p-7, 0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2};
    const double given = source->gap > 0 ? source->gap : source->bits > 0 ? 0 : HB_LOWERING_GAP;
    hb_program_source other = *source;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        hb_compilation c;
        hb_compile_refusal refusal = {.hopeless = false};
        other.gap = gaps[i];
        if (gaps[i] <= given) {
            continue;
        }
        const bool good = hb_compile_attempts(&c, &other, syntax, &refusal) == HB_OK;
        hb_compilation_clear(&c);
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

static gap_text find_gap_text(const hb_program_source *source, const hb_syntax *syntax,
                              const hb_compile_refusal *refusal)
{
    gap_text out = {""};
    const double gap = refusal->jumps ? find_gap(source, syntax) : 0;
    if (gap > 0) {
        snprintf(out.text, sizeof out.text,
                 "; --gap %.6g would do where no value is nearer to a threshold than this share of the largest", gap);
    }
    return out;
}

hb_status hb_fail_with_preset(const hb_program_source *source, const hb_syntax *syntax,
                              const hb_compile_refusal *refusal)
{
    const char *text = refusal->cause.text, *likely = NULL;
    const hb_semantics *semantics = hb_semantics_of(source->params->spec.scheme);
    const bool proving = semantics->reals && source->trust == HB_QUALITY_WORST;
    question q = {source, syntax, malloc((source->operand_count + (size_t)1) * sizeof *q.operands)};
    if (q.operands == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the operands of an expression");
    }
    const char *name = find_preset(&q, source->trust);
    const double bits = name == NULL && proving ? expected_bits(&q) : NAN;
    if (name == NULL && proving && isnan(bits)) {
        likely = find_preset(&q, HB_QUALITY_EXPECTED);
    }
    free(q.operands);
    const gap_text gap = find_gap_text(source, syntax, refusal);
    const int most = 400 - (int)strlen(gap.text);
    if (!isnan(bits)) {
        return HB_FAIL(HB_EDATA, "%.*s; --noise expected computes it, right to 2^%.1f as expected%s", most, text,
                       hb_decimal_up(-bits, 1), gap.text);
    }
    if (likely != NULL) {
        return HB_FAIL(HB_EDATA, "%.*s; %s would do with --noise expected%s", most, text, likely, gap.text);
    }
    if (name == NULL) {
        return HB_FAIL(HB_EDATA,
                       "%.*s; with %s none of the presets would do; hebatch params suggest finds parameters%s", most,
                       text, semantics->kept, gap.text);
    }
    return HB_FAIL(HB_EDATA, "%.*s; %s would do%s", most, text, name, gap.text);
}
