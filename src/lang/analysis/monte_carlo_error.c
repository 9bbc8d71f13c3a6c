#include "monte_carlo_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "approximation_error.h"
#include "error_bits.h"
#include "loop_error.h"
#include "monte_carlo_slots.h"
#include "scheme/codec.h"
#include "transfer_functions.h"

/* Computed nodes that have theirs at a time, of 18 KiB each, and loads; those of others are drawn anew. */
enum { MOST_KEPT = 8192, MOST_LOADS = 4096 };

/* Bits in hand where linear operations lower errors that were drawn as bounds say. A recursion as v = 1.9*n - 0.9*w,
 * whose n and w have nearly the same error, keeps it as it is; independent errors would double. A total has one error a
 * draw, so its mean square is that of HB_SAMPLE_DRAWS numbers, which may come out small by chance. */
static const double FEW_DRAWS = 1;

struct hb_samples {
    uint32_t count;
    hb_sample **of;               /* [count] NULL: none, or freed */
    uint32_t *last;               /* [count] the last node that takes it */
    hb_sample *spare[MOST_KEPT];  /* that were made and are in no use */
    uint32_t spares, made, loads; /* loads: that have theirs, until the end */
    bool lacks;                   /* there was no memory for those of a node */
    hb_sample drawn[2];           /* of operands, for one operation */
};

/* --- room */

hb_samples *hb_samples_open(const hb_facts *f)
{
    const hb_graph *g = f->graph;
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
        for (uint32_t j = 0; j < operands.count && hb_facts_size(f, &g->nodes[i])->used; j++) {
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

static void release(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    hb_samples *s = f->samples;
    const uint32_t i = (uint32_t)(node - g->nodes);
    const hb_node_list operands = hb_node_operands(g, node);
    for (uint32_t j = 0; j < operands.count; j++) {
        const uint32_t k = operands.node[j];
        if (s->last[k] == i && s->of[k] != NULL && !hb_operations[g->nodes[k].op].loads) {
            s->spare[s->spares++] = s->of[k];
            s->of[k] = NULL;
        }
    }
}

/* --- followed nodes */

/* Returns where those of a load are drawn: a layer of a network takes each of its inputs for every output. */
static hb_sample *place_of_load(hb_samples *s, uint32_t i, hb_sample *room)
{
    if (s->loads < MOST_LOADS && (s->of[i] = malloc(sizeof *room)) != NULL) {
        s->loads++;
        return s->of[i];
    }
    return room;
}

/* Returns those of an operand, in `room` where they are drawn for it. */
static const hb_sample *sample_of(const hb_facts *f, uint32_t i, hb_sample *room)
{
    const hb_graph *g = f->graph;
    const hb_node *node = &g->nodes[i];
    const bool loads = hb_operations[node->op].loads;
    if ((!node->shape.plain && !loads) || (loads && f->samples->of[i] != NULL)) {
        return f->samples->of[i];
    }
    room = loads ? place_of_load(f->samples, i, room) : room;
    hb_sample_draw(room, f, node, node->shape.plain ? (hb_quality){0} : hb_node_quality(f, node));
    room->followed = true;
    return room;
}

static bool combine(const hb_facts *f, const hb_node *node, hb_sample *x)
{
    const hb_graph *g = f->graph;
    const hb_combination_terms terms = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_sample *a = sample_of(f, g->combinations.term_nodes[terms.first + i], &f->samples->drawn[0]);
        if (a == NULL) {
            return false;
        }
        x->followed = (x->followed || i == 0) && a->followed;
        x->linear = (x->linear || i == 0) && a->linear;
        hb_sample_add_times(x, a, terms.whole ? (double)weights[i].integer : weights[i].real);
    }
    return true;
}

/* Totals are one number, which may be a lucky one, and numbers of columns are followed as their mean: the values of
 * these slots do not say that less is to be expected. */
static bool follow(const hb_facts *f, const hb_node *node, hb_sample *x)
{
    hb_sample *drawn = f->samples->drawn;
    if (node->shape.halves != HB_HALVES_REAL) {
        return false;
    }
    memset(x, 0, sizeof *x);
    if (node->op == HB_OP_COMBINE) {
        return combine(f, node, x);
    }
    const uint32_t a = node->range.kink_gap > 0 ? hb_kink_factor(f, node) : node->a;
    const hb_sample_operands of = {sample_of(f, a, &drawn[0]), node->b != HB_NO_NODE && node->range.kink_gap == 0
                                                                   ? sample_of(f, node->b, &drawn[1])
                                                                   : NULL};
    x->followed = of.a != NULL && of.a->followed && (of.b == NULL || of.b->followed) &&
                  node->range.approximation_error == 0 && node->range.kink_gap == 0 && node->op != HB_OP_SUM_SLOTS &&
                  node->op != HB_OP_ADD_ROW;
    return hb_sample_follow(x, f, node, of);
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

/* The error that an operation adds itself: the bound of the result minus the operand's, where that one decides the
 * result's. */
static void add_own(const hb_facts *f, const hb_node *node, hb_quality quality, hb_sample *x)
{
    const hb_graph *g = f->graph;
    if (node->op == HB_OP_BOOTSTRAP || node->range.kink_gap > 0) {
        const hb_node *a = &g->nodes[node->range.kink_gap > 0 ? hb_kink_factor(f, node) : node->a];
        const double all = even_of(g, node, quality), before = even_of(g, a, hb_node_quality(f, a));
        hb_sample_add_errors(x, g, node, sqrt(fmax(all * all - before * before, 0)), 0);
        return;
    }
    const hb_quality own = hb_node_own_quality(f, node);
    const double even = even_of(g, node, own);
    hb_sample_add_errors(x, g, node, even * sqrt(1 - own.common), even * sqrt(own.common / log(2 * slots_of_all(g))));
}

/* Cuts values to a known range, and errors to the declared range of computed values. Errors larger than all values, or
 * than 1, are cut too, as the result is wrong then anyway. A narrow range of values does not narrow errors, and a cut
 * does not lower the expected error. */
static void confine(const hb_node *node, hb_sample *x)
{
    const hb_interval range = hb_interval_to_reals(node->range.interval);
    if (!range.known) {
        return;
    }
    const double most = node->range.declared_width > 0
                            ? node->range.declared_width
                            : fmax(fmax(range.high - range.low, hb_interval_magnitude(range)), 1);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->value[i] = fmax(fmin(x->value[i], range.high), range.low);
        x->part[i] = fmax(fmin(x->part[i], most), -most);
    }
    for (uint32_t i = 0; i < HB_SAMPLE_ERRORS; i++) {
        x->followed = x->followed && fabs(x->error[i]) < most;
        x->linear = x->linear && fabs(x->error[i]) < most;
        x->error[i] = fmax(fmin(x->error[i], most), -most);
    }
}

/* The errors of slots. Drawn ones: each, the largest, and the mean of the squares. Systematic ones: the largest and the
 * mean of the squares. */
typedef struct errors {
    double drawn[HB_SAMPLE_SLOTS], most, squares, part, parts;
} errors;

static errors errors_of(const hb_sample *x)
{
    errors e = {.most = 0};
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        double sum = 0;
        for (uint32_t k = i * HB_SAMPLE_DRAWS; k < (i + 1) * HB_SAMPLE_DRAWS; k++) {
            sum += x->error[k] * x->error[k] / HB_SAMPLE_DRAWS;
        }
        e.drawn[i] = sqrt(sum);
        e.squares += sum / HB_SAMPLE_SLOTS;
        e.parts += x->part[i] * x->part[i] / HB_SAMPLE_SLOTS;
        e.most = fmax(e.most, e.drawn[i]);
        e.part = fmax(e.part, fabs(x->part[i]));
    }
    return e;
}

/* No less than slots have. */
static hb_quality raised(const hb_graph *g, const hb_node *node, const errors *e, hb_quality quality)
{
    const double largest = hb_largest_expected(e->drawn, NULL, HB_SAMPLE_SLOTS, HB_RARE * slots_of_all(g));
    const double all = hb_node_error_bits(g, node, hypot(largest, e->part));
    if (all > quality.expected) {
        quality.even =
            fmax(quality.even != 0 ? quality.even : quality.expected, hb_node_error_bits(g, node, sqrt(e->squares)));
        quality.systematic.most = fmax(quality.systematic.most, hb_node_error_bits(g, node, e->part));
        quality.systematic.mean = fmax(quality.systematic.mean, hb_node_error_bits(g, node, sqrt(e->parts)));
        quality.expected = fmin(all, quality.worst);
    }
    return quality;
}

/* Lowers the bounds to the errors of slots that were followed from the loads on, and `more` bits. Errors that cancel,
 * or that are largest where their factor is small, are less than bounds, which see neither. */
static hb_quality lowered(const hb_graph *g, const hb_node *node, const errors *e, hb_quality quality, double more)
{
    const double all = hb_node_error_bits(g, node, hypot(e->most, e->part)) + more;
    if (!(all > more && all < quality.expected)) {
        return quality;
    }
    quality.expected = all;
    quality.even =
        fmin(quality.even != 0 ? quality.even : all, fmin(hb_node_error_bits(g, node, sqrt(e->squares)) + more, all));
    quality.peak = fmin(quality.peak, all);
    quality.systematic.most = fmax(fmin(quality.systematic.most, hb_node_error_bits(g, node, e->part)), 0);
    quality.systematic.mean = fmax(fmin(quality.systematic.mean, hb_node_error_bits(g, node, sqrt(e->parts))), 0);
    return quality;
}

/* The likely values are no smaller than those of the slots. */
static void raise_moments(hb_moments *moments, const hb_sample *x)
{
    double squares = 0, most = 0;
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        squares += x->value[i] * x->value[i] / HB_SAMPLE_SLOTS;
        most = fmax(most, fabs(x->value[i]));
    }
    moments->square = fmax(moments->square, squares);
    moments->peak = fmax(moments->peak, most);
}

hb_quality hb_sampled_quality(hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    if (f->samples == NULL || hb_operations[node->op].loads) {
        return quality;
    }
    hb_node_error *error = hb_facts_error_place(f, node);
    hb_sample *x = take(f->samples);
    if (x != NULL && follow(f, node, x)) {
        add_own(f, node, quality, x);
        confine(node, x);
        raise_moments(&error->moments, x);
        const errors e = errors_of(x);
        const bool more = hb_node_error_bits(g, node, hypot(e.most, e.part)) > quality.expected;
        quality = more ? raised(g, node, &e, quality) : quality;
        /* A few slots miss values near a point that loops run away from, also where the result of the loop is used. */
        x->followed = x->followed && error->orbit == 0;
        if (x->followed) {
            quality = lowered(g, node, &e, quality, 0);
        } else if (x->linear && e.part == 0 && error->orbit == 0) {
            quality = lowered(g, node, &e, quality, FEW_DRAWS);
        }
    } else if (x != NULL) {
        hb_sample_draw(x, f, node, quality);
        const hb_sample *rows = node->op == HB_OP_SUM_SLOTS ? sample_of(f, node->a, &f->samples->drawn[0]) : NULL;
        if (rows != NULL) {
            hb_sample_add_up(x, g, rows);
            raise_moments(&error->moments, x);
        }
    }
    f->samples->of[node - g->nodes] = x;
    release(f, node);
    return quality;
}
