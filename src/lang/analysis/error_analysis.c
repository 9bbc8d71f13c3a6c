#include "error_analysis.h"
#include "error_bits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/outward.h"
#include "ciphertext_size.h"
#include "clamp_to_range.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"
#include "loop_error.h"
#include "moments.h"
#include "monte_carlo_error.h"
#include "scheme/quality.h"
#include "transfer_functions.h"

/* The bounds of the values as they are shown; reals are shown as doubles. */
static hb_quality shown_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return !g->semantics->reals || node->shape.scaled || !isfinite(node->range.magnitude)
               ? hb_node_quality(f, node)
               : hb_quality_decoded(g->params, node->shape.limbs, hb_node_quality(f, node), hb_node_values(f, node));
}

/* Bits by the bound that is trusted, and where it is not proven some in hand. */
static double trusted_bits(const hb_graph *g, const hb_node *node, hb_quality quality, hb_quality_trust trust)
{
    return hb_node_bits_left(g, node,
                             trust == HB_QUALITY_WORST ? quality.worst : hb_quality_likely(g->params, quality));
}

double hb_node_shown_bits(const hb_facts *f, const hb_node *node, hb_quality_trust trust)
{
    const hb_graph *g = f->graph;
    const hb_quality shown = shown_quality(f, node);
    return hb_node_bits_left(g, node, trust == HB_QUALITY_WORST ? shown.worst : shown.expected);
}

static hb_status check_keys(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const bool rescale = node->op == HB_OP_RESCALE;
    const bool switches = (hb_operations[node->op].switches && !rescale) || hb_node_relinearizes(f, node);
    if (!switches || hb_params_can_switch(g->params)) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_ECONFIG, g->syntax->text, node->origin.at,
                      "products and rotations need keys, which need parameters with a special prime: %s",
                      g->semantics->chain);
}

/* Checks that the level holds the values with their error, for reals. A node that is only rescaled is checked after
 * that. */
static hb_status check_room(const hb_facts *f, const hb_node *node, hb_quality_trust trust)
{
    const hb_graph *g = f->graph;
    hb_quality believed = hb_node_quality(f, node);
    if (trust != HB_QUALITY_WORST) {
        believed.worst = hb_quality_likely(g->params, believed);
    }
    const double room = hb_quality_room(g->params, node->shape.limbs, believed);
    if (node->shape.scaled || log2(node->range.magnitude) <= room) {
        return HB_OK;
    }
    char what[64];
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, node->origin.from, node->origin.to);
    if (!node->range.interval.known) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, node->origin.at,
                          "the range of %s is not known, and ciphertexts of reals hold only so large "
                          "values: give it with --range",
                          what);
    }
    if (!isfinite(room)) {
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->origin.at,
                          "the values of %s can be up to %.4g, and %s fills all that ciphertexts with %u prime%s left "
                          "can hold%s",
                          what, node->range.magnitude,
                          trust == HB_QUALITY_WORST ? "in the worst case their error" : "the expected error",
                          node->shape.limbs, node->shape.limbs == 1 ? "" : "s",
                          trust == HB_QUALITY_WORST ? ", so that no error of them is proven any more" : "");
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->origin.at,
                      "the values of %s can be up to %.4g, and with %u prime%s left ciphertexts hold values up to %.4g",
                      what, node->range.magnitude, node->shape.limbs, node->shape.limbs == 1 ? "" : "s", exp2(room));
}

static const char *case_of(hb_quality_trust trust)
{
    return trust == HB_QUALITY_WORST ? "worst" : trust == HB_QUALITY_DRAWN ? "drawn" : "expected (and some in hand)";
}

static hb_status check_bits(const hb_facts *f, const hb_node *node, hb_quality_trust trust)
{
    const hb_graph *g = f->graph;
    if (g->semantics->reals) {
        return check_room(f, node, trust); /* how many bits are wanted is said of results (hb_facts_check_wanted) */
    }
    const double bits = trusted_bits(g, node, hb_node_quality(f, node), trust);
    if (bits >= 1) {
        return HB_OK;
    }
    char what[64];
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, node->origin.from, node->origin.to);
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->origin.at,
                      "no %s is left after %s: %.0f bits too few in the %s case",
                      hb_quality_name(g->params->spec.scheme), what, hb_decimal_up(1 - bits, 0), case_of(trust));
}

/* Errors are found of nodes that an output uses, but for plain ones. */
static bool has_error(const hb_facts *f, uint32_t i)
{
    return f->size[i].used && !f->graph->nodes[i].shape.plain;
}

/* Finds the range of a pass that bootstraps noise, or checks a look-up; says which value it is where its noise does not
 * fit. */
static hb_status find_range(hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    hb_node_error *error = hb_facts_error_place(f, node);
    char what[64];
    if (node->op != HB_OP_REFRESH && node->op != HB_OP_LOOKUP) {
        return HB_OK;
    }
    const hb_quality a = hb_node_quality(f, &g->nodes[node->a]);
    hb_quality looked_up;
    const hb_status st = node->op == HB_OP_LOOKUP ? hb_quality_table(g->params, f->certainty, a, &looked_up)
                                                  : hb_quality_refresh_bits(g->params, f->certainty, a, &error->range);
    if (st == HB_OK) {
        return HB_OK;
    }
    const hb_error cause = *hb_last_error();
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, node->origin.from, node->origin.to);
    return HB_FAIL_AT(st, g->syntax->text, node->origin.at, "the noise of %s%s cannot be bootstrapped: %.300s",
                      node->op == HB_OP_LOOKUP ? "the operand of " : "", what, cause.text);
}

/* Finds the proven errors that nodes would have if approximations missed nothing: without[i], in units of values. */
static void find_without_approximation(hb_facts *ideal, double *without)
{
    for (uint32_t i = 0; i < ideal->count; i++) {
        const hb_node *node = &ideal->graph->nodes[i];
        if (has_error(ideal, i)) {
            hb_facts_find_error(ideal, node);
            without[i] = exp2(-hb_node_bits(ideal, node, HB_QUALITY_WORST));
        }
    }
}

/* The same, in facts of their own beside *f, which stay as they are. */
static hb_status analyze_without_approximation(const hb_facts *f, double *without)
{
    hb_facts ideal = *f;
    hb_status st = HB_OK;
    ideal.without_approximation = true;
    ideal.error = calloc((size_t)f->count + 1, sizeof *ideal.error);
    ideal.orbits = f->orbits != NULL ? hb_orbits_open() : NULL;
    ideal.samples = NULL;
    if (ideal.error == NULL || (f->orbits != NULL && ideal.orbits == NULL)) {
        st = HB_FAIL(HB_ENOMEM, "no memory to follow errors through an expression");
    } else {
        find_without_approximation(&ideal, without);
        st = ideal.orbits != NULL ? hb_orbits_check(ideal.orbits) : HB_OK;
    }
    hb_orbits_close(ideal.orbits);
    free(ideal.error);
    return st;
}

/* without: proven errors without those of approximations (above); NULL: nothing is approximated. */
static hb_status find_errors(hb_facts *f, const double *without, hb_quality_trust trust)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const hb_node *node = &f->graph->nodes[i];
        hb_node_error *error = &f->error[i];
        if (!has_error(f, i)) {
            continue;
        }
        HB_TRY(check_keys(f, node));
        HB_TRY(find_range(f, node));
        hb_facts_find_error(f, node);
        error->quality = hb_node_expected_within_range(f, node, hb_sampled_quality(f, node, error->quality));
        if (error->quality.certainty != HB_CERTAINTY_PROVEN) { /* it holds with the certainty that is believed */
            error->quality.worst = hb_quality_likely(f->graph->params, error->quality);
        }
        f->least = hb_certainty_of_both(f->least, error->quality.certainty);
        if (without != NULL) {
            const double more = exp2(-hb_node_bits(f, node, HB_QUALITY_WORST)) - without[i];
            error->approximate = isfinite(more) ? fmax(more, 0) : DBL_MAX; /* where nothing is proven */
        }
        HB_TRY(check_bits(f, node, trust));
    }
    return HB_OK;
}

hb_status hb_facts_find_errors(hb_facts *f, hb_quality_trust trust)
{
    const bool reals = f->graph->semantics->reals, approximates = f->graph->approximates;
    double *without = approximates ? calloc((size_t)f->count + 1, sizeof *without) : NULL;
    hb_status st;
    f->certainty = hb_certainty_of(trust);
    f->least = HB_CERTAINTY_PROVEN;
    f->orbits = reals ? hb_orbits_open() : NULL;
    f->samples = reals ? hb_samples_open(f) : NULL;
    if ((reals && (f->orbits == NULL || f->samples == NULL)) || (approximates && without == NULL)) {
        st = HB_FAIL(HB_ENOMEM, "no memory to follow errors through an expression");
        goto done;
    }
    HB_GOTO(approximates ? analyze_without_approximation(f, without) : HB_OK);
    HB_GOTO(find_errors(f, without, trust));
    /* Less would be expected than there is. */
    HB_GOTO(reals ? hb_orbits_check(f->orbits) : HB_OK);
    st = reals ? hb_samples_check(f->samples) : HB_OK;
done:
    hb_orbits_close(f->orbits);
    hb_samples_close(f->samples);
    f->orbits = NULL;
    f->samples = NULL;
    free(without);
    return st;
}

/* Returns whether nothing is expected of a value but that it lies in its declared range: its expected error is as wide
 * as that range (clamp_to_range.h). */
static bool is_only_declared(const hb_facts *f, const hb_node *x)
{
    const hb_graph *g = f->graph;
    while (x->range.declared_width == 0 && (x->op == HB_OP_RESCALE || x->op == HB_OP_ADJUST)) {
        x = &g->nodes[x->a];
    }
    const double likely = exp2(-hb_node_bits(f, x, HB_QUALITY_EXPECTED));
    return x->range.declared_width > 0 && fabs(likely - x->range.declared_width) <= 0x1p-10 * x->range.declared_width;
}

/* Returns whether errors of 2^-bits are as large as the largest value, or as 1 where all values are 0: nothing is known
 * of the values then. */
static bool hides_values(const hb_node *x, double bits)
{
    const double most = hb_interval_magnitude(x->range.interval);
    return exp2(-bits) >= (most > 0 ? most : 1);
}

/* Likely errors hide values, or nothing is right behind the point and keys are to blame, whose errors are no share of
 * the values. */
static hb_status check_likely(const hb_facts *f, const hb_node *x, const hb_item *item)
{
    const hb_graph *g = f->graph;
    const double likely = hb_node_bits(f, x, HB_QUALITY_EXPECTED);
    const uint32_t digit = hb_params_long_digit(g->params);
    const bool hidden = hides_values(x, likely) || is_only_declared(f, x),
               blurred = likely < 0 && digit < g->params->data_limbs;
    if (!hidden && !blurred) {
        return HB_OK;
    }
    char what[64], keys[160] = "larger scales (keygen --scale-bits) leave more, and `eval --noise unknown` computes it "
                               "for a comparison";
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, item->from, item->to);
    if (blurred) {
        snprintf(keys, sizeof keys,
                 "the special prime is shorter than q_%u, so keys add large errors: take one that is no shorter",
                 digit);
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, item->at,
                      "%s: values up to %.4g are expected to be off by 2^%.1f and more, and a result that may be wrong "
                      "is refused; %s",
                      what, hb_interval_magnitude(x->range.interval), hb_decimal_down(-likely, 1), keys);
}

hb_status hb_facts_check_shown(const hb_facts *f, uint32_t node, const hb_item *item, hb_quality_trust trust)
{
    const hb_graph *g = f->graph;
    const hb_node *x = &g->nodes[node];
    const double proven = hb_node_bits(f, x, HB_QUALITY_WORST), likely = hb_node_bits(f, x, HB_QUALITY_EXPECTED);
    if (!g->semantics->reals || !x->range.interval.known) {
        return HB_OK;
    }
    if (trust != HB_QUALITY_WORST) {
        return check_likely(f, x, item);
    }
    if (!hides_values(x, proven)) {
        return HB_OK;
    }
    char what[64], off[32] = "anything", trusting[96] = "";
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, item->from, item->to);
    if (proven > -64) {
        snprintf(off, sizeof off, "2^%.1f", hb_decimal_up(-proven, 1));
    }
    if (likely >= hb_quality_margin(g->params)) {
        snprintf(trusting, sizeof trusting, "--noise expected trusts likely errors, with %.1f bits; ",
                 hb_decimal_down(likely, 1));
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, item->at,
                      "%s: values up to %.4g can be off by %s in the worst case, and a result that may be wrong is "
                      "refused; %slarger scales (keygen --scale-bits) prove more",
                      what, hb_interval_magnitude(x->range.interval), off, trusting);
}

hb_status hb_facts_check_wanted(const hb_facts *f, uint32_t node, const hb_item *item, const hb_wanted_bits *wanted)
{
    const hb_graph *g = f->graph;
    const double left =
        trusted_bits(g, &g->nodes[node], shown_quality(f, &g->nodes[node]), wanted->trust) + wanted->unit;
    if (left >= wanted->bits) {
        return HB_OK;
    }
    const char *trust = wanted->trust == HB_QUALITY_WORST ? "worst" : "expected";
    const char *name = hb_quality_name(g->params->spec.scheme);
    char what[64], error[48] = "";
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, item->from, item->to);
    if (left < 0) {
        if (left > -64) { /* more say nothing */
            snprintf(error, sizeof error, " (errors up to 2^%.1f)", hb_decimal_up(-left, 1));
        }
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, item->at,
                          "%s has no bits of %s%s in the %s case, and %g are wanted%s", what, name, error, trust,
                          wanted->bits, wanted->reason);
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, item->at, "%s has %.1f bits of %s in the %s case, and %g are wanted%s",
                      what, hb_decimal_down(left, 1), name, trust, wanted->bits, wanted->reason);
}
