#include "function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "polynomial.h"
#include "scale_folding.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

hb_mapping hb_mapping_of(double low, double high)
{
    const double half = high / 2 - low / 2, middle = low / 2 + high / 2;
    return (hb_mapping){low, high, 1 / half, -middle / half};
}

/* An interval of that width, with [low, high] in it, away from a pole. */
static hb_mapping placed(double low, double high, double half, double factor, hb_pole pole)
{
    const double middle = low / 2 + high / 2;
    const double centre = pole == HB_POLE_BELOW ? low + half : (pole == HB_POLE_ABOVE ? high - half : middle);
    return (hb_mapping){centre - half, centre + half, factor, -factor * centre};
}

hb_mapping hb_mapping_around(hb_interval values, bool free, hb_pole pole)
{
    double low = values.low, high = values.high;
    /* Limits the factor, which multiplies the errors of the operand. */
    const double least = fmax(0x1p-10 * hb_interval_magnitude(values), 0x1p-20);
    double half = fmax(high / 2 - low / 2, least);
    if (!free && half <= 1) {
        const double factor = floor(1 / half);
        return placed(low, high, 1 / factor, factor, pole);
    }
    /* Values are off a little, and where a polynomial ends it grows fast. */
    const double wider = 0x1p-10 * half;
    half += wider;
    if (pole == HB_POLE_NONE) {
        return placed(low, high, half, 1 / half, pole);
    }
    low = pole == HB_POLE_BELOW ? low - fmin(wider, 0x1p-10 * fabs(low)) : low;
    high = pole == HB_POLE_ABOVE ? high + fmin(wider, 0x1p-10 * fabs(high)) : high;
    return placed(low, high, half, 1 / half, pole);
}

/* T_k(0) is 1, 0, -1, 0, 1 ... */
static double at_zero(const hb_chebyshev *p)
{
    double sum = 0;
    for (uint32_t k = 0; k <= p->degree; k += 2) {
        sum += k % 4 == 0 ? p->coefficients[k] : -p->coefficients[k];
    }
    return sum;
}

/* The operand of a stage of sign may be off by the margin. */
static void keep_steady(hb_graph *g, uint32_t node, double margin)
{
    double *there = &g->nodes[node].range.margin;
    *there = *there > 0 ? fmin(*there, margin) : margin;
}

/* The margin of the first stage is the rest of the gap, but at most so much that the operand stays in [-1, 1]. */
static double first_margin(const hb_mapping *mapping, hb_interval values, double off)
{
    const double low = mapping->factor * values.low + mapping->offset,
                 high = mapping->factor * values.high + mapping->offset, most = fmax(fabs(low), fabs(high));
    return values.known ? fmax(fmin(mapping->factor * off, (1 - most) * (1 - 0x1p-40) - 0x1p-50), 0) : 0;
}

/* One of the polynomials of a function. */
typedef struct stage {
    const hb_chebyshev *polynomial;
    bool steady;       /* of sign */
    double error;      /* that it leaves; 0 but of the last one */
    double valid_from; /* hb_node_range.valid_from */
} stage;

static hb_status polynomial(hb_graph *g, uint32_t a, const stage *s, uint32_t *out)
{
    HB_TRY(hb_graph_chebyshev(g, a, s->polynomial, s->error, out));
    g->nodes[*out].range.steady = s->steady;
    g->nodes[*out].range.valid_from = s->valid_from;
    return HB_OK;
}

/* Where slots without a row hold 0, they do so after it: its value there is taken away
 * everywhere, and added where there are rows. */
static hb_status evaluate(hb_graph *g, uint32_t a, const stage *s, uint32_t *out)
{
    const hb_chebyshev *p = s->polynomial;
    const double constant = at_zero(p);
    const hb_node *x = &g->nodes[a];
    const bool gaps = (hb_graph_partial(g) && !x->shape.total) || hb_node_narrow(g, x);
    const bool rows = gaps && hb_node_confined(x) && constant != 0;
    if (!rows) {
        return polynomial(g, a, s, out);
    }
    hb_chebyshev without = {p->degree, malloc(((size_t)p->degree + 1) * sizeof(double))};
    if (without.coefficients == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", p->degree);
    }
    memcpy(without.coefficients, p->coefficients, ((size_t)p->degree + 1) * sizeof(double));
    without.coefficients[0] -= constant;
    const stage kept = {&without, s->steady, s->error, s->valid_from};
    const hb_status st = polynomial(g, a, &kept, out);
    free(without.coefficients);
    return st != HB_OK ? st : hb_graph_add_constant(g, *out, (hb_number){.real = constant}, out);
}

/* Slots without a row are multiplied by the factor but get no offset. Contents far from [-1, 1] there would exceed what
 * a level holds. */
static hb_status clear_padding(hb_graph *g, uint32_t *a, const hb_mapping *mapping)
{
    const hb_node *x = &g->nodes[*a];
    if (hb_node_confined(x) || x->range.magnitude * mapping->factor <= 1) {
        return HB_OK;
    }
    return hb_graph_mask(g, *a, a);
}

/* Factor and offset are rounded, to 2^-53 of their effect. Beside a jump that is part of the gap. */
static double rounding_error(const hb_mapping *mapping, const hb_approximation *f)
{
    const double largest = fmax(fabs(mapping->low), fabs(mapping->high));
    const double off = (mapping->factor * largest + fabs(mapping->offset) + 1) * 0x1p-51;
    return f->gap > 0 ? 0 : off * hb_chebyshev_slope(&f->stage[0]);
}

/* A value at rest has the margin of the first stage, as it is the operand of that stage. */
hb_status hb_graph_mapped(hb_graph *g, uint32_t a, const hb_mapping *mapping, uint32_t *out)
{
    HB_TRY(clear_padding(g, &a, mapping));
    /* The magnitude of slots without a row is known too, wherever the factor was absorbed. */
    const double most = fmax(g->nodes[a].range.magnitude * mapping->factor, 1);
    HB_TRY(hb_graph_affine(g, a, mapping->factor, mapping->offset, &a));
    hb_graph_narrow(g, a, hb_interval_of_reals(-1, 1));
    g->nodes[a].range.magnitude = fmin(g->nodes[a].range.magnitude, most);
    return hb_graph_gather(g, a, out);
}

/* A sign is steepest at 0, where slots without a value are. Their small errors grow there, as those of no value do:
 * values are outside the gap. Sums over slots mask them first. */
static void errors_grow_at_zero(const hb_graph *g, hb_node *sign)
{
    sign->shape.padding_zero = !hb_graph_partial(g);
    sign->shape.tail_zero = !hb_node_narrow(g, sign);
    sign->shape.gaps_zero = false;
}

hb_status hb_graph_approximated(hb_graph *g, uint32_t a, const hb_mapping *mapping, const hb_approximation *f,
                                double off, hb_interval range, uint32_t *out)
{
    g->approximates |= f->error > 0; /* not by roundings alone */
    const hb_interval values = hb_interval_to_reals(g->nodes[a].range.interval);
    HB_TRY(hb_graph_mapped(g, a, mapping, &a));
    const double error = f->error + rounding_error(mapping, f);
    keep_steady(g, a, first_margin(mapping, values, off));
    for (uint32_t i = 0; i < f->stages; i++) {
        const bool last = i + 1 == f->stages;
        const stage s = {&f->stage[i], f->gap > 0, last ? error : 0, last ? f->gap / f->high * (1 - 0x1p-40) : 0};
        const hb_status st = evaluate(g, a, &s, &a);
        if (st == HB_EDATA && f->gap > 0) {
            const hb_error cause = *hb_last_error();
            return HB_FAIL(st, "%.300s, polynomial %u of %u that make a sign with this gap", cause.text, i + 1,
                           f->stages);
        }
        HB_TRY(st);
        if (!last) {
            hb_graph_narrow(g, a, hb_interval_of_reals(-1, 1));
            /* Slots without a row were in [-1, 1] before the first stage, too, and no stage leaves it. */
            g->nodes[a].range.magnitude = fmin(g->nodes[a].range.magnitude, 1);
            keep_steady(g, a, f->margin[i]);
        }
    }
    const double beyond = error + (f->gap > 0 ? HB_APPROXIMATION_GAP_EXCESS : 0); /* of signs, halved or not */
    hb_graph_narrow(g, a, hb_interval_add(range, hb_interval_of_reals(-beyond, beyond)));
    if (f->gap > 0) {
        errors_grow_at_zero(g, &g->nodes[a]);
    }
    *out = a;
    return HB_OK;
}
