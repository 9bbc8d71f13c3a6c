#include "coupled_error.h"

#include <math.h>

#include "scheme/quality.h"

/* The drawn part of an expected error, without what follows from values. */
static double drawn(hb_quality a)
{
    const double part = a.systematic.most > 0 ? exp2(2 * (a.systematic.most - a.expected)) : 0;
    return part < 1 ? fmax(a.expected + log2(1 - part) / 2, 0) : 0;
}

/* An error is complex, and its bound holds for both parts. So the imaginary part of one row block's error comes into
 * the real part of the other's. The systematic part of real values is real, and stays with them. */
hb_quality hb_coupled_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_quality own = hb_node_quality(f, &g->nodes[node->a]);
    hb_quality other = own;
    other.expected = drawn(own);
    other.systematic = (hb_systematic){0, 0};
    return hb_quality_add(g->params, own, other);
}

/* The mean squares of both row blocks were added up, and either part has half of the sum. The systematic part is all of
 * it. The error left is real: its largest slot is expected half a bit above that of a complex one with the same mean
 * square. So the largest one is expected as it was before. */
static hb_quality error_of_part(hb_quality a)
{
    const double systematic = a.systematic.most > 0 ? exp2(2 * a.systematic.most) : 0, even = hb_quality_even(a);
    a.expected = fmax(log2(exp2(2 * drawn(a)) + systematic) / 2, 0);
    a.even = fmax(even - 0.5, 0x1p-10); /* 0 would be unknown */
    a.peak = a.peak > 0 ? fmax(a.peak - 0.5, a.even) : 0;
    return a;
}

/* A ciphertext and its conjugate add up to twice the real part, also of an error. */
hb_quality hb_uncoupled_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_quality part = error_of_part(hb_node_quality(f, &g->nodes[node->a]));
    return hb_quality_switch(g->params, node->shape.limbs, hb_quality_multiply_integer(g->params, part, 2),
                             HB_SWITCH_GALOIS);
}
