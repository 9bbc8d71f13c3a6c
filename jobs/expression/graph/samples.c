#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "corner.h"
#include "iterated.h"
#include "rules.h"
#include "sample.h"
#include "scheme/codec.h"

/* Nodes that have theirs at a time, of 18 KiB each; those of others are drawn anew. */
enum { MOST_KEPT = 8192 };

struct hb_samples {
    uint32_t count;
    hb_sample **of; /* [count] NULL: none, or no longer; of what is loaded they are drawn where they are needed */
    uint32_t *last; /* [count] the last node that takes it */
    hb_sample *spare[MOST_KEPT]; /* that were made and are in no use */
    uint32_t spares, made;
    bool lacks;         /* there was no memory for those of a node */
    hb_sample drawn[2]; /* of operands, for one operation */
};

/* --- room */

hb_samples *hb_samples_open(const hb_graph *g)
{
    hb_samples *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->of = calloc((size_t)g->count + 1, sizeof(hb_sample *));
    s->last = calloc((size_t)g->count + 1, sizeof *s->last);
    s->count = g->count;
    if (s->of == NULL || s->last == NULL) {
        hb_samples_close(s);
        return NULL;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
        for (uint32_t j = 0; j < operands.count && g->nodes[i].used; j++) {
            s->last[operands.node[j]] = i;
        }
    }
    return s;
}

void hb_samples_close(hb_samples *s)
{
    for (uint32_t i = 0; s != NULL && s->of != NULL && i < s->count; i++) {
        free(s->of[i]);
    }
    for (uint32_t i = 0; s != NULL && i < s->spares; i++) {
        free(s->spare[i]);
    }
    if (s != NULL) {
        free(s->of);
        free(s->last);
    }
    free(s);
}

hb_status hb_samples_check(const hb_samples *s)
{
    return s->lacks ? HB_FAIL(HB_ENOMEM, "no memory to follow errors through an expression") : HB_OK;
}

/* Returns NULL where as many are in use as there may be. */
static hb_sample *take(hb_samples *s)
{
    if (s->spares > 0) {
        return s->spare[--s->spares];
    }
    if (s->made == MOST_KEPT) {
        return NULL;
    }
    hb_sample *x = malloc(sizeof *x);
    s->made += x != NULL;
    s->lacks = s->lacks || x == NULL;
    return x;
}

static void release(const hb_graph *g, const hb_node *node)
{
    hb_samples *s = g->samples;
    const uint32_t i = (uint32_t)(node - g->nodes);
    const hb_node_list operands = hb_node_operands(g, node);
    for (uint32_t j = 0; j < operands.count; j++) {
        const uint32_t k = operands.node[j];
        if (s->last[k] == i && s->of[k] != NULL) {
            s->spare[s->spares++] = s->of[k];
            s->of[k] = NULL;
        }
    }
}

/* --- what is followed */

/* Returns those of an operand, in `room` where they are drawn for it. */
static const hb_sample *sample_of(const hb_graph *g, uint32_t i, hb_sample *room)
{
    const hb_node *node = &g->nodes[i];
    if (!node->plain && !hb_operations[node->op].loads) {
        return g->samples->of[i];
    }
    hb_sample_draw(room, g, node, node->plain ? (hb_quality){0} : node->quality);
    return room;
}

static bool combine(const hb_graph *g, const hb_node *node, hb_sample *x)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_sample *a = sample_of(g, g->term_nodes[terms.first + i], &g->samples->drawn[0]);
        if (a == NULL) {
            return false;
        }
        hb_sample_add_times(x, a, terms.whole ? (double)weights[i].integer : weights[i].real);
    }
    return true;
}

static bool follow(const hb_graph *g, const hb_node *node, hb_sample *x)
{
    hb_sample *drawn = g->samples->drawn;
    if (node->halves != HB_HALVES_REAL) {
        return false;
    }
    memset(x, 0, sizeof *x);
    if (node->op == HB_OP_COMBINE) {
        return combine(g, node, x);
    }
    const uint32_t a = node->cornered > 0 ? hb_corner_factor(g, node) : node->a;
    const hb_sample_operands of = {sample_of(g, a, &drawn[0]), node->b != HB_NO_NODE && node->cornered == 0
                                                                   ? sample_of(g, node->b, &drawn[1])
                                                                   : NULL};
    return hb_sample_follow(x, g, node, of);
}

/* --- bounds */

static double slots_of_all(const hb_graph *g)
{
    return fmax((double)hb_codec_capacity(g->spec, g->encoding), 2);
}

static double even_of(const hb_graph *g, const hb_node *node, hb_quality q)
{
    return hb_node_error_value(g, node, q.even != 0 ? q.even : q.expected);
}

/* What an operation adds by itself: of what its operand's bounds come to the rest, where those decide what it is. */
static void add_own(const hb_graph *g, const hb_node *node, hb_quality quality, hb_sample *x)
{
    if (node->op == HB_OP_BOOTSTRAP || node->cornered > 0) {
        const hb_node *a = &g->nodes[node->cornered > 0 ? hb_corner_factor(g, node) : node->a];
        const double all = even_of(g, node, quality), before = even_of(g, a, a->quality);
        hb_sample_add_errors(x, g, node, sqrt(fmax(all * all - before * before, 0)), 0);
        return;
    }
    const hb_quality own = hb_node_own_quality(g, node);
    const double even = even_of(g, node, own);
    hb_sample_add_errors(x, g, node, even * sqrt(1 - own.common), even * sqrt(own.common / log(2 * slots_of_all(g))));
}

/* Neither values nor errors go beyond a range that is known. */
static void confine(const hb_node *node, hb_sample *x)
{
    const hb_interval range = hb_interval_to_reals(node->interval);
    if (!range.known) {
        return;
    }
    const double most = range.high - range.low;
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->value[i] = fmax(fmin(x->value[i], range.high), range.low);
        x->part[i] = fmax(fmin(x->part[i], most), -most);
    }
    for (uint32_t i = 0; i < HB_SAMPLE_ERRORS; i++) {
        x->error[i] = fmax(fmin(x->error[i], most), -most);
    }
}

/* No less than slots have. */
static hb_quality raised(const hb_graph *g, const hb_node *node, const hb_sample *x, hb_quality quality)
{
    double drawn[HB_SAMPLE_SLOTS], squares = 0, most = 0, part = 0, parts = 0;
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        double sum = 0;
        for (uint32_t k = i * HB_SAMPLE_DRAWS; k < (i + 1) * HB_SAMPLE_DRAWS; k++) {
            sum += x->error[k] * x->error[k] / HB_SAMPLE_DRAWS;
        }
        drawn[i] = sqrt(sum);
        squares += sum / HB_SAMPLE_SLOTS;
        parts += x->part[i] * x->part[i] / HB_SAMPLE_SLOTS;
        most = fmax(most, drawn[i]);
        part = fmax(part, fabs(x->part[i]));
    }
    if (!(hb_node_error_bits(g, node, hypot(most, part)) > quality.expected)) {
        return quality;
    }
    const double largest = hb_largest_expected(drawn, HB_SAMPLE_SLOTS, HB_RARE * slots_of_all(g));
    const double all = hb_node_error_bits(g, node, hypot(largest, part));
    if (all > quality.expected) {
        quality.even =
            fmax(quality.even != 0 ? quality.even : quality.expected, hb_node_error_bits(g, node, sqrt(squares)));
        quality.systematic.most = fmax(quality.systematic.most, hb_node_error_bits(g, node, part));
        quality.systematic.mean = fmax(quality.systematic.mean, hb_node_error_bits(g, node, sqrt(parts)));
        quality.expected = fmin(all, quality.worst);
    }
    return quality;
}

/* What values are likely to be is no less than what those of slots are. */
static void raise_moments(hb_node *node, const hb_sample *x)
{
    double squares = 0, most = 0;
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        squares += x->value[i] * x->value[i] / HB_SAMPLE_SLOTS;
        most = fmax(most, fabs(x->value[i]));
    }
    node->moments.square = fmax(node->moments.square, squares);
    node->moments.peak = fmax(node->moments.peak, most);
}

hb_quality hb_sampled_quality(const hb_graph *g, hb_node *node, hb_quality quality)
{
    if (g->samples == NULL || hb_operations[node->op].loads) {
        return quality;
    }
    hb_sample *x = take(g->samples);
    if (x != NULL && follow(g, node, x)) {
        add_own(g, node, quality, x);
        confine(node, x);
        raise_moments(node, x);
        quality = raised(g, node, x, quality);
    } else if (x != NULL) {
        hb_sample_draw(x, g, node, quality);
        const hb_sample *rows = node->op == HB_OP_SUM_SLOTS ? sample_of(g, node->a, &g->samples->drawn[0]) : NULL;
        if (rows != NULL) {
            hb_sample_add_up(x, g, rows);
            raise_moments(node, x);
        }
    }
    g->samples->of[node - g->nodes] = x;
    release(g, node);
    return quality;
}
