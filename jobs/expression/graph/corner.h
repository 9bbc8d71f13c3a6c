/* Functions with a corner, relu and |x|, which are a factor times stages of sign of it. By the slopes of the stages an
 * error of the factor would grow without end, and nothing would be said of what is made of it; but neither function is
 * steeper than 1 anywhere. With f the function, g the factor times the stages, x + e what the factor is,
 *     |g(x + e) - f(x)| <= |g(x + e) - f(x + e)| + |e|:
 * the bounds are those of the product where the factor has no error, and that error beside them, once. What g misses f
 * by is added as that of other approximations is (missed.h). */
#ifndef HB_EXPRESSION_GRAPH_CORNER_H
#define HB_EXPRESSION_GRAPH_CORNER_H

#include "graph.h"
#include "rlwe/quality.h"

/* The nodes that such a product is made of, down to its sources, of which both the factor and its sign are made; and
 * the bounds that they have, those of sources last. */
enum { HB_CORNER_MOST = 64 };
typedef struct hb_corner {
    const hb_graph *graph; /* borrowed */
    uint32_t product, factor;
    uint32_t node[HB_CORNER_MOST], count, source[HB_CORNER_MOST], sources;
    hb_quality kept[HB_CORNER_MOST];
    double missed[HB_CORNER_MOST];
    hb_moments moments[HB_CORNER_MOST];
} hb_corner;

/* Takes the errors away that the sources of a product have, and gives what is made of them new bounds, until
 * hb_corner_end. Returns false, and changes nothing, where the product is none of these (hb_node.cornered), or where
 * its factor and the sign of it are not known to have all errors from the same sources. */
bool hb_corner_begin(hb_corner *corner, const hb_graph *graph, const hb_node *product);
/* Gives all of it the bounds back that they had. Returns those of the product: `quality`, what it has by itself, and
 * the error of its factor. */
hb_quality hb_corner_end(const hb_corner *corner, hb_quality quality);

/* Returns the factor of such a product. */
uint32_t hb_corner_factor(const hb_graph *graph, const hb_node *product);
/* Returns how large the values of the factor of such a product are. */
hb_magnitude hb_corner_factor_values(const hb_graph *graph, const hb_node *product);

#endif
