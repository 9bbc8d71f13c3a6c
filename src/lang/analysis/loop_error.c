#include "loop_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error_bits.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/rules.h"
#include "moments.h"
#include "polynomial_error.h"
#include "scheme/codec.h"

/* Values that are followed: EVEN of them evenly spread over their range, and STEPS on each side of up to FIXED points
 * that values run away from, nearer and nearer to them, as errors grow longest there: a few of the slots of ciphertexts
 * are nearer than even ones. How many polynomials back, and for how many polynomials they are kept. */
enum { EVEN = 1536, FIXED = 4, STEPS = 64, VALUES = EVEN + 2 * FIXED * STEPS };
enum { MOST_BACK = 64, MOST_KEPT = 256, HALVINGS = 40, PER_OCTAVE = 4 };

/* The values behind a polynomial, and their errors: a random and a systematic part. */
typedef struct orbit {
    uint32_t node, count; /* the polynomial; values that are followed */
    double values[VALUES], errors[VALUES], parts[VALUES];
    double share[VALUES]; /* of all values, how many are like this one */
} orbit;

struct hb_orbits {
    orbit *kept[MOST_KEPT]; /* NULL: none yet */
    uint32_t next;          /* which is given up next */
    bool lacks;             /* there was no memory for one */
};

hb_orbits *hb_orbits_open(void)
{
    return calloc(1, sizeof(hb_orbits));
}

void hb_orbits_close(hb_orbits *orbits)
{
    for (uint32_t i = 0; orbits != NULL && i < MOST_KEPT; i++) {
        free(orbits->kept[i]);
    }
    free(orbits);
}

hb_status hb_orbits_check(const hb_orbits *orbits)
{
    return orbits->lacks ? HB_FAIL(HB_ENOMEM, "no memory to follow values through a loop") : HB_OK;
}

/* Returns that behind a node, or NULL. */
static orbit *orbit_behind(const hb_facts *f, uint32_t node)
{
    const hb_graph *g = f->graph;
    const uint32_t place = hb_facts_error(f, &g->nodes[node])->orbit;
    orbit *o = place > 0 ? f->orbits->kept[place - 1] : NULL;
    return o != NULL && o->node == node ? o : NULL;
}

/* Returns the oldest one, for a node to have, or NULL: no memory. */
static orbit *new_orbit(hb_facts *f, const hb_node *node)
{
    hb_orbits *all = f->orbits;
    const uint32_t place = all->next;
    if (all->kept[place] == NULL) {
        all->kept[place] = malloc(sizeof(orbit));
    }
    all->lacks = all->lacks || all->kept[place] == NULL;
    if (all->kept[place] != NULL) {
        all->next = (place + 1) % MOST_KEPT;
        hb_facts_error_place(f, node)->orbit = place + 1;
    }
    return all->kept[place];
}

/* The systematic part of an error, and the rest that is expected. */
static double part_of(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_node_error_value(g, node, hb_node_quality(f, node).systematic.most);
}

/* The root of the difference of the squares. */
static double without(double all, double part)
{
    return sqrt(fmax(all * all - part * part, 0));
}

static double drawn_of(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return without(hb_node_error_value(g, node, hb_node_quality(f, node).expected), part_of(f, node));
}

/* Returns the node that has the same values, before it was brought down or bootstrapped. */
static uint32_t source_of(const hb_graph *g, uint32_t i)
{
    while (hb_rule_of(g->nodes[i].op)->same_values && !hb_rule_of(g->nodes[i].op)->moved) {
        i = g->nodes[i].a;
    }
    return i;
}

/* Whether the mean of exp(-ln(slots) (x / error)^2) is above 1 / slots. Its terms are not negative: the first ones may
 * decide, and those far away are 0. */
static bool is_above(const double *errors, const double *share, uint32_t count, double slots, double x, double least)
{
    enum { NOTHING = -746 }; /* the exponential of less is 0 */
    const double rate = -log(slots);
    double mean = 0;
    for (uint32_t i = 0; i < count && !(mean > 1 / slots); i++) {
        const double times = x / fmax(errors[i], least), exponent = rate * times * times;
        mean += exponent < NOTHING ? 0 : exp(exponent) * (share != NULL ? share[i] : 1.0 / count);
    }
    return mean > 1 / slots;
}

/* Where that mean is 1 / slots. */
double hb_largest_expected(const double *errors, const double *share, uint32_t count, double slots)
{
    double low = 0, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        high = fmax(high, errors[i]);
    }
    for (uint32_t step = 0; step < HALVINGS; step++) {
        const double middle = (low + high) / 2;
        const bool above = is_above(errors, share, count, slots, middle, high * 0x1p-60);
        low = above ? middle : low;
        high = above ? high : middle;
    }
    return high;
}

/* Follows values through a polynomial, and the errors that they have there. */
static void follow(const hb_facts *f, const hb_node *node, orbit *o)
{
    const hb_graph *g = f->graph;
    const hb_polynomial_entry *entry = hb_polynomial_of(g, node);
    const double missed = f->without_approximation ? 0 : entry->error, own = hb_facts_error(f, node)->own;
    for (uint32_t i = 0; i < o->count; i++) {
        double slope;
        o->values[i] = hb_chebyshev_value_and_slope(&entry->polynomial, o->values[i], &slope);
        o->errors[i] = sqrt(slope * slope * o->errors[i] * o->errors[i] + own * own);
        o->parts[i] = fabs(slope) * o->parts[i] + missed;
    }
}

/* Adds the errors of changes of level and of bootstrapping between one polynomial and the next. */
static void add_between(const hb_facts *f, const hb_node *from, const hb_node *to, orbit *o)
{
    const double added = without(drawn_of(f, to), drawn_of(f, from)), more = fmax(part_of(f, to) - part_of(f, from), 0);
    for (uint32_t i = 0; i < o->count; i++) {
        o->errors[i] = sqrt(o->errors[i] * o->errors[i] + added * added);
        o->parts[i] += more;
    }
}

/* The value behind one or two polynomials in turn less the value before, and the slope of that difference. */
static double moved(const hb_polynomial_entry *const *turn, uint32_t count, double value, double *slope)
{
    double to = value, one;
    *slope = 1;
    for (uint32_t k = 0; k < count; k++) {
        to = hb_chebyshev_value_and_slope(&turn[k]->polynomial, to, &one);
        *slope *= one;
    }
    return to - value;
}

/* The point between two that are moved to different sides, or one of them. */
static double stands_between(const hb_polynomial_entry *const *turn, uint32_t count, double low, double high)
{
    double slope;
    const bool up = moved(turn, count, low, &slope) < 0;
    for (uint32_t step = 0; step < 2 * HALVINGS; step++) {
        const double middle = low + (high - low) / 2;
        const bool above = (moved(turn, count, middle, &slope) < 0) != up;
        low = above ? low : middle;
        high = above ? middle : high;
    }
    return low;
}

/* Finds points that stay where they are, and that others near them run away from; returns how many. */
static uint32_t find_fixed(const hb_polynomial_entry *const *turn, hb_interval range, double fixed[FIXED])
{
    enum { GRID = 256 };
    const double step = (range.high - range.low) / GRID, near = 0x1p-30 * step;
    uint32_t found = 0;
    for (uint32_t count = 1; count <= 2; count++) {
        for (uint32_t i = 0; i <= GRID && found < FIXED; i++) {
            const double low = range.low + i * step, high = fmin(low + step, range.high);
            double slope, next;
            const double a = moved(turn, count, low, &slope), b = moved(turn, count, high, &next);
            const bool stands = fabs(a) <= near, crossed = (a < 0) != (b < 0) && fabs(b) > near;
            const double at = stands ? low : stands_between(turn, count, low, high);
            bool again = !stands && !crossed;
            moved(turn, count, at, &slope);
            for (uint32_t k = 0; k < found; k++) {
                again = again || fabs(fixed[k] - at) <= step;
            }
            if (!again && fabs(slope) > 1) {
                fixed[found++] = at;
            }
        }
    }
    return found;
}

/* Begins with the operand of the first of two polynomials. */
static void begin(const hb_facts *f, const hb_node *first, const hb_polynomial_entry *const *turn, hb_interval range,
                  orbit *o)
{
    const double error = drawn_of(f, first), part = part_of(f, first), width = range.high - range.low;
    const double octave = exp2(1.0 / PER_OCTAVE);
    double fixed[FIXED];
    const uint32_t found = width > 0 ? find_fixed(turn, range, fixed) : 0;
    o->count = 0;
    for (uint32_t i = 0; i < EVEN; i++) {
        o->values[o->count] = range.low + width * ((i + 0.5) / EVEN);
        o->share[o->count++] = 1.0 / EVEN;
    }
    for (uint32_t i = 0; i < 2 * found * STEPS; i++) {
        const double far = width / EVEN * exp2(-(double)(i / 2 % STEPS) / PER_OCTAVE);
        const double at = fixed[i / 2 / STEPS] + (i % 2 == 0 ? far : -far);
        if (at >= range.low && at <= range.high) {
            o->values[o->count] = at;
            o->share[o->count++] = far * (octave - 1) / sqrt(octave) / width;
        }
    }
    for (uint32_t i = 0; i < o->count; i++) {
        o->errors[i] = error;
        o->parts[i] = part;
    }
}

static double own_error(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    hb_stage stage = hb_polynomial_stage(f, node);
    stage.error = 0;
    const hb_quality quality = hb_stage_quality(&stage, (hb_quality){.powers = hb_node_quality(f, a).powers});
    return hb_node_error_value(g, node, quality.expected);
}

/* Returns the expected error after such a sequence: the error of the followed values, without another systematic
 * part. */
static hb_quality quality_behind(const hb_graph *g, const hb_node *node, const orbit *o, hb_quality quality)
{
    const double slots = (double)hb_codec_capacity(g->spec, g->encoding);
    double most = 0, square = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        most = fmax(most, o->parts[i]);
        square += o->parts[i] * o->parts[i] * o->share[i];
    }
    const double part = hb_node_error_value(g, node, quality.systematic.most);
    const double drawn = hb_largest_expected(o->errors, o->share, o->count, HB_RARE * fmax(slots, 2));
    if (most < part) {
        const double bits = hb_node_error_bits(g, node, most), mean = hb_node_error_bits(g, node, sqrt(square));
        quality.systematic.most = fmax(bits, 0);
        quality.systematic.mean = bits > 0 ? fmin(quality.systematic.mean, mean) : 0;
    }
    const double all = hypot(drawn, fmin(most, part));
    if (all > 0) {
        quality.expected = fmin(fmax(hb_node_error_bits(g, node, all), 0), quality.worst);
    }
    return quality;
}

hb_quality hb_iterated_quality(hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    const hb_node *way[MOST_BACK] = {node};
    uint32_t count = 1, source = source_of(g, node->a);
    hb_facts_error_place(f, node)->own = own_error(f, node);
    if (f->orbits == NULL || node->range.steady) {
        return quality;
    }
    while (count < MOST_BACK && g->nodes[source].op == HB_OP_POLYNOMIAL && orbit_behind(f, source) == NULL) {
        way[count++] = &g->nodes[source];
        source = source_of(g, g->nodes[source].a);
    }
    const hb_node *first = &g->nodes[way[count - 1]->a];
    const hb_interval range = hb_interval_to_reals(first->range.interval);
    const orbit *before = orbit_behind(f, source);
    orbit *o = before != NULL || (count > 1 && range.known) ? new_orbit(f, node) : NULL;
    if (o == NULL) {
        return quality;
    }
    if (before != NULL) {
        memmove(o, before, sizeof *o); /* maybe the same, given up */
        add_between(f, &g->nodes[source], first, o);
    } else {
        const hb_polynomial_entry *turn[2] = {hb_polynomial_of(g, way[count - 1]), hb_polynomial_of(g, way[count - 2])};
        begin(f, first, turn, range, o);
    }
    o->node = (uint32_t)(node - g->nodes);
    for (uint32_t k = count; k-- > 0;) {
        follow(f, way[k], o);
        if (k > 0) {
            add_between(f, way[k], &g->nodes[way[k - 1]->a], o);
        }
    }
    return quality_behind(g, node, o, quality);
}
